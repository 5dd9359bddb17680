"""The cases of the generators, tasks 5.35 to 5.47. What is right is computed element by element, or on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.emitter.s05_generators import NOTHING, REFUSED
from grader.emitter.values import Value, Values
from grader.feedback.failure import Failure
from grader.judges.program import failure_in, text_in
from grader.rigs.generator_cases import FAMILIES, VECTORS
from grader.trials import Trial, Trials, Wrong, array_in
from grader.trials.generated import generated
from haribote.answers.resolve import resolve_row
from haribote.kernel_table import KERNELS, problem
from haribote.layout import LAYOUTS, Layout
from simulator import Machine, assemble
from simulator.assembly.checks import fix_nops

Array = NDArray[Any]
TREE = (8, 8, 16, 4)


def _failed(name: str, what: str, **inputs: Any) -> Failure | None:
    """A failure that says what is wrong; None where that is "". inputs: what the learner is shown."""
    return Failure(name, "", what, inputs={key: np.asarray(value) for key, value in inputs.items()}) if what else None


# --- 5.35 ------------------------------------------------------------------------------------------------------------

_LENGTHS = {"": 1, "l": 2, "ll": 4}
Places = set[tuple[str, int, int]]


def _operand(rng: np.random.Generator, kind: str) -> tuple[str, Places]:
    """An operand of a PE's memory of a kind, and the words that it touches."""
    length, memory = str(rng.choice(list(_LENGTHS))), str(rng.choice(list("mnrs")))
    words, start = _LENGTHS[length], 4 * int(rng.integers(0, 40))
    if kind == "T":
        return f"${length}t", {("t", 0, cycle) for cycle in range(4)}
    stride = {"fixed": 0, "v": words, "stride": 4 * int(rng.integers(1, 9)), "through T": words}.get(kind, 0)
    at = [start + cycle * stride for cycle in range(4)]
    if kind == "list":
        at = [4 * int(number) for number in rng.integers(0, 40, 4)]
    places = {(memory, first + word, cycle) for cycle, first in enumerate(at) for word in range(words)}
    if kind == "list":
        return f"${length}{memory}[{','.join(map(str, at))}]", places
    if kind == "through T":
        places = {("m", address, cycle) for _, address, cycle in places} | {("t", 0, cycle) for cycle in range(4)}
        return f"${length}mt{start}v", places
    return f"${length}{memory}{start}{ {'fixed': '', 'v': 'v'}.get(kind, f'v{stride}') }", places


_NO_MEMORY = ("$aluf", "$mauf", "$lbf", "$mreadf", "$subpeid", "$mabid", "$lx0", "$ly4", "$msb1")
_KINDS = ("v", "fixed", "T", "list", "stride", "through T")


def _lines(rng: np.random.Generator) -> Iterator[Trial]:
    templates = ("lpassa {0} {3}", "fvadd {0} -{1} {3}", "fvfma {0} {1} {2} {3}", "fvpassa {0} {3}/1000",
                 "zero {3}/$imr1", 'imm i"3" {3}', "gmwrite {0} $lx0", "fvmul {0} {1} $omr1 ; zero {3}")  # fmt: skip
    for kind in (*_KINDS, "several", "nothing"):
        for template in rng.permutation(templates)[:3]:
            found = [(str(rng.choice(_NO_MEMORY)), Places()) for _ in range(3)] + [("$nowrite", Places())]
            if kind != "nothing":
                kinds = [str(rng.choice(_KINDS)) if kind == "several" else kind for _ in range(4)]
                found = [_operand(rng, one) for one in kinds]
            line = str(template).format(*(text for text, _ in found))
            used = [number for number in range(3) if f"{{{number}}}" in template]
            reads = set[Any]().union(*(found[number][1] for number in used))
            writes = found[3][1] if "{3}" in template else Places()
            yield Trial(line, {"line": line}, partial(_judge_line, line, reads, writes))
    for line, reads, writes in _TRANSFERS:
        yield Trial(line, {"line": line}, partial(_judge_line, line, reads, writes))


