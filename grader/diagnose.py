"""The likely cause of a wrong result, from where and how it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from grader.causes import HARD_CODED, NEGATIVE, NEVER_WRITTEN, OFF_BY_ONE, PRECISION, STALE, WRONG_ROWS
from grader.kernel_cases import Case
from grader.kernel_run import OTHER_POISON, POISON, run_case
from haribote.layout import LAYOUTS, Layout
from simulator.program import Program

Array = NDArray[Any]
Marks = NDArray[np.bool_]

MOST = 0.9  # share of the wrong elements that an explanation must account for
MOST_SHIFTED = 0.7  # of those whose neighbour exists; at the ends of a unit something else may stand
COARSE = 2.0**-7  # relative to the result: a smaller error is one of precision
SUMS = ("Gemm", "ReduceSum")  # here relative to the largest result, since terms cancel


Kind = Literal["transfer", "sum", "element-wise"]


@dataclass(frozen=True, eq=False)
class Finding:
    """A kernel's result that is not right. expected, received: numbers, or bits where the contract is about bits."""

    case: Case
    program: Program
    expected: Array
    received: Array
    wrong: Marks
    others_passed: bool

    @property
    def seen(self) -> Seen:
        """What of it tells the cause."""
        op = self.case.row.op
        return Seen(
            self.expected, self.received, self.wrong, self.case.arrays, LAYOUTS[self.case.row.output],
            "transfer" if op in ("DL", "UL") else "sum" if op in SUMS else "element-wise",
            lambda: run_case(self.case, self.program, OTHER_POISON).output,
            self.case.moved, self.others_passed, "the problem set's addresses",
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Seen:
    """A result that is not right, of a kernel or of other assembly; expected and received as in `Finding`.

    layout: of the result, which tells what is next to what. again: the result with OTHER_POISON in place of POISON.
    moved: the case has other addresses than those before, at which others_passed; home: how those are called.
    """

    expected: Array
    received: Array
    wrong: Marks
    inputs: tuple[Array, ...]
    layout: Layout
    kind: Kind
    again: Callable[[], Array]
    moved: bool
    others_passed: bool
    home: str

    @property
    def bits(self) -> Array:
        """What was received, as 32-bit words."""
        return np.ascontiguousarray(self.received).view(np.uint32)

    @property
    def rounded(self) -> Array:
        """What was expected, as the machine would hold it."""
        with np.errstate(over="ignore"):
            return self.expected.astype(self.received.dtype)


def diagnose(finding: Finding | Seen) -> tuple[str, str]:
    """A cause of CAUSES (or "") and what was seen."""
    seen = finding.seen if isinstance(finding, Finding) else finding
    for look in (_unwritten, _moved, _shifted, _rows, _imprecise, _negative):
        found = look(seen)
        if found:
            return found
    return "", "the values are wrong"


def _share(marks: Marks, of: Marks) -> float:
    return float((marks & of).sum() / max(1, of.sum()))


def _unwritten(f: Seen) -> tuple[str, str] | None:
    """Elements that still hold POISON, or that change with it."""
    other_bits = np.ascontiguousarray(f.again()).view(np.uint32)
    untouched = (f.bits == POISON) & (other_bits == OTHER_POISON)
    depends = f.bits != other_bits
    if f.others_passed and f.moved and (untouched | depends)[f.wrong].any():
        elsewhere = "with the operands elsewhere, words are used that were not given"
        return HARD_CODED, f"{elsewhere}; with the operands at {f.home} it is right"
    count = int((untouched & f.wrong).sum())
    if count:
        return NEVER_WRITTEN, f"{count} elements of the output are never written"
    if (depends & f.wrong).any():
        return STALE, f"{int((depends & f.wrong).sum())} elements depend on words that were never written"
    return None


def _moved(f: Seen) -> tuple[str, str] | None:
    if f.moved and f.others_passed:
        return HARD_CODED, f"at {f.home} it is right, with the operands elsewhere it is not"
    return None


def _shifted(f: Seen) -> tuple[str, str] | None:
    """Every wrong element holds what belongs one unit further on, or one unit back."""
    for axis, step, level in _digits(f.layout):
        for sign in (1, -1):
            here, there = _overlap(f.expected.shape, axis, sign * step)
            wrong, values = f.wrong[here], f.rounded[there]
            if (
                wrong.any()
                and wrong.sum() >= MOST * f.wrong.sum() / 2
                and _share(f.received[here] == values, wrong) > MOST_SHIFTED
            ):
                unit = level or "long word"
                where = f"{step} {'further on' if sign > 0 else 'back'} along axis {axis}"
                return OFF_BY_ONE, f"elements hold what belongs {where}: that is one {unit} off"
    return None


def _digits(layout: Layout) -> Iterator[tuple[int, int, str]]:
    """Axis, distance between neighbours and level of every digit of a layout."""
    for axis, digits in enumerate(layout.axes):
        step = layout.shape[axis]
        for digit in digits:
            step //= digit.size
            yield axis, step, {"": "long word", "W": "word"}.get(digit.level, digit.level)


def _overlap(shape: tuple[int, ...], axis: int, step: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Where an element and its neighbour at this distance both exist."""
    size = shape[axis]
    low, high = slice(0, size - abs(step)), slice(abs(step), size)
    here, there = (low, high) if step > 0 else (high, low)
    before, after = (slice(None),) * axis, (slice(None),) * (len(shape) - axis - 1)
    return (*before, here, *after), (*before, there, *after)


def _rows(f: Seen) -> tuple[str, str] | None:
    """Wrong rows are other rows of the right result."""
    expected = f.rounded.reshape(len(f.expected), -1)
    received = f.received.reshape(expected.shape)
    places = {row.tobytes(): number for number, row in enumerate(np.ascontiguousarray(expected))}
    rows = np.flatnonzero(f.wrong.reshape(expected.shape).any(axis=1))
    found = {int(row): places.get(np.ascontiguousarray(received[row]).tobytes()) for row in rows}
    known = {row: place for row, place in found.items() if place is not None}
    if len(places) < 2 or len(known) < max(1, MOST * len(rows)):
        return None
    row, place = next(iter(known.items()))
    return (
        WRONG_ROWS,
        f"{len(known)} rows are right but in the wrong place: row {row} holds what belongs in row {place}",
    )


def _negative(f: Seen) -> tuple[str, str] | None:
    """Wrong only where an input is negative, and right everywhere else."""
    inputs = [array for array in f.inputs if array.shape == f.wrong.shape]
    if not inputs or f.kind == "transfer":
        return None
    negative = np.any([array < 0 for array in inputs], axis=0)
    if f.wrong.any() and not (f.wrong & ~negative).any() and (~negative).any():
        return NEGATIVE, "wrong only where an input is negative"
    return None


def _imprecise(f: Seen) -> tuple[str, str] | None:
    """Near, but not near enough."""
    if f.kind == "transfer":
        return None
    with np.errstate(invalid="ignore"):
        error = np.abs(f.received.astype(np.float64) - f.expected)[f.wrong]
    sizes = np.abs(f.expected)
    scale = sizes.max(initial=0) if f.kind == "sum" else sizes[f.wrong]
    if np.isfinite(error).all() and (error <= COARSE * scale).mean() > MOST:
        return PRECISION, f"the largest error is {error.max():.3g}, of results up to {sizes.max():.3g}"
    return None
