"""The likely cause of a wrong result, from where and how it is wrong, and from running the program again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from grader.feedback.bounds import bounded
from grader.feedback.causes import HARD_CODED, NEVER_WRITTEN, ONE_VALUE, PRECISION, STALE
from grader.feedback.dependence import Dependence
from grader.feedback.guesses import guessed
from grader.feedback.places import misplaced
from grader.feedback.probe import probed
from grader.rigs.kernel_cases import Case
from grader.rigs.kernel_run import result_of
from grader.rigs.poisoned import OTHER_POISON
from haribote.kernel import Op
from haribote.layout import Layout, layout_of
from simulator import ExecutionError
from simulator.isa.program import Program
from simulator.messages import tr

Array = NDArray[Any]
Marks = NDArray[np.bool_]
Explained = tuple[str, str, Dependence | None]
"""A cause of CAUSES (or ""), what was seen, and what an element depends on."""

MOST = 0.9  # share of the wrong elements that an explanation must account for
MOST_BESIDE = 0.5  # of the wrong elements: where more are wrong for another reason, that is told first
COARSE = 2.0**-5  # relative to the result: a smaller error is one of precision
COARSE_SUM = 2.0**-10  # relative to the largest result, since terms cancel
SUMS = ("Gemm", "ReduceSum")

Kind = Literal["transfer", "sum", "element-wise"]


@dataclass(frozen=True, eq=False)
class Finding:
    """A kernel's result that is not right. expected, received: numbers, or bits where the contract is about bits.

    home: a case of the same row at the problem set's addresses that passed, and its program.
    """

    case: Case
    program: Program
    expected: Array
    received: Array
    wrong: Marks
    home: tuple[Case, Program] | None = None

    @property
    def seen(self) -> Seen:
        """What of it tells the cause."""
        op = self.case.row.op
        return Seen(
            self.expected, self.received, self.wrong,
            {operand.name: array for operand, array in zip(self.case.op.inputs, self.case.arrays, strict=True)},
            layout_of(self.case.row.output),
            "transfer" if op in ("DL", "UL") else "sum" if op in SUMS else "element-wise",
            lambda: result_of(self.case, self.program, OTHER_POISON),
            self._untouched,
        )  # fmt: skip

    def _untouched(self) -> Marks:
        """The elements of the output that still hold what was there before: marks, each a number of its own."""
        case, output = self.case, self.case.op.output
        op = Op(case.op.kind, (*case.op.inputs, output), output, case.op.attributes)
        before = marks(output.shape)
        after = result_of(replace(case, op=op, arrays=(*case.arrays, before.view(output.dtype))), self.program)
        return np.asarray(np.ascontiguousarray(after).view(np.uint32) == before)

    def right_at_home(self) -> bool:
        """Whether the same values give the right result at the problem set's addresses."""
        if not self.case.moved or self.home is None:
            return False
        home, program = self.home
        case = replace(home, arrays=self.case.arrays)
        try:
            received = result_of(case, program)
        except ExecutionError:
            return False
        return not case.wrong(received).any()


@dataclass(frozen=True, eq=False)
class Seen:
    """A result that is not right, of a kernel or of other assembly; expected and received as in `Finding`.

    inputs: by name. layout: of the result, which tells what is next to what. again: the result with OTHER_POISON in
    place of POISON. untouched: which elements the program never wrote.
    """

    expected: Array
    received: Array
    wrong: Marks
    inputs: dict[str, Array]
    layout: Layout
    kind: Kind
    again: Callable[[], Array]
    untouched: Callable[[], Marks]


def marks(shape: tuple[int, ...]) -> NDArray[np.uint32]:
    """Words of which each has bits of its own, ordinary numbers as singles."""
    count = np.arange(int(np.prod(shape)), dtype=np.uint32)
    return (np.uint32(0x3F9ABCDE) ^ count * np.uint32(5)).reshape(shape)


def diagnose(finding: Finding) -> Explained:
    """Why a kernel is wrong, for which its program may be run some dozens of times more."""
    seen = finding.seen
    if finding.right_at_home():
        words = tr("the same values give the right result at the problem set's addresses")
        found = None if unwritten(seen) else _by_value(seen) or _guessed(finding)
        return _plain(found or (HARD_CODED, tr("wrong with the operands here, while {words}", words)))
    untouched, by_chance = _unwritten(seen)
    if not (untouched | by_chance).any():
        return _of_values(finding, seen) or _plain(_unknown(seen))
    found, rest = _told_unwritten(untouched, by_chance), seen.wrong & ~untouched & ~by_chance
    beside = seen.kind != "transfer" and rest.sum() > MOST_BESIDE * seen.wrong.sum()
    if beside:  # then it is only a part of what is wrong
        other = replace(finding, wrong=rest)
        explained = _of_values(other, other.seen)
        if explained:
            cause, words, depends = explained
            return cause, tr("{words}\nbeside that, {found}", words, found[1]), depends
    return _plain(found)