def _l1bm(place: str, step: int, *each: int) -> Places:
    return {(place, step * cycle + word, cycle) for cycle in range(4) for word in each}


_TRANSFERS: tuple[tuple[str, Places, Places], ...] = (
    ("l1bmm $lb0 $lr0v", _l1bm("L1BM to PE", 4, 0, 1, 2, 3), {("r", 2 * c + w, c) for c in range(4) for w in (0, 1)}),
    ("l1bmm@0 $lm0v $lb0", {("m", 2 * c + w, c) for c in range(4) for w in (0, 1)}, _l1bm("PE to L1BM", 4, 0, 1, 2, 3)),
    ("l2bmb $lc0 $lb0", {("L2BM to L1BM", 0, 0)}, _l1bm("L2BM to L1BM", 16, *range(16))),
    ("l2bmd $lb0 $lc0", _l1bm("L1BM to L2BM", 8, *range(8)), {("L1BM to L2BM", 0, 0)}),
)  # fmt: skip


def _judge_line(line: str, reads: Places, writes: Places, answer: Values) -> Failure | None:
    for side, right in (("reads", reads), ("writes", writes)):
        found = {tuple(access) for access in _list(answer[side])}
        found -= {
            access
            for access in found
            if access not in right and access[0] in ("L2BM to L1BM", "L1BM to L2BM") and access[1] == 0 == access[2]
        }
        missing, more = sorted(right - found), sorted(found - right, key=str)
        if missing or more:
            what = f"it {side} {missing[0]}, which is missing" if missing else f"it does not {side[:-1]} {more[0]}"
            return _failed(line, f"of `{line}`: {what}")
    return None


# --- 5.36 ------------------------------------------------------------------------------------------------------------

_STREAMS = ("relu", "mul", "dl_16", "dl_16x16", "dl_256x16_b", "ul_256x16_a", "ul_16x16", "sum_columns", "gemm_xwt",
            "exp", "max_rows")  # fmt: skip


def _nops(rng: np.random.Generator) -> Iterator[Trial]:
    """Short streams that show one rule each, and kernels of the course without their nops."""
    at, other = (4 * int(number) for number in rng.integers(1, 30, 2))
    short = {
        "LM, whatever the address": [f"lpassa $lm0v $ln{at}v", f"lpassa $ln{at + 64}v $lr0v"],
        "LM0 and LM1 are two memories": [f"lpassa $lr0v $lm{at}v", f"lpassa $ln{other}v $lr8v"],
        "GRF, the same address": [f"lpassa $lm0v $lr{at}v", f"lpassa $lr{at}v $ln0v"],
        "GRF, another address": [f"lpassa $lm0v $lr{at}v", f"lpassa $lr{at + 8}v $ln0v"],
        "GRF, one address in all cycles": [f"lpassa $lm0 $lr{at}", f"lpassa $lr{at} $ln0v"],
        "GRF, a block later": [f"lpassa $lm0v $lr{at}v", f"lpassa $lr{at + 2}v $ln0v"],
        "T": ['imm i"3" $t', "ipassa $t $ln0v"],
        "a wait that other lines fill": [f"lpassa $lm0v $ln{at}v", "lpassa $lm8v $lr0v", f"lpassa $ln{at}v $ls0v"],
        "a forwarding path": ["lpassa $lm0v $nowrite", "lpassa $aluf $ln0v"],
        "MV takes no step": ["lpassa $lm0v $ln0v", "mvp/n64 $d0@0 $p0@0", "lpassa $ln8v $lr0v"],
        "two instructions in a line": [f"lpassa $lm0v $lr{at}v ; fvpassa $ln0v $ls0v", f"fvadd $lr{at}v $ls0v $lm8v"],
        "L1BM, down": ["l2bmb $lc0 $lb0", "l1bmm $lb0 $lr0v"],
        "L1BM, up": ["l1bmm@0 $lm0v $lb0", "l2bm@0 $lb0 $lc0"],
        "L1BM, up and down again": ["l1bmm@0 $lm0v $lb0", "l1bmm $lb0 $ln0v"],
        "L2BM, up and down again": ["l2bm@0 $lb0 $lc0", "l2bmb $lc0 $lb64"],
    }
    for name, lines in short.items():
        yield _stream(name, lines)
    for row in KERNELS:
        if row.name in _STREAMS:
            answer = resolve_row(row, True)
            assert answer is not None
            lines = [line for line in answer.kernel(problem(row)) if not line.startswith("nop")]
            yield _stream(f"kernel {row.name} without its nops", [line for line in lines if line.strip()])


