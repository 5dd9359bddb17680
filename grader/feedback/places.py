"""Right values in the wrong place: which element of the right result stands where another belongs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.feedback.causes import OFF_BY_ONE, TRANSPOSED, WRONG_COLUMNS, WRONG_PLACE, WRONG_ROWS
from haribote.layout import Layout
from simulator.messages import tr

Array = NDArray[Any]
Ints = NDArray[np.int64]

MOST = 0.9  # share of the values found elsewhere that one rule must account for
MOST_SHIFTED = 0.7  # the same for neighbours: at the ends of a unit something else may stand
NEAR = 2.0**-18  # relative; the kernel rounds where the right result does not
FEWEST = 4  # values found elsewhere: fewer may be there by chance


def misplaced(expected: Array, received: Array, wrong: Array, layout: Layout) -> tuple[str, str] | None:
    """A cause and what was seen, where the wrong elements hold what belongs elsewhere."""
    here, there, absent = _found(expected, received, wrong)
    if len(here) < FEWEST or absent > (1 - MOST) * (len(here) + absent) or len(here) < wrong.sum() / 10:
        return None
    at = np.stack(np.unravel_index(here, expected.shape), axis=1)
    source = np.stack(np.unravel_index(there, expected.shape), axis=1)
    count = int(wrong.sum())
    for axis, step, level in _digits(layout):
        for sign in (1, -1):
            shift = np.zeros(expected.ndim, np.int64)
            shift[axis] = sign * step
            near = (source == at + shift).all(axis=1)
            if near.mean() > MOST_SHIFTED:
                way = tr("further on") if sign > 0 else tr("back")
                some = int(near.sum())
                return OFF_BY_ONE, tr(
                    "{some} of the {count} wrong elements hold what belongs {step} {way} along axis {axis}: "
                    "that is one {level} off",
                    some,
                    count,
                    step,
                    way,
                    axis,
                    level,
                )
    cause, words = _rule(at, source)
    return cause, tr(
        "{here} of the {count} wrong elements hold what belongs {words}: at {tolist} stands what belongs at {tolist2}",
        here=len(here),
        count=count,
        words=words,
        tolist=at[0].tolist(),
        tolist2=source[0].tolist(),
    )


def _rule(at: Ints, source: Ints) -> tuple[str, str]:
    """How the places of these elements and of what they hold belong together."""
    rest = (at[:, 1:] == source[:, 1:]).all(axis=1)
    if at.shape[1] > 1 and rest.mean() > MOST and _follows(at[rest, 0], source[rest, 0]):
        return WRONG_ROWS, tr("in another row")
    if at.shape[1] == 2:
        same_row = at[:, 0] == source[:, 0]
        if same_row.mean() > MOST and _follows(at[same_row, 1], source[same_row, 1]):
            return WRONG_COLUMNS, tr("in another column")
        if (at == source[:, ::-1]).all(axis=1).mean() > MOST:
            return TRANSPOSED, tr("in the transposed place")
    return WRONG_PLACE, tr("elsewhere")


def _follows(numbers: Ints, sources: Ints) -> bool:
    """Whether each number has one source."""
    pairs = np.unique(np.stack([numbers, sources]), axis=1)
    return bool(len(np.unique(pairs[0])) >= MOST * pairs.shape[1])


def _found(expected: Array, received: Array, wrong: Array) -> tuple[Ints, Ints, int]:
    """Wrong elements whose value belongs to exactly one other place, those places, and how many belong nowhere.

    A value that belongs to several places, such as 0, says nothing.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        flat = expected.astype(received.dtype).reshape(-1)
        order = np.argsort(flat, kind="stable")
        here = np.flatnonzero(wrong.reshape(-1))
        values = received.reshape(-1)[here]
        slack = np.abs(values) * NEAR if values.dtype.kind == "f" else np.zeros_like(values)
        first = np.searchsorted(flat[order], values - slack, "left")
        last = np.searchsorted(flat[order], values + slack, "right")
    known = np.isfinite(values) if values.dtype.kind == "f" else np.ones(len(values), bool)
    one = (last - first == 1) & known
    return here[one], order[first[one]], int(((last == first) | ~known).sum())


def _digits(layout: Layout) -> Iterator[tuple[int, int, str]]:
    """Axis, distance between neighbours and level of every digit of a layout."""
    for axis, digits in enumerate(layout.axes):
        step = layout.shape[axis]
        for digit in digits:
            step //= digit.size
            yield axis, step, {"": tr("long word"), "W": "word"}.get(digit.level, digit.level)
