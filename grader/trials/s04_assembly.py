"""The cases of tasks 4.2 to 4.5. What is right is computed from the definition, with NumPy and plain indices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.emitter.values import Value, Values
from grader.feedback.failure import Failure
from grader.judges.assembly import AssemblyCase, Output, judge
from grader.judges.program import assembled, cost_of, failure_in, line_of, text_in
from grader.rigs.rig import DramWords, Given, Ints, Words, pes
from grader.trials import Objection, Trial, Trials, Wrong
from haribote.layout import Layout
from simulator.assembly.checks import fix_nops
from simulator.errors import unadvised
from simulator.isa import TREE
from simulator.messages import tr

Array = NDArray[Any]

SUM_ERROR = 2.0**-18  # of a sum, relative to the sum of the sizes of what is summed


def _name(count: str, given: Values, counted: bool) -> str:
    """What a case is called: one at other addresses than the first by these too."""
    others = ", ".join(f"{name}={value!r}" for name, value in given.items() if name != "count")
    return count if counted else tr("{count}, {others}", count, others)


def _everywhere(count: int) -> tuple[Ints, Ints]:
    """Words 0 to count - 1 of every PE: word and PE, [L2B, L1B, MAB, PE, word] each."""
    return np.arange(count) + np.zeros((*TREE, 1), np.int64), pes()[..., None] + np.zeros(count, np.int64)


def _trial(case: AssemblyCase, given: Values, passed: list[str]) -> Trial:
    return Trial(case.name, given, partial(judge, case, passed), case.cost, inputs=lambda: case.inputs)


def _drawn(rng: np.random.Generator, step: int, most: int, number: int = 1) -> list[int]:
    """Multiples of `step` that no answer can know before."""
    return [step * int(drawn) for drawn in rng.integers(1, most, number)]


def _distinct(rng: np.random.Generator, *shape: int) -> NDArray[np.uint32]:
    """Every word has its own bits."""
    numbers = np.arange(1, np.prod(shape) + 1, dtype=np.uint32) * np.uint32(2654435761)
    return rng.permutation(numbers).reshape(shape)


# --- 4.2 -------------------------------------------------------------------------------------------------------------

# group, count, source, x, y, target; of the first two the cost counts
_MOVES = ((0, 64, 0, 0, 0, 64), (0, 256, 0, 0, 0, 256), (2, 64, 4096, 8, 100, 512), (3, 192, 64, 1228, 12, 8192),
          (1, 128, 1024, 4, 2052, 128))  # fmt: skip


def _first_moves(rng: np.random.Generator) -> Iterator[Trial]:
    passed: list[str] = []
    (source, target), (x, y) = _drawn(rng, 64, 60, 2), _drawn(rng, 4, 500, 2)
    drawn = (int(rng.integers(0, 4)), 64 * int(rng.integers(1, 5)), source, x, y, 4096 + target)
    for number, (group, count, source, x, y, target) in enumerate((*_MOVES, drawn)):
        counted = number < 2
        given: Values = {"group": group, "count": count, "source": source, "x": x, "y": y, "target": target}
        down, up = _distinct(rng, count, 2), _distinct(rng, count, 2)
        word, pe = _spread(count)
        first = pes(2 * group, 0, 0, 0)
        every = tuple(int(number) for number in (pes(2 * group, pe=0) - first).reshape(-1))
        in_lm0 = Words("LM0", x + word, first + pe, every)
        elsewhere = tuple(int(number) for number in (pes(pe=0) - first).reshape(-1))
        layout = Layout.parse(f"(({count // 4}:1, 4_PE:1), (2_W:1))")
        inputs = (
            Given(tr("the vector in DRAM"), DramWords(group, source, count), down),
            Given(tr("the vector in LM1"), Words("LM1", y + word, first + pe), up),
        )
        outputs = (
            Output(tr("the way down, to LM0"), in_lm0, down, "transfer", layout),
            Output(tr("the way up, to DRAM"), DramWords(group, target, count), up, "transfer", layout),
        )
        name = _name(tr("{count} long words", count), given, counted)
        loose = (replace(in_lm0, copies=elsewhere),)
        yield _trial(AssemblyCase(name, inputs, outputs, 5 + 6 * count // 64, loose, counted), given, passed)


def _spread(count: int) -> tuple[Ints, Ints]:
    """Long word i in PE i % 4, words 2 * (i // 4) and the next: word and PE, [count, 2] each."""
    i, w = np.indices((count, 2))
    return 2 * (i // 4) + w, i % 4


# --- 4.3 -------------------------------------------------------------------------------------------------------------


def _place_nops(rng: np.random.Generator) -> Iterator[Trial]:
    for n in (1, 2, 3, 4):
        b, c = 64 * int(rng.integers(0, 8)), 4096 + 16 * int(rng.integers(0, 8))
        x, y, z = (int(start + 4 * rng.integers(0, 16)) for start in (0, 0, 512))
        blocks, mab = range(n), int(rng.integers(0, 16))
        parts: dict[str, list[str]] = {
            "fetch": [f"l1bmd $lb{b + 256 * k} $lm{x + 8 * k}v" for k in blocks],
            "constant": [f'imm f"{rng.choice([0.5, -2.0, 1.25])}" $ls0'],
            "square": [f"fvmul $lm{x + 8 * k}v $lm{x + 8 * k}v $lr{8 * k}v" for k in blocks],
            "scale": [f"fvmul $lr{8 * k}v $ls0 $ln{y + 8 * k}v" for k in blocks],
            "send": [f"l1bmm@{mab} $ln{y + 8 * k}v $lb{c + 16 * k}" for k in blocks],
            "spread": [f"l1bmm $lb{c + 16 * k} $ln{z + 8 * k}v" for k in blocks],
        }
        name = tr("{n} block{s} of 8 words", n, "s" * (n > 1))
        lines = [line for part in parts.values() for line in part]
        fewest = assembled(fix_nops(assembled("\n".join(lines)))).steps
        given: dict[str, Value] = {part: [*text] for part, text in parts.items()}
        yield Trial(
            name, given, partial(_judge_nops, name, lines, fewest), partial(cost_of, name, fewest), inputs=tuple
        )


def _judge_nops(name: str, lines: list[str], fewest: int, answer: Values) -> Objection:
    """The given lines in their order, nops between them, enough of them but not everywhere."""
    text = text_in(answer)
    left = iter(lines)
    for number, line in enumerate(text.splitlines(), 1):
        if re.fullmatch(r"\s*(nop(/\d+)?)?\s*", line):
            continue
        wanted = next(left, tr("nothing more"))
        if line.split() != wanted.split():
            message = tr("the next line must be `{wanted}` or a nop, received `{text}`", wanted, line_of(text, number))
            return Failure(name, "", message, line=number)
    missing = next(left, None)
    if missing is not None:
        return tr("the text ends before the line `{missing}`", missing)
    early = failure_in(name, text)  # where to put how many nops is what the task asks
    if early:
        return replace(early, explanation=unadvised(early.explanation))
    steps, most = assembled(text).steps, fewest + fewest // 4
    if steps > most:
        return tr(
            "no wait is too short, but {fewest} steps are enough, at most {most}; received {steps}", fewest, most, steps
        )
    return None


# --- 4.4 -------------------------------------------------------------------------------------------------------------

# x, y, count, mab, value; of the first two the cost counts
_MASKS = ((0, 0, 16, 0, 100.0), (0, 0, 64, 0, -1.5), (8, 100, 8, 5, 0.25), (1228, 512, 40, 15, -3.0))


def _replace_negative(rng: np.random.Generator) -> Iterator[Trial]:
    passed: list[str] = []
    (x, y), (count,) = _drawn(rng, 4, 500, 2), _drawn(rng, 8, 6)
    drawn = (x, y, count, int(rng.integers(0, 16)), float(rng.integers(1, 99)))
    for number, (x, y, count, mab, value) in enumerate((*_MASKS, drawn)):
        counted = number < 2
        given: Values = {"x": x, "y": y, "count": count, "mab": mab, "value": value}
        numbers = rng.standard_normal((*TREE, count)).astype(np.float32)
        special = np.array([-0.0, 0.0, -1e30, 1e-30], np.float32)
        numbers[..., :4] = rng.permuted(np.broadcast_to(special, numbers[..., :4].shape), axis=-1)
        where, every = _everywhere(count)
        other, seen, place = np.float32(value), numbers[:, :, mab], Words("LM1", y + where[:, :, mab], every[:, :, mab])
        layout = Layout.parse(f"((8_L2B:1), (8_L1B:1), (4_PE:1), ({count // 2}:1, 2_W:1))")
        guesses = (
            (tr("zeros are replaced too; only what is less than 0 should be"), np.where(seen > 0, seen, other)),
            (tr("the other way round: negative numbers stay, the rest is replaced"), np.where(seen <= 0, seen, other)),
            (tr("the other way round: negative numbers stay, the rest is replaced"), np.where(seen < 0, seen, other)),
            (tr("all is x: nothing is replaced"), seen),
            (tr("all is `value`: what is not negative should be x"), np.full_like(seen, other)),
        )  # fmt: skip
        right = np.where(seen >= 0, seen, other)
        output = Output("y", place, _bits(right), "element-wise", layout, guesses=guesses)
        name = _name(tr("{count} words", count), given, counted)
        inputs = (Given("x", Words("LM0", x + where, every), _bits(numbers)),)
        yield _trial(AssemblyCase(name, inputs, (output,), 4 + 3 * count // 8, counted=counted), given, passed)


def _bits(numbers: Array) -> NDArray[np.uint32]:
    return np.ascontiguousarray(numbers, np.float32).view(np.uint32)


# --- 4.5 -------------------------------------------------------------------------------------------------------------

_SUMS = ((0, 0, 8), (0, 0, 32), (4, 1228, 16), (2052, 12, 24))  # x, y, count; of the first two the cost counts


def _sum_pes(rng: np.random.Generator) -> Iterator[Trial]:
    passed: list[str] = []
    (x, y), (count,) = _drawn(rng, 4, 500, 2), _drawn(rng, 8, 4)
    drawn = (x, y, count)
    for number, (x, y, count) in enumerate((*_SUMS, drawn)):
        counted = number < 2
        given: Values = {"x": x, "y": y, "count": count}
        numbers = rng.standard_normal((*TREE, count)).astype(np.float32)
        where, every = _everywhere(count)
        layout = Layout.parse(f"((8_L2B:1), (8_L1B:1), (16_MAB:1), (4_PE:1), ({count // 2}:1, 2_W:1))")
        exact, sizes = (
            a.astype(np.float64).sum((2, 3), keepdims=True) + np.zeros_like(a) for a in (numbers, np.abs(numbers))
        )
        output = Output(
            "y", Words("LM1", y + where, every), _bits(exact), "sum", layout, exact, SUM_ERROR * sizes,
            _partial_sums(numbers.astype(np.float64)),
        )  # fmt: skip
        name = _name(tr("{count} words", count), given, counted)
        inputs = (Given("x", Words("LM0", x + where, every), _bits(numbers)),)
        yield _trial(AssemblyCase(name, inputs, (output,), 2 + 7 * count // 8, counted=counted), given, passed)


def _partial_sums(n: Array) -> tuple[tuple[str, Array], ...]:
    """Sums over other PEs than asked for, [L2B, L1B, MAB, PE, word] as n."""
    mabs = n.sum(2, keepdims=True) + np.zeros_like(n)
    up, across = np.roll(mabs, -1, 3), np.roll(mabs, -2, 3)
    return (
        (tr("y is x: nothing is added"), n),
        (tr("only PEs with the same number are added, over the 16 MABs; the 4 PEs of a MAB are not"), mabs),
        (tr("only the 4 PEs of each MAB are added; the 16 MABs are not"), n.sum(3, keepdims=True) + np.zeros_like(n)),
        (
            tr("only the 4 PEs of MAB 0 are added; the 16 MABs are not"),
            n[:, :, :1].sum(3, keepdims=True) + np.zeros_like(n),
        ),
        (tr("only two of the four PEs of a MAB are added"), mabs + up),
        (tr("only two of the four PEs of a MAB are added"), mabs + across),
        (tr("two of the four PEs of a MAB are added twice, two are missing"), 2 * (mabs + up)),
        (tr("one of the four PEs of a MAB is added twice and one is missing"), mabs + 2 * up + across),
    )


TRIALS: dict[str, Trials] = {"4.2": _first_moves, "4.3": _place_nops, "4.4": _replace_negative, "4.5": _sum_pes}

WRONG: dict[str, Wrong] = {
    "4.2": (
        ("$llm{x + at // 2}v", "$llm{at // 2}v"),  # hard-coded address
        ("@{group}.0 $d{target}@{group}", "@0.0 $d{target}@0"),  # hard-coded group
        ('    yield "nop/2"\n', ""),  # reads too early
        ("$llb{256 + at}", "$llb{at}"),  # wrong rows: sends up what stands elsewhere
        ("l1bmm@0", "l1bmm@1"),  # another MAB
        ("{y + at // 2}v", "{y + at // 4}v"),  # wrong rows
        ("range(0, count, 32)", "range(0, 64, 32)"),  # right for 64 only
        (
            '(0, count, 32):\n        yield f"l1bmm $llb',
            '(0, count + 32, 32):\n        yield f"l1bmm $llb',
        ),  # a block too many
        ('f"mvp/n{count} $lc256', 'f"mvp/n{count + 64} $lc256'),  # too much of DRAM
    ),
    "4.3": (
        ("if len(square) == 1", "if False"),  # reads too early
        ('yield "nop/2"  # LM1', 'yield "nop"  # LM1'),  # reads too early
        ("    yield from constant\n", ""),  # a line is missing
        ("yield from square\n", "yield from reversed(square)\n"),  # another order
        ('yield "nop/2"  # LM1', 'yield "nop/9"  # LM1'),  # far too many
    ),
    "4.4": (
        ("$lm{x + at}v $ls", "$lm{at}v $ls"),  # hard-coded address
        ('i"{mab}"', 'i"0"'),  # hard-coded unit
        ("$ln{y + at}v/$imr1", "$ln{y + at}v"),  # every MAB
        ("fvpassa $lm{x + at}v $omr2", "fvpassa -$lm{x + at}v $omr2"),  # the other way round
        ("$ls{at}v/$imr2", "$ls{at}v"),  # right for non-negative input only
        (" ; fvpassa $lm{x + at}v $omr2", ""),  # a mask that nobody wrote
        ('    yield f\'imm i"{mab}" $nowrite\'\n    yield "ixor', '    yield "ixor'),  # another number
    ),
    "4.5": (
        ("$ln{y + at}v", "$ln{at}v"),  # hard-coded address
        ('    yield "nop/2"\n', ""),  # reads too early
        ('        yield "msr $aluf $nowrite"\n', ""),  # one neighbour twice
        ("l1bmrffadd", "l1bmm@0"),  # one MAB only
        ("range(0, count, 8)", "range(0, 8, 8)"),  # right for 8 words only
        ("$lb{2 * at}", "$lb0"),  # every block the last one
    ),
}