def _stream(name: str, lines: list[str]) -> Trial:
    most = assemble(fix_nops(assemble("\n".join(lines)))).steps

    def judge(answer: Values) -> Failure | None:
        text = text_in(answer)
        kept = [line for line in text.splitlines() if not line.startswith("nop")]
        if kept != lines:
            return Failure(name, "", f"the lines are not those that were given, in their order\n{text}")
        early = failure_in(name, text)
        if early is not None:
            return early
        steps = assemble(text).steps
        return _failed(name, f"{steps} steps, where {most} are enough\n{text}" if steps > most else "")

    return Trial(name, {"lines": list[Value](lines)}, judge, earns=most > len(lines))


# --- 5.37 ------------------------------------------------------------------------------------------------------------


def _layouts(rng: np.random.Generator) -> Iterator[Layout]:
    yield from (LAYOUTS[tag] for tag in ("16", "16x16", "256x16.A", "256x16.P", "256", "16x1024"))
    for family in (*FAMILIES.values(), *VECTORS.values()):
        rows, columns = int(rng.choice(family.rows[:3])), int(rng.choice(family.columns))
        yield Layout.parse(family.text(rows, columns))


def _wanted(rng: np.random.Generator) -> Iterator[Trial]:
    for layout in _layouts(rng):
        for everywhere in (True, False):
            name = f"{layout}, {'every copy' if everywhere else 'copy 0'}"
            judge = partial(_judge_wanted, name, layout, everywhere)
            yield Trial(name, {"layout": str(layout), "everywhere": everywhere}, judge)