def _of_values(finding: Finding, seen: Seen) -> Explained | None:
    """What the values tell, or a probe."""
    constant = None if finding.home else _one_value(seen)  # where a case has passed, values decide
    found = constant or _by_value(seen) or _guessed(finding) or _misplaced(seen)
    if found or seen.kind == "transfer":
        return _plain(found) if found else None
    return probed(finding.case, finding.program, finding.wrong)


def diagnose_assembly(seen: Seen, moved: bool) -> tuple[str, str]:
    """Why other assembly is wrong. moved: cases at the first addresses were right, this one has others."""
    if moved:
        _, what = unwritten(seen) or _unknown(seen)
        return HARD_CODED, tr("{what}; the first case, with other addresses and numbers, is right", what)
    return unwritten(seen) or _by_value(seen) or _misplaced(seen) or _unknown(seen)


def _guessed(finding: Finding) -> tuple[str, str] | None:
    if finding.case.row.op in ("DL", "UL"):
        return None
    return guessed(finding.case, finding.expected, finding.received, finding.wrong)


def _misplaced(seen: Seen) -> tuple[str, str] | None:
    return misplaced(seen.expected, seen.received, seen.wrong, seen.layout)


def _one_value(seen: Seen) -> tuple[str, str] | None:
    """All elements are the same number, though they should not be."""
    value = seen.received.flat[0]
    if seen.kind == "transfer" or (seen.received != value).any() or (seen.expected == seen.expected.flat[0]).all():
        return None
    return ONE_VALUE, tr("every element is {value:.6g}", value)


def _by_value(seen: Seen) -> tuple[str, str] | None:
    """Of numbers: whether they are near what is right, or wrong for some inputs only."""
    if seen.kind == "transfer":
        return None
    return _imprecise(seen) or bounded(seen.inputs, seen.expected, seen.wrong)


def _plain(found: tuple[str, str]) -> Explained:
    return (*found, None)


def _unknown(seen: Seen) -> tuple[str, str]:
    text = tr("{sum} of {size} elements are wrong", int(seen.wrong.sum()), seen.wrong.size)
    if seen.kind == "transfer":
        return "", text
    odd = int((seen.wrong & ~np.isfinite(seen.received)).sum())
    return "", tr("{text}, {odd} of them infinite or not a number", text, odd) if odd else text


def unwritten(seen: Seen) -> tuple[str, str] | None:
    """Wrong elements that the program never writes, or that change with what was there before."""
    untouched, by_chance = _unwritten(seen)
    return _told_unwritten(untouched, by_chance) if (untouched | by_chance).any() else None


def _unwritten(seen: Seen) -> tuple[Marks, Marks]:
    """Wrong elements that the program never writes, and those that change with what was there before."""
    untouched = seen.untouched() & seen.wrong
    if untouched.any():
        return untouched, np.zeros_like(untouched)
    bits, other = (np.ascontiguousarray(array).view(np.uint32) for array in (seen.received, seen.again()))
    return untouched, (bits != other) & seen.wrong


def _told_unwritten(untouched: Marks, by_chance: Marks) -> tuple[str, str]:
    if untouched.any():
        return NEVER_WRITTEN, tr("{sum} elements of the output are never written", int(untouched.sum()))
    return STALE, tr("{sum} wrong elements depend on words that were never written", int(by_chance.sum()))


def _imprecise(seen: Seen) -> tuple[str, str] | None:
    """Near, but not near enough."""
    with np.errstate(invalid="ignore"):
        error = np.abs(seen.received.astype(np.float64) - seen.expected)[seen.wrong]
    sizes = np.abs(seen.expected)
    most = COARSE_SUM * sizes.max(initial=0) if seen.kind == "sum" else COARSE * sizes[seen.wrong]
    if np.isfinite(error).all() and (error <= most).mean() > MOST:
        return PRECISION, tr("the largest error is {max:.3g}, of results up to {max2:.3g}", error.max(), sizes.max())
    return None
