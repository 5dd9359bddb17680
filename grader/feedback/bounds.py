"""Results that are right for some inputs and wrong for others: which ones?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.feedback.causes import LABELS, LARGE, NEGATIVE, ZERO
from simulator.messages import tr

Array = NDArray[Any]
Marks = NDArray[np.bool_]

FEWEST = 4  # elements on either side of a bound: fewer may be there by chance
LEAST = 1 / 8  # share of the elements below a bound of size: where nearly all are above it, it says nothing
MOST = 0.9  # share of the elements on the wrong side that must be wrong


def bounded(inputs: dict[str, Array], expected: Array, wrong: Marks) -> tuple[str, str] | None:
    """A cause and what was seen, where an input or the right result decides what is wrong."""
    for name, values in _quantities(inputs, expected):
        marks = np.asarray(wrong if values.shape == wrong.shape else wrong.reshape(len(values), -1).any(axis=1))
        if (~marks).sum() < FEWEST or not np.isfinite(values).all():
            continue
        for cause, side, words in _sides(values, marks):
            if marks[side].sum() > MOST * side.sum() and not marks[~side].any() and not side.all():
                return cause, tr("wrong only where {name} is {words}", name, words)
    return None


def _quantities(inputs: dict[str, Array], expected: Array) -> Iterator[tuple[str, Array]]:
    """What may decide: inputs of the result's shape, or with a number per row, and the right result itself."""
    for name, array in inputs.items():
        if array.shape == expected.shape or array.shape == expected.shape[:1]:
            yield name, array
    if np.issubdtype(expected.dtype, np.floating):
        yield tr("the right result"), expected


def _sides(values: Array, wrong: Marks) -> Iterator[tuple[str, Marks, str]]:
    """A cause, the elements that it would be about, and words for them."""
    if not wrong.any():
        return
    if values.dtype.kind == "i":
        yield LABELS, (values < 0) | (values > 15), tr("no label from 0 to 15")
        yield LABELS, values < 0, tr("negative")
        yield LABELS, values > 15, tr("above 15")
        return
    yield ZERO, values == 0, "0"
    yield NEGATIVE, values < 0, tr("negative")
    yield NEGATIVE, values <= 0, tr("negative or 0")
    for sizes, words in (
        (values, tr("{:.6g} or more")),
        (-values, tr("-{:.6g} or less")),
        (np.abs(values), tr("{:.6g} or more in size")),
    ):
        least = sizes[wrong].min()
        if least > 0 and ((sizes > 0) & ~wrong).sum() >= max(FEWEST, LEAST * (sizes > 0).sum()):
            yield LARGE, sizes >= least, words.format(least)