def _judge_wanted(name: str, layout: Layout, everywhere: bool, answer: Values) -> Failure | None:
    """Write the number of each element where the layout says, by the course's own scatter; then look at all words."""
    found = array_in(answer, "pairs")
    numbers = np.arange(1, np.prod(layout.shape) + 1, dtype=np.uint32).reshape(layout.shape)
    memory = np.zeros((layout.words, 4096), np.uint32)
    layout.scatter(numbers, memory, 0, everywhere)
    first = memory[::2].T.reshape(*TREE, -1).astype(np.int64)  # the first words of all long words
    right = np.where(first > 0, (first - 1) // 2, -1)
    if found.shape != right.shape:
        return _failed(name, f"the result must have shape {list(right.shape)}, received {list(found.shape)}")
    if (found == right).all():
        return None
    at = tuple(int(number) for number in np.argwhere(found != right)[0])
    place = ", ".join(
        f"{unit} {number}" for unit, number in zip(("L2B", "L1B", "MAB", "PE", "long word"), at, strict=True)
    )
    return _failed(name, f"at {place}: pair {found[at]}, should be {right[at]}")


# --- 5.38 ------------------------------------------------------------------------------------------------------------


def _addresses(rng: np.random.Generator) -> Iterator[Trial]:
    """Units of any number: what is asked is the same."""
    units = (2, 2, 2, 4)
    for width in (1, 2):
        want = np.stack([rng.permutation(16) for _ in range(np.prod(units))]).reshape(*units, 16)
        if width == 2:  # two neighbours come together
            want = np.stack([2 * rng.permutation(8) for _ in range(np.prod(units))]).reshape(*units, 8)
            want = np.stack([want, want + 1], axis=-1).reshape(*units, 16)
        columns = rng.permutation(16 // width)
        pairs = np.stack([[want[..., width * at + w] for w in range(width)] for at in columns])
        pairs = pairs.reshape(-1, 4, width, *units)
        yield _address(f"all agree, {width} at a time", pairs, want)
        copies = want.copy()
        copies[:, :, 1] = -1
        yield _address(f"some want nothing, {width} at a time", pairs, copies)
        other = want.copy()
        other[1, 1, 1, 3, [2, 9]] = other[1, 1, 1, 3, [9, 2]]
        yield _address(f"one PE wants it elsewhere, {width} at a time", pairs, other)
        yield _address(f"something never comes, {width} at a time", pairs[:-1], want)
        more = np.concatenate([pairs, np.full_like(pairs[:1], -1), pairs[:1] + 100])
        yield _address(f"more comes than is wanted, {width} at a time", more, want)
        if width == 2:
            nothing = np.full_like(want[..., :1], -1)
            odd = np.concatenate([nothing, want, nothing], axis=-1)
            yield _address("two that would begin at an odd place", pairs, odd)
            yield _address("two, the second behind the end", pairs, want[..., :15])


def _address(name: str, pairs: Array, want: Array) -> Trial:
    right = _addresses_plainly(pairs, want)

    def judge(answer: Values) -> Failure | None:
        if "addresses" not in answer:
            return None if right is None else _failed(name, "the result is None, but all PEs can agree on addresses")
        found = array_in(answer, "addresses")
        if right is None:
            return _failed(name, "the result must be None: not all PEs agree, or something is missing")
        if found.shape != right.shape:
            return _failed(name, f"there must be {list(right.shape)} addresses, received {list(found.shape)}")
        if (found == right).all():
            return None
        step, cycle = (int(number) for number in np.argwhere(found != right)[0])
        received, wanted = (None if at == NOTHING else int(at) for at in (found[step, cycle], right[step, cycle]))
        return _failed(name, f"step {step}, cycle {cycle}: {received}, should be {wanted}")

    return Trial(name, {"pairs": pairs, "want": want}, judge, earns=right is not None)


def _addresses_plainly(pairs: Array, want: Array) -> Array | None:
    """The same PE by PE and word by word."""
    found = np.full(pairs.shape[:2], NOTHING)
    everybody = list(np.ndindex(*want.shape[:-1]))
    seen = set()
    for step, cycle in np.ndindex(*found.shape):
        at = [a for a in range(want.shape[-1]) if want[0, 0, 0, 0, a] == pairs[step, cycle, 0, 0, 0, 0, 0] >= 0]
        if not at:
            continue
        found[step, cycle] = at[0]
        for w in range(pairs.shape[2]):
            if at[0] % pairs.shape[2] or at[0] + w >= want.shape[-1]:
                return None
            if any(want[(*pe, at[0] + w)] not in (-1, pairs[(step, cycle, w, *pe)]) for pe in everybody):
                return None
            seen.add(at[0] + w)
    needed = {a for a in range(want.shape[-1]) if want[0, 0, 0, 0, a] >= 0}
    return found if needed <= seen else None


# --- 5.39 ------------------------------------------------------------------------------------------------------------

_IMAGE = 64
"""Long words of L2BM in a case: the fewest that l2bmb moves."""


def _ways(rng: np.random.Generator) -> Iterator[Trial]:
    image = rng.permutation(8 * _IMAGE).reshape(8, _IMAGE)
    short = image.copy()
    short[:, 40:] = -1
    for name, picture, up, sums in (
        ("down", image, False, ()),
        ("down, not all of it used", short[:, :40], False, ()),
        ("up", image, True, ()),
        ("up, with sums over MABs", image, True, ("MAB",)),
        ("up, with sums over MABs and L1Bs", image, True, ("L1B", "MAB")),
    ):
        given: dict[str, Value] = {"image": picture, "up": up, "sums": list[Value](sums)}
        yield Trial(name, given, partial(_judge_ways, name, picture, up, sums))


def _judge_ways(name: str, image: Array, up: bool, sums: tuple[str, ...], answer: Values) -> Failure | None:
    found = _list(answer["ways"])
    kinds = {(str(way["l2bm"][0]).split()[0], str(way["name"]), str(way["length"])) for way in found}
    l2bm = [("l2bmrffadd" if "L1B" in sums else "l2bm@0") if up else "l2bmb", *["l2bmd"] * ("L1B" not in sums)]
    l1bm = [("l1bmrffadd" if "MAB" in sums else "l1bmm@0") if up else "l1bmm", *["l1bmd"] * ("MAB" not in sums)]
    wanted = {(a, b, length) for a in l2bm for b in l1bm for length in (("ll", "l") if b != "l1bmd" else ("l",))}
    wanted |= {(a, "l1bmp", "l") for a in l2bm} if not up else set()
    if missing := sorted(wanted - kinds):
        return _failed(name, "there is no way by {}, then {} with length {!r}".format(*missing[0]))
    for way in found:
        if what := _wrong_way(way, image, up, sums):
            return _failed(name, f"the way by {way['l2bm'][0].split()[0]} and {way['name']} ({way['length']}): {what}")
    return None


def _wrong_way(way: dict[str, Any], image: Array, up: bool, sums: tuple[str, ...]) -> str:
    """Do it on the machine, with the numbers of pairs as values; what is wrong, or ""."""
    machine, pairs = Machine(), np.asarray(way["pairs"], np.int64)
    steps, each = pairs.shape[0], 8 * pairs.shape[2]
    letter = "ll" if way["length"] == "ll" else "l"
    ends = [(f"${letter}b{way['block'] * step}", f"${way['length']}n{each * step}v") for step in range(steps)]
    l1bm = [" ".join([way["name"], *(end[::-1] if up else end)]) for end in ends]
    if pairs.shape[1:2] + pairs.shape[3:] != (4, *TREE):
        return f"its pairs have shape {list(pairs.shape)}, not [step, 4 cycles, w, 8, 8, 16, 4]"
    words = pairs.transpose(0, 1, 2, 3, 4, 5, 6).reshape(steps * 4 * pairs.shape[2], 4096)  # as LM1 has them
    if up:
        machine.lm1[: 2 * len(words) : 2] = words.astype(np.float32).view(np.uint32)
        machine.run(assemble("\n".join([*l1bm, *way["l2bm"]])))
        left = np.array([machine.l2bm[l2b, : image.shape[1]] >> np.uint64(32) for l2b in range(8)]).astype(np.uint32)
        received = left.view(np.float32).astype(np.int64)
        factor = (16 if "MAB" in sums else 1) * (8 if "L1B" in sums else 1)
        bad = np.argwhere((image >= 0) & (received != factor * image))
        return f"long word {bad[0][1]} of L2BM {bad[0][0]} is not what the pairs say" if len(bad) else ""
    for l2b in range(8):
        machine.l2bm[l2b, : image.shape[1]] = image[l2b].astype(np.uint64)
    machine.run(assemble("\n".join([*way["l2bm"], *l1bm])))
    received = machine.lm1[1 : 2 * len(words) : 2].astype(np.int64)
    known = set(image[image >= 0].tolist())
    if {int(pair) for pair in np.unique(pairs)} - {-1} != known:
        return "its pairs are not those of the image"
    bad = np.argwhere((words >= 0) & (received != words))
    if not len(bad):
        return ""
    row, pe = (int(number) for number in bad[0])
    return f"PE {pe} gets pair {received[row, pe]} where the way says {words[row, pe]}"


# --- 5.43 ------------------------------------------------------------------------------------------------------------


def _spreads(rng: np.random.Generator) -> Iterator[Trial]:
    bias, column = LAYOUTS["16"], LAYOUTS["256"]
    pairs = [(bias, LAYOUTS["256x16.A"], 1), (bias, LAYOUTS["256x16.P"], 1), (column, LAYOUTS["256x16.P"], 0),
             (column, LAYOUTS["256x16.A"], 0), (Layout.parse("((16:1))"), LAYOUTS["256x16.B"], 1),
             (Layout.parse("((4_L2B:1, 4:1, 2_W:1))"),
              Layout.parse("((4_L2B:2, 8:2), (2:1, 4_PE:1, 2_W:1))"), 0)]  # fmt: skip
    for name in "PBR":
        family = FAMILIES[name]
        rows, columns = int(rng.choice(family.rows)), int(rng.choice(family.columns[1:]))
        large = Layout.parse(family.text(rows, columns))
        each = large.words // (2 * (columns // 8))
        units = "".join(f"{digit}, " for digit in large.axes[0] if digit.level)
        if each % 2 == 0:
            pairs.append((Layout.parse(f"(({units}{each // 2}:1, 2_W:1))"), large, 0))
        pairs.append((Layout((large.axes[1],)), large, 1))
    for small, large, axis in pairs:
        name = f"{small} beside {large}"
        given: dict[str, Value] = {"small": str(small), "large": str(large), "axis": axis}
        yield Trial(name, given, partial(_judge_spread, name, small, large, axis))


def _judge_spread(name: str, small: Layout, large: Layout, axis: int, answer: Values) -> Failure | None:
    """Put both into memory: every word of the matrix names its element, and the vector's word there must be its own."""
    matrix, vector = np.zeros((large.words, 4096), np.uint32), np.zeros((small.words, 4096), np.uint32)
    large.scatter(np.arange(1, np.prod(large.shape) + 1, dtype=np.uint32), matrix, 0)
    small.scatter(np.arange(1, small.shape[0] + 1, dtype=np.uint32), vector, 0)
    element = np.maximum(matrix.astype(np.int64) - 1, 0)
    needed = (element // large.shape[1] if axis == 0 else element % large.shape[1]) + 1
    used = matrix > 0
    possible = all(
        any((vector[word][used[at]] == needed[at][used[at]]).all() for word in range(small.words)) or not used[at].any()
        for at in range(large.words)
    )
    if REFUSED in answer:
        return _failed(name, "refused, but every PE has what it needs" if possible else "")
    words = _list(answer["words"])
    if not possible:
        return _failed(name, "a PE does not have what it needs, so this must be refused with UnsupportedShape")
    if len(words) != large.words:
        return _failed(name, f"there must be {large.words} words, received {len(words)}")
    for at, word in enumerate(words):
        if not 0 <= word < small.words or (vector[word][used[at]] != needed[at][used[at]]).any():
            return _failed(name, f"word {at} of the matrix goes with another word of the vector than {word}")
    return None


# --- 5.46 ------------------------------------------------------------------------------------------------------------

_ONE, _ZERO = 0x3FC00000, 0x3F800000
"""1.0 and 0.0 in a block of the exponent of 1.0."""
SPLIT_ERROR = 2.0**-30


def _vectors(rng: np.random.Generator) -> Iterator[Trial]:
    for text, free in (("256x16.A", 0), ("16x16", 0), ("16x16", 1), ("256x16.A", 1), ("((32:1), (4_PE:1, 2_W:1))", 0),
                       ("((32:1), (4_PE:1, 2_W:1))", 1), ("((8:4), (4:1, 4_PE:1, 2_W:1))", 0)):  # fmt: skip
        layout = LAYOUTS[text] if text in LAYOUTS else Layout.parse(text)
        address, start = 4 * int(rng.integers(0, 60)), 8 * int(rng.integers(0, 8))
        operand: dict[str, Value] = {
            "name": "x", "shape": list(layout.shape), "dtype": "float32", "layout": str(layout), "memory": "LM0",
            "address": address,
        }  # fmt: skip
        name = f"{layout}, free axis {free}"
        values = rng.standard_normal(layout.shape).astype(np.float32)
        judge = partial(_judge_vectors, name, layout, free, address, values)
        yield Trial(name, {"operand": operand, "free": free, "start": start}, judge)


def _judge_vectors(name: str, layout: Layout, free: int, address: int, values: Array, answer: Values) -> Failure | None:
    """Run the lines; the two parts of each group, times the unit matrix, must add up to the numbers of four vectors."""
    text, groups = text_in(answer), _list(answer["groups"])
    machine = Machine()
    layout.scatter(values, machine.lm0, address)
    machine.my[:] = _ZERO
    for number in range(8):
        machine.my[number, :, number] = _ONE
    lines = [line for line in text.splitlines() if line]
    sums: list[str] = []
    for block in groups:
        for register in block:
            sums += [f"gmmul $ly $ls{register}v $nowrite", f"gmfma $ly $lr{register}v $mauf $ln{8 * (len(sums) // 2)}v"]
    machine.run(assemble("\n".join([*lines, *sums])))
    where = np.stack([layout.position(level) for level in ("L2B", "L1B", "MAB")], -1)
    here = values[(where == where[0, 0]).all(-1)].reshape(-1)  # what the first MAB has
    mine = here.reshape(-1, values.shape[1]) if not layout.names("MAB") else here
    table = mine if free == 0 else mine.T  # [free index, k]
    right = table.reshape(-1, 4, table.shape[1])
    got = np.array([machine.lm1[8 * n : 8 * n + 8, :4].view(np.float32) for n in range(len(sums) // 2)])
    got = got.reshape(len(groups), -1, 4, 2, 4).transpose(0, 1, 2, 4, 3).reshape(len(groups), -1, 4, 8)
    received = got.transpose(1, 2, 0, 3).reshape(*got.shape[1:3], -1)[..., : right.shape[2]]
    if received.shape != right.shape:
        return _failed(name, f"there must be {right.shape[0]} groups in each of {-(-right.shape[2] // 8)} blocks")
    bad = np.argwhere(np.abs(received - right) > SPLIT_ERROR * np.abs(values).max())
    if not len(bad):
        return None
    group, cycle, k = (int(number) for number in bad[0])
    what = f"group {group} of block {k // 8}, cycle {cycle}, index {k % 8}"
    return _failed(
        name, f"{what}: high + low is {received[group, cycle, k]:.7g}, should be {right[group, cycle, k]:.7g}"
    )


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list was to be given")
    return value


TRIALS: dict[str, Trials] = {
    "5.35": _lines, "5.36": _nops, "5.37": _wanted, "5.38": _addresses, "5.39": _ways, "5.43": _spreads,
    "5.46": _vectors,
    **{task: generated(task) for task in ("5.40", "5.41", "5.42", "5.44", "5.45", "5.47")},
}  # fmt: skip

WRONG: dict[str, Wrong] = {
    "5.35": (
        ("int(stride or words)", "words"),  # a stride is ignored
        ("for word in range(words)]", "for word in range(1)]"),  # the first word alone
        ("if t or through_t:", "if t:"),  # T indirection is forgotten
        ("if v else 0", "if True else 0"),  # one address in all cycles
    ),
    "5.36": (
        ("step + 3\n        elif place == \"t\"", "step + 2\n        elif place == \"t\""),  # reads LM too early
        ("now + 7\n", "now + 8\n"),  # waits too long
        ("for access in writes:", "for access in ():"),  # never waits
        ("step = first + 1", "step = step + 1"),  # forgets its own nops
    ),
    "5.37": (
        ("and not layout.names(level)", ""),
        ('position("").ravel', 'position("W").ravel'),
        ("if everywhere and", "if"),
    ),
    "5.38": (
        ("or at % len(cycle)", ""),
        ("((there >= 0) & (there != units)).any()", "(there != units).any()"),  # nobody may want nothing
        ("((there >= 0) & (there != units)).any()", "False"),  # nobody is asked
        ("cycle[0, 0, 0, 0, 0]", "cycle[-1, 0, 0, 0, 0]"),  # the second of two
    ),
    "5.39": (
        (".transpose(0, 2, 1, 3)", ""),
        ("(4, 1, 2, 4)", "(4, 2, 1, 4)"),
        ("(2, 3, 5, 0, 1, 4, 6)", "(2, 5, 3, 0, 1, 4, 6)"),
        ('"l1bmp", "l", (4, 1, 1, 1)', '"l1bmp", "l", (1, 1, 1, 4)'),
    ),
    "5.40": (
        ("len(lines) < len(best)", "len(lines) > len(best)"),  # the longest
        ("if not used:", "if False:"),  # lines that bring nothing
        ("2 * (used[0]", "(used[0]"),  # long words, not words
        ('mask = "" if pattern == "1111" else', 'mask = "" if True else'),  # a cycle that brings nothing writes
    ),
    "5.41": (
        ("$lc{part * group}@0.0", "$lc0@0.0"),
        ("$lc0@.{c} {d(half * c)}", "$lc0@.0 {d(half * c)}"),
        ("$p0@0 {d()}\"], mixed", "$p0@0 {d()}\"], in_order"),
        ("everyone(np.arange(pairs).reshape(4, -1, 16)", "everyone(np.arange(pairs).reshape(-1, 4, 16)"),
    ),
    "5.42": (
        ("for argument in node[1:]:\n                visit(argument)", "pass"),  # nobody makes the arguments
        ("elif argument not in texts:", "else:"),  # a text for each use
        ('endless("rs")', 'endless("r")'),  # two addresses of one GRF
        ('/$imr1" for', '" for'),
    ),
    "5.43": (
        ("small.names(level) and", "False and"),
        (".reshape(widen) != large", ".reshape(widen[::-1]) != large"),
        ("2 * small.position(\"\") + small.position(\"W\")", "small.position(\"\")"),
    ),
    "5.44": (
        ("min(len(blocks), most, MOST_BLOCKS if len(nodes) > 1 else most)", "len(blocks)"),  # registers run out
        ("[spreads[argument][word] for word in block]", "block"),  # as if it were large
        ("key=lambda argument: not self.is_smaller(argument, like)", "key=lambda argument: 0"),
        ("self.compute(it, own)\n                return", "self.compute(it, own)"),
    ),
    "5.45": (
        ("at + digit.stride * number", "at + number"),
        ('path = "$aluf" if number == 1 else forward', "path = forward"),
        ("2 * cycle + 1 for cycle", "2 * cycle for cycle"),
        ('            if distance == 2:\n                lines.append("msl $aluf $nowrite")\n', ""),
    ),
    "5.46": (
        ("2 * (row + k)", "row + k"),
        ("$lx4\")", "$lx0\")"),
        ("gmfma $ly -$ls", "gmfma $ly $ls"),
        ("gbfn $mauf $lr", "lpassa $mauf $lr"),
    ),
    "5.47": (
        ("{register}{4 * half}", "{register}{half}"),
        ('(("$lx", "r"), ("$ly", "s"))', '(("$lx", "s"), ("$ly", "r"))'),
        ("gmfma $ly $lr{group}v $mauf", "gmfma $ly $ls{group}v $mauf"),
        ("if so_far else f\"gmmul", "if False else f\"gmmul"),
    ),
}  # fmt: skip
