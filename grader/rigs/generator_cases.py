"""Cases of generators: the rows of the kernel table that each covers, and layouts and shapes that nobody has seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from math import prod

import numpy as np

from grader.rigs.kernel_cases import BOTH, Case, described_places, distinct_numbers, kernel_cases
from grader.rigs.kernel_cases import distinct as distinct_bits
from haribote.answers.generators import rows_written_by
from haribote.answers.tasks import Task
from haribote.kernel import Memory, Op, Operand
from haribote.kernel_table import BY_NAME, KERNELS
from haribote.layout import Layout, dram_layout
from simulator.messages import Text, tr

HIDDEN = 6
"""Layouts and shapes per task that change with the seed."""
LM_ADDRESSES, DRAM_ADDRESSES = 4 * np.arange(1, 100), 64 * np.arange(1, 100)


@dataclass(frozen=True)
class Family:
    """Layouts of one kind. text: the notation, of rows and columns. promised: whether a generator must do that shape.

    What is not promised may be refused with UnsupportedShape; what is neither refused nor right is wrong everywhere.
    """

    text: Callable[[int, int], str]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    promised: Callable[[int, int], bool] = lambda rows, columns: True


def _row(columns: int) -> str:
    return f"({columns // 8}:1, 4_PE:1, 2_W:1)" if columns > 8 else "(4_PE:1, 2_W:1)"


def _wide(columns: int) -> str:
    return f"({f'{columns // 1024}:1, ' if columns > 1024 else ''}8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)"


FAMILIES: dict[str, Family] = {
    # Rows dealt to L2Bs, addresses and L1Bs, as in layout A: a row must be the 8 long words that l2bmd deals out.
    "A": Family(lambda r, c: f"((8_L2B:1, {r // 64}:{c // 8}, 8_L1B:1), {_row(c)})", (64, 128, 512, 1024),
                (8, 16, 32), lambda r, c: c == 16),
    # Rows dealt to groups, as in layout P.
    "P": Family(lambda r, c: f"((4_L2B:2, {r // 4}:{c // 8}), {_row(c)})", (16, 32, 64, 128, 512), (8, 16, 24, 32)),
    # Rows dealt to L2Bs, as in layout B: an MV moves at least 64 long words, so each L2B must have that many.
    "B": Family(lambda r, c: f"((8_L2B:1, {r // 8}:{c // 8}), {_row(c)})", (16, 32, 64, 128, 512), (8, 16, 32, 64),
                lambda r, c: r * c % 1024 == 0),
    # The same everywhere, as weights are.
    "R": Family(lambda r, c: f"(({r}:{c // 8}), {_row(c)})", (8, 16, 32, 64), (8, 16, 24, 32, 64)),
    # Columns over MABs and L1Bs, rows over L2Bs or the same everywhere, as in the layouts of 1,024 columns.
    "S": Family(lambda r, c: f"((8_L2B:1, {r // 8}:{c // 1024}), {_wide(c)})", (8, 16, 32, 64), (1024, 2048)),
    "T": Family(lambda r, c: f"(({r}:{c // 1024}), {_wide(c)})", (8, 16, 32), (1024,)),
}  # fmt: skip
VECTORS: dict[str, Family] = {
    Text("across the PEs"): Family(lambda n, _: f"(({n // 8}:1, 4_PE:1, 2_W:1))", (16, 32, 64, 128), (1,)),
    Text("in each PE"): Family(lambda n, _: f"((4_L2B:2, {n // 8}:1, 2_W:1))", (32, 64, 128, 512), (1,)),
}


@dataclass(frozen=True, eq=False)
class Hidden:
    """A case on a layout that the course does not show. promised: whether the generator must do it."""

    case: Case
    promised: bool


def counted_cases(task: Task, seed: int) -> Iterator[Case]:
    """Two cases for each row that the generator covers: at the problem set's addresses, which counts, and elsewhere."""
    for row in rows_written_by(task.id, KERNELS):
        cases = kernel_cases(row, seed)
        yield replace(cases[0], poisons=BOTH)
        yield cases[-1] if not cases[-1].counted else next(case for case in cases if case.moved)


def hidden_cases(task: Task, rng: np.random.Generator) -> Iterator[Hidden]:
    """Cases that change with the seed, each of another kind."""
    yield from islice(_HIDDEN[task.id](rng), HIDDEN + 1)


