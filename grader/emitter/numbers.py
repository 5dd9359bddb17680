"""Numbers of answers: what only looks like one, such as a text of digits, is told."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.emitter.loading import AnswerError
from simulator.messages import tr


def number(found: Any) -> float:
    """A real number, or an array of no axes. Raises AnswerError for anything else, such as text."""
    found = found.item() if isinstance(found, np.ndarray) and found.ndim == 0 else found
    if not isinstance(found, Real | np.bool_):
        raise AnswerError(tr("a number is needed, received {found}", repr(found)[:80]))
    return float(found)


def numbers(found: Iterable[Any]) -> NDArray[np.float64]:
    """Real numbers, [n]. Raises AnswerError."""
    return np.array([number(each) for each in found], np.float64)


def whole_numbers(found: Iterable[Any]) -> NDArray[np.int64]:
    """Whole numbers, [n]. Raises AnswerError."""
    items = list(found)
    for each in items:
        if not isinstance(each, Integral) or isinstance(each, bool):
            raise AnswerError(tr("a whole number is needed, received {found}", repr(each)[:80]))
    return np.array(items, np.int64)
