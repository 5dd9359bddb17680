"""Which elements of its inputs an element of a kernel's result depends on, or should, and how that is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.rigs.kernel_cases import Case
from simulator.messages import tr

Array = NDArray[Any]
Marks = NDArray[np.bool_]

MOST_NAMED = 4  # single elements that are listed
ROWS, COLUMNS = 8, 32  # of a picture made of characters


@dataclass(frozen=True, eq=False)
class Dependence:
    """What moves one element of a result. index: of that element. operands: by name, in the operator's order."""

    index: tuple[int, ...]
    operands: tuple[Moves, ...]

    @property
    def wrong(self) -> tuple[Moves, ...]:
        """The operands of which other elements count than should."""
        return tuple(moves for moves in self.operands if moves.missing.any() or moves.extra.any() or moves.more)

    @property
    def text(self) -> str:
        """`out[1] depends on in1[0, 8:16], should be in1[1, 0:8]`, a line per operand that is wrong."""
        return "\n".join(moves.told(f"out{place(self.index)}") for moves in self.wrong)

    @property
    def picture(self) -> str:
        """The first operand that is wrong, drawn with characters."""
        return self.wrong[0].picture(f"out{place(self.index)}") if self.wrong else ""


@dataclass(frozen=True, eq=False)
class Moves:
    """What of an operand counts, and what should.

    unknown: elements of which that is not known. more: some of those that should not count do.
    """

    name: str
    counts: Marks
    should: Marks
    unknown: Marks
    more: bool = False

    @property
    def missing(self) -> Marks:
        """What should count and does not."""
        return self.should & ~self.counts & ~self.unknown

    @property
    def extra(self) -> Marks:
        """What counts and should not."""
        return self.counts & ~self.should

    def told(self, out: str) -> str:
        """`out[1] depends on in1[0, 8:16], should be in1[1, 0:8]`. out: the element of the result."""
        should = elements(self.name, self.should)
        if not self.unknown.any() and _is_product(self.counts):
            if not self.counts.any():
                return tr("{out} does not depend on {name}, should depend on {should}", out, self.name, should)
            return tr("{out} depends on {name}, should be {should}", out, elements(self.name, self.counts), should)
        missing, extra = elements(self.name, self.missing), elements(self.name, self.extra)
        if self.more and not extra:
            extra = tr("some of {some}", elements(self.name, self.unknown & ~self.should))
        if missing and extra:
            return tr(
                "{out} does not depend on {missing} but depends on {extra}, should depend on {should}",
                out,
                missing,
                extra,
                should,
            )
        if missing:
            return tr("{out} does not depend on {missing}, should depend on {should}", out, missing, should)
        return tr("{out} depends on {extra}, should depend on {should}", out, extra, should)

    def picture(self, of: str) -> str:
        """The rows of the operand where something counts or should; of: the element of the result."""
        marks = np.where(self.counts, np.where(self.should, 2, 1), np.where(self.should, 3, 0))
        matrix = marks.reshape(-1, marks.shape[-1]) if marks.ndim > 1 else marks[None]
        rows = np.flatnonzero(matrix.any(axis=1))
        shape = "x".join(map(str, marks.shape))
        lines = [
            tr(
                "{name} {shape}, what {of} depends on (# rightly, + wrongly, - should and does not, . neither):",
                self.name,
                shape,
                of,
            )
        ]
        for row in rows[:ROWS].tolist():
            parts = np.array_split(matrix[row], min(COLUMNS, matrix.shape[1]))
            drawn = "".join(".+#-"[_strongest(part)] for part in parts)
            lines.append(f"  {f'row {row}: ' if marks.ndim > 1 else ''}{drawn}")
        return "\n".join([*lines, *([tr("  and {value} rows more", len(rows) - ROWS)] if len(rows) > ROWS else [])])


def _strongest(part: Array) -> int:
    """One mark for several elements: what is wrong before what is right."""
    return next((mark for mark in (1, 3, 2) if (part == mark).any()), 0)


def elements(name: str, marks: Marks) -> str:
    """`in1[0, 8:16]`; elements that are no such product are listed, or counted where they are too many."""
    where = np.argwhere(marks)
    if len(where) and _is_product(marks):
        axes = (np.unique(column) for column in where.T)
        return f"{name}[{', '.join(_span(axis, size) for axis, size in zip(axes, marks.shape, strict=True))}]"
    if too_many(marks):
        count, first, last = len(where), place(where[0]), place(where[-1])
        return tr("{where} elements of {name}, from {name}{where2} to {name}{where3}", count, name, first, last)
    return ", ".join(f"{name}{place(index)}" for index in where)


def too_many(marks: Marks) -> bool:
    """Whether `elements` counts them."""
    count = int(marks.sum())
    return count > MOST_NAMED and not _is_product(marks)


def _is_product(marks: Marks) -> bool:
    """Whether the elements are all those with certain numbers in each axis, few enough numbers to be said."""
    where = np.argwhere(marks)
    axes = [np.unique(column) for column in where.T]
    full = len(where) == prod(len(axis) for axis in axes)
    return full and all(len(axis) <= 2 * MOST_NAMED or np.ptp(np.diff(axis)) == 0 for axis in axes)


def _span(numbers: Array, size: int) -> str:
    """`3`, `8:16`, `0:16:2`, `{0, 3}`."""
    first, last = int(numbers[0]), int(numbers[-1])
    steps = np.unique(np.diff(numbers))
    if len(numbers) == 1:
        return str(first)
    if len(steps) == 1 and (len(numbers) > 2 or steps[0] == 1):
        step = int(steps[0])
        return f"{first}:{last + 1}" if step == 1 else f"{first}:{min(last + step, size)}:{step}"
    return f"{{{', '.join(map(str, numbers.tolist()))}}}"


def place(index: Iterable[Any]) -> str:
    """`[0, 8]`."""
    return f"[{', '.join(str(int(number)) for number in index)}]"


def inputs_behind(case: Case, index: tuple[int, ...]) -> tuple[Marks, ...]:
    """Which elements of each input an element of the right result depends on."""
    found = []
    for number, array in enumerate(case.arrays):
        marks = np.zeros(array.shape, np.bool_)
        marks[factor_of(case, number, index)] = True
        found.append(marks)
    return tuple(found)


def factor_of(case: Case, number: int, index: tuple[int, ...]) -> tuple[int | slice, ...]:
    """Where in input `number` the elements are that an element of the right result depends on, as an index."""
    row, every = case.row, slice(None)
    if row.op == "Gemm":  # the axis that is summed is the second of the left factor, the first of the right one
        turned = row.variant == ("transA", "transB")[number]
        kept = index[number]
        return (kept, every) if (number == 0) != turned else (every, kept)
    if row.op in ("ReduceMax", "ReduceSum"):
        return (every, index[0]) if row.variant == "columns" else (index[0], every)
    if row.op == "OneHot":
        return index[:1]
    if case.arrays[number].ndim == len(index):
        return index
    return index[:1] if row.variant == "rows" else index[-1:]


def partner_of(case: Case, number: int, index: tuple[int, ...], element: tuple[int, ...]) -> tuple[int, ...]:
    """The element of a Gemm's other factor by which this one of factor `number` is multiplied in result `index`."""
    summed = element[factor_of(case, number, index).index(slice(None))]
    return tuple(summed if isinstance(at, slice) else at for at in factor_of(case, 1 - number, index))