def _drawn(rng: np.random.Generator, families: dict[str, Family]) -> Iterator[tuple[Layout, tuple[int, ...], bool]]:
    """Layouts of all families in turn, with their shapes and whether they are promised."""
    while True:
        for name in rng.permutation(list(families)):
            family = families[str(name)]
            rows, columns = int(rng.choice(family.rows)), int(rng.choice(family.columns))
            layout = Layout.parse(family.text(rows, columns))
            yield layout, (rows, columns) if columns > 1 else (rows,), family.promised(rows, columns)


_TRANSFERRED = {**FAMILIES, "vector": VECTORS["in each PE"]}


def _downs(rng: np.random.Generator) -> Iterator[Hidden]:
    for layout, shape, promised in _drawn(rng, _TRANSFERRED):
        yield _hidden(rng, "dl_16", [_dram(rng, shape)], _lm(rng, layout), promised)


def _ups(rng: np.random.Generator) -> Iterator[Hidden]:
    for layout, shape, promised in _drawn(rng, _TRANSFERRED):
        yield _hidden(rng, "ul_16", [_lm(rng, layout)], _dram(rng, shape), promised)


def _alike(rng: np.random.Generator) -> Iterator[Hidden]:
    """Operands that all have one layout, in one LM; the result in either. A step writes four words at least."""
    layouts = _drawn(rng, {name: FAMILIES[name] for name in "APBR"})
    for name in ("mul", "relu", "sub", "scale_16", "mul", "relu", "sub"):
        layout = next(layout for layout, _, _ in layouts if 4 <= layout.words <= 128)
        yield _hidden(rng, name, _inputs(rng, [layout] * len(BY_NAME[name].inputs)), _lm(rng, layout))


def _elementwise(rng: np.random.Generator) -> Iterator[Hidden]:
    """With a bias, one number per row, and expressions of many nodes.

    A vector lies along the last axis of its size, so a number per row of a square matrix would be one per column.
    """
    layouts = _drawn(rng, {name: FAMILIES[name] for name in "PBR"})
    for name in ("add_bias", "exp", "sub_rows", "div_rows", "greater", "exp", "sub"):
        per_row = "rows" in name
        fitting = (layout for layout, _, _ in layouts if layout.words <= (512 if per_row else 256))
        large = next(layout for layout in fitting if not per_row or layout.shape[0] != layout.shape[1])
        (_, columns), inputs = large.shape, [large] * len(BY_NAME[name].inputs)
        if name == "add_bias":
            inputs[1] = Layout((Layout.parse(f"({_row(columns)})").axes[0],))
        if per_row:
            most = large.words // (2 * max(1, columns // 8))  # rows in each PE
            if most % 2:
                continue
            inputs[1] = one_per_row(large, most)
        yield _hidden(rng, name, _inputs(rng, inputs), _lm(rng, large))


def _reductions(rng: np.random.Generator) -> Iterator[Hidden]:
    """Sums and maxima of rows that lie within a MAB, and sums over all rows on the way to DRAM."""
    layouts = _drawn(rng, {name: FAMILIES[name] for name in "PBR"})
    for name in ("max_rows", "sum_rows", "sum_columns", "sum_rows", "max_rows", "sum_columns", "sum_rows"):
        if name == "sum_columns":
            rows = int(rng.choice((64, 128, 512, 1024)))
            x = _of("A", rows, 16)
            yield _hidden(rng, name, [_lm(rng, x)], _dram(rng, (16,)))
            continue
        x = next(layout for layout, _, _ in layouts if layout.words <= 256 and _rows_in_pe(layout) % 8 == 0)
        yield _hidden(rng, name, _inputs(rng, [x]), _lm(rng, one_per_row(x, _rows_in_pe(x))))


def one_per_row(matrix: Layout, rows: int) -> Layout:
    """A number for each row of a matrix, in the units that have the row. rows: an even number, of those in each PE."""
    units = "".join(f"{digit}, " for digit in matrix.axes[0] if digit.level)
    return Layout.parse(f"(({units}{rows // 2}:1, 2_W:1))")


def _rows_in_pe(layout: Layout) -> int:
    return prod(digit.size for digit in layout.axes[0] if not digit.level)


