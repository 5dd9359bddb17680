"""The cases of the generators of kernels, tasks 5.40 to 5.47; whole generators are judged as kernels are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

import numpy as np

from grader.emitter.loading import REFUSED
from grader.emitter.values import Value, Values, listed
from grader.judges.program import text_in
from grader.rigs.generator_cases import FAMILIES, one_per_row
from grader.trials import Array, Objection, Trial, Trials, Wrong
from grader.trials.generated import generated
from haribote.layout import LAYOUTS, Layout
from simulator import Machine, assemble
from simulator.messages import tr


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
        if each % 2 == 0:
            pairs.append((one_per_row(large, each), large, 0))
        pairs.append((Layout((large.axes[1],)), large, 1))
    for small, large, axis in pairs:
        name = tr("{small} beside {large}", str(small), str(large))
        given: dict[str, Value] = {"small": str(small), "large": str(large), "axis": axis}
        yield Trial(name, given, partial(_judge_spread, small, large, axis))


def _judge_spread(small: Layout, large: Layout, axis: int, answer: Values) -> Objection:
    """Put both into memory: every word of the matrix names its element, and the vector's word there must be its own."""
    fitting = _fitting(small, large, axis)
    possible = all(fitting)
    if REFUSED in answer:
        return tr("refused, but every PE has what it needs") if possible else ""
    words = listed(answer["words"])
    if not possible:
        return tr("a PE does not have what it needs, so this must be refused with UnsupportedShape")
    if len(words) != large.words:
        return tr("there must be {words} words, received {words2}", large.words, len(words))
    for at, word in enumerate(words):
        if word not in fitting[at]:
            return tr("word {at} of the matrix goes with another word of the vector than {word}", at, word)
    return None


@lru_cache(maxsize=256)
def _fitting(small: Layout, large: Layout, axis: int) -> list[frozenset[int]]:
    """For each word of the matrix, the vector's words that have its element in every PE; made once for all answers."""
    matrix, vector = np.zeros((large.words, 4096), np.uint32), np.zeros((small.words, 4096), np.uint32)
    large.scatter(np.arange(1, np.prod(large.shape) + 1, dtype=np.uint32), matrix, 0)
    small.scatter(np.arange(1, small.shape[0] + 1, dtype=np.uint32), vector, 0)
    element = np.maximum(matrix.astype(np.int64) - 1, 0)
    needed = (element // large.shape[1] if axis == 0 else element % large.shape[1]) + 1
    fitting = []
    for at in range(large.words):
        (pes,) = np.nonzero(matrix[at])
        words: Sequence[int] = range(small.words)
        if len(pes):  # few have what the first PE needs
            words = np.flatnonzero(vector[:, pes[0]] == needed[at, pes[0]]).tolist()
        fitting.append(frozenset(word for word in words if (vector[word, pes] == needed[at, pes]).all()))
    return fitting


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
        name = tr("{layout}, free axis {free}", layout, free)
        values = rng.standard_normal(layout.shape).astype(np.float32)
        judge = partial(_judge_vectors, layout, free, address, values)
        yield Trial(name, {"operand": operand, "free": free, "start": start}, judge)


def _judge_vectors(layout: Layout, free: int, address: int, values: Array, answer: Values) -> Objection:
    """Run the lines; the two parts of each group, times the unit matrix, must add up to the numbers of four vectors."""
    text, groups = text_in(answer), listed(answer["groups"])
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
        return tr("there must be {shape} groups in each of {value} blocks", right.shape[0], -(-right.shape[2] // 8))
    bad = np.argwhere(np.abs(received - right) > SPLIT_ERROR * np.abs(values).max())
    if not len(bad):
        return None
    group, cycle, k = (int(number) for number in bad[0])
    what = tr("group {group} of block {value}, cycle {cycle}, index {value2}", group, k // 8, cycle, k % 8)
    found, wanted = received[group, cycle, k], right[group, cycle, k]
    return tr("{what}: high + low is {received:.7g}, should be {right:.7g}", what, found, wanted)


TRIALS: dict[str, Trials] = {
    "5.43": _spreads, "5.46": _vectors,
    **{task: generated(task) for task in ("5.40", "5.41", "5.42", "5.44", "5.45", "5.47")},
}  # fmt: skip

WRONG: dict[str, Wrong] = {
    "5.43": (
        ("small.names(level) and", "False and"),
        (".reshape(widen) != large", ".reshape(widen[::-1]) != large"),
        ("2 * layout.position(\"\") + layout.position(\"W\")", "layout.position(\"\")"),
    ),
    "5.46": (
        ("2 * (row + k)", "row + k"),
        ("$lx4\")", "$lx0\")"),
        ("gmfma $ly -$ls", "gmfma $ly $ls"),
        ("gbfn $mauf $lr", "lpassa $mauf $lr"),
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
    "5.47": (
        ("{register}{4 * half}", "{register}{half}"),
        ('(("$lx", "r"), ("$ly", "s"))', '(("$lx", "s"), ("$ly", "r"))'),
        ("gmfma $ly $lr{group}v $mauf", "gmfma $ly $ls{group}v $mauf"),
        ("if so_far else f\"gmmul", "if False else f\"gmmul"),
    ),
}  # fmt: skip