def _products(rng: np.random.Generator) -> Iterator[Hidden]:
    """The three products of a layer, of other numbers of rows and columns; too many columns may be refused.

    The rows of a batch are dealt out as in layout A, of any number of columns: these need not come from DRAM.
    """
    sizes = [(256, 8, 16), (512, 16, 16), (256, 32, 16), (256, 16, 32), (256, 16, 8), (1024, 16, 16), (256, 64, 32)]
    for kind, number in zip(("xwt", "gtx", "gw", "xwt", "gtx", "wide", "gw"), rng.permutation(len(sizes)), strict=True):
        batch, k, n = sizes[number]
        many = k * n > 1024  # then operands and sums do not fit the registers
        x_rows, g_rows, weight = _of("A", batch, k), _of("A", batch, n), _of("R", n, k)
        if kind == "wide":
            x, w = _of("S", 64, 1024), _of("T", 16, 1024)
            yield _hidden(rng, "gemm_xwt_1024", _inputs(rng, [x, w], "LM0"), _dram(rng, (64, 16)))
        elif kind == "xwt":
            y = _lm(rng, g_rows)
            yield _hidden(rng, "gemm_xwt", _inputs(rng, [x_rows, weight], "LM0"), y, not many)
        elif kind == "gw":
            y = _lm(rng, x_rows)
            yield _hidden(rng, "gemm_gw", _inputs(rng, [g_rows, weight], "LM0"), y, not many)
        else:
            y = _dram(rng, (n, k))
            yield _hidden(rng, "gemm_gtx", _inputs(rng, [g_rows, x_rows], "LM0"), y, not many)


def _of(family: str, rows: int, columns: int) -> Layout:
    return Layout.parse(FAMILIES[family].text(rows, columns))


_HIDDEN: dict[str, Callable[[np.random.Generator], Iterator[Hidden]]] = {
    "5.40": _downs, "5.41": _ups, "5.42": _alike, "5.44": _elementwise, "5.45": _reductions, "5.47": _products,
}  # fmt: skip


def _hidden(
    rng: np.random.Generator, like: str, inputs: list[Operand], output: Operand, promised: bool = True
) -> Hidden:
    """The operator of a row on other operands, with values."""
    known = BY_NAME[like]
    names = tuple(str(operand.layout) for operand in inputs)
    row = replace(known, inputs=names, output=str((output if output.memory != "DRAM" else inputs[0]).layout), room=0)
    attributes: dict[str, object] = {name: 1 for name in ("transA", "transB") if name == row.variant}
    if row.variant == "constant":
        attributes["constant"] = float(np.float32(rng.uniform(0.01, 2)))
    op = Op(row.op, tuple(inputs), output, attributes)
    values = (distinct_bits(rng, op.x.shape),) if row.op in ("DL", "UL") else distinct_numbers(row, op, rng)
    one_copy = row.op == "UL" or row.task == "5.27"
    case = Case(_name(op), row, op, values, moved=True, only_copy_0=one_copy, poisons=BOTH, counted=False)
    return Hidden(case, promised)


def _name(op: Op) -> str:
    """`UL of 64x16 in ((…)), LM0 word 4 -> DRAM long word 64`: what a learner reads of a case that nobody has seen."""
    (given, *_), (sources, target) = op.inputs, described_places(op)
    layout = given.layout if given.memory != "DRAM" else op.y.layout
    size = "x".join(map(str, given.shape))
    return tr("{kind} of {value} in {layout}, {sources} -> {target}", op.kind, size, layout, sources, target)


def _inputs(rng: np.random.Generator, layouts: list[Layout], memory: Memory | None = None) -> list[Operand]:
    """Operands one after another in one LM."""
    at, memory, found = int(rng.choice(LM_ADDRESSES)), memory or _either(rng), []
    for number, layout in enumerate(layouts):
        found.append(Operand(f"in{number}", layout.shape, "float32", layout, memory, at))
        at += layout.words
    return found


def _lm(rng: np.random.Generator, layout: Layout) -> Operand:
    return Operand("x", layout.shape, "float32", layout, _either(rng), int(rng.choice(LM_ADDRESSES)) + 2000)


def _dram(rng: np.random.Generator, shape: tuple[int, ...]) -> Operand:
    return Operand("y", shape, "float32", dram_layout(shape), "DRAM", int(rng.choice(DRAM_ADDRESSES)))


def _either(rng: np.random.Generator) -> Memory:
    return "LM0" if rng.integers(2) else "LM1"
