"""The usual suspects for a wrong array: what a well-known mistake would have given, tried on what was received.

A suspect is named only where it explains every value, so what the sentence says was seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.feedback.causes import (
    FACTOR,
    LEFT_OUT,
    OFF_BY_ONE,
    ONE_VALUE,
    SIGN,
    SWAPPED,
    TRANSPOSED,
    WRONG_INPUTS,
    WRONG_PLACE,
)
from simulator.messages import tr

Array = NDArray[Any]
Suspect = tuple[str, str]
"""A cause, and what was seen in a sentence."""

NEAR = 1e-4  # relative to the largest value
MOST = 4096  # elements of a matrix that products are tried with


def suspect(expected: Array, received: Array, inputs: Mapping[str, Array]) -> Suspect | None:
    """The first suspect that explains what was received in place of what was expected; None where none does.

    inputs: of the case, by name.
    """
    if not expected.size or not received.size:
        return None
    with np.errstate(all="ignore"):
        right, found = expected.astype(np.float64), received.astype(np.float64)
        if right.shape != found.shape:
            return next(_of_another_shape(right, found), None)
        if not np.isfinite(found).all() or not np.isfinite(right).all():
            return None
        if right.size == 1 and expected.dtype.kind != "f":  # a number of something: any suspect would be chance
            return None
        return next(_of_this_shape(right, found, inputs), None)


def _of_another_shape(right: Array, found: Array) -> Iterator[Suspect]:
    if right.ndim == 2 and found.shape == right.shape[::-1]:
        values = tr(" with the right values") if _near(right.T, found) else ""
        yield TRANSPOSED, tr("it has the shape of the transposed result{values}", values)
    elif right.size == found.size and _near(right.ravel(), found.ravel()):
        yield WRONG_PLACE, tr("the values are right, only the shape is not")
    elif right.ndim < found.ndim:
        yield LEFT_OUT, tr("it has more axes: is a sum or a mean over one of them missing?")


def _of_this_shape(right: Array, found: Array, inputs: Mapping[str, Array]) -> Iterator[Suspect]:
    if _near(-right, found):
        yield SIGN, tr("every value has the opposite sign")
    if right.ndim == 2 and right.shape[0] == right.shape[1] and _near(right.T, found):
        yield TRANSPOSED, tr("every value stands in the transposed place")
    if right.size > 1 and _near(np.full_like(right, found.flat[0]), found):
        yield ONE_VALUE, tr("every value is {flat:.6g}", found.flat[0])
    for name, array in inputs.items():
        if array.dtype.kind in "fiub" and array.shape == right.shape and _near(array.astype(np.float64), found):
            yield LEFT_OUT, tr("it is {name} itself: nothing has been done to it", name)
    yield from _moved(right, found)
    yield from _accumulated(found, inputs)
    yield from _of_two(right, found, inputs)
    yield from _of_products(found, inputs)
    yield from _scaled(right, found, inputs)
    yield from _off_by_an_input(right, found, inputs)
    yield from _changed(right, found, inputs)
    yield from _scaled_along(right, found)
    if right.size > 2 and _near(np.sort(right, axis=None), np.sort(found, axis=None)):
        yield WRONG_PLACE, tr("all values are right, but stand in other places")


def _moved(right: Array, found: Array) -> Iterator[Suspect]:
    """Along an axis: one further, or from the other end."""
    for axis in range(right.ndim):
        length = right.shape[axis]
        for step in (1, -1) if length > 1 else ():
            inner = slice(1, None) if step == 1 else slice(None, -1)
            part = (slice(None),) * axis + (inner,)
            if length > 2 and _near(np.roll(right, step, axis)[part], found[part]):
                before = tr("every value belongs one place before, on axis {axis}", axis)
                behind = tr("every value belongs one place behind, on axis {axis}", axis)
                yield OFF_BY_ONE, before if step == 1 else behind
        if length > 1 and _near(np.flip(right, axis), found):
            yield WRONG_PLACE, tr("the values are in the opposite order on axis {axis}", axis)


def _accumulated(found: Array, inputs: Mapping[str, Array]) -> Iterator[Suspect]:
    """Sums and products of all values before, along an axis of an input."""
    for name, array in inputs.items():
        if array.dtype.kind == "f" and array.shape == found.shape and found.size > 2:
            for axis in range(array.ndim):
                if _near(np.cumsum(array.astype(np.float64), axis), found):
                    yield WRONG_INPUTS, tr("it is the running sum of {name} along axis {axis}", name, axis)
                if _near(np.cumprod(array.astype(np.float64), axis), found):
                    yield WRONG_INPUTS, tr("it is the running product of {name} along axis {axis}", name, axis)


def _changed(right: Array, found: Array, inputs: Mapping[str, Array]) -> Iterator[Suspect]:
    """An input that was to be changed by something, and was changed by a multiple of it."""
    for name, array in inputs.items():
        if array.dtype.kind != "f" or array.shape != right.shape or right.size < 2:
            continue
        by = _times(right - array, found - array)
        if round(by, 3) == -1:
            yield SIGN, tr("{name} is changed by the right amount, in the wrong direction", name)
        elif round(by, 3) not in (0.0, 1.0):
            yield FACTOR, tr("{name} is changed by {by} times the right amount", name, _ratio(by))


def _of_two(right: Array, found: Array, inputs: Mapping[str, Array]) -> Iterator[Suspect]:
    """Differences and quotients of inputs the other way round."""
    arrays = {name: array.astype(np.float64) for name, array in inputs.items() if array.dtype.kind in "fiu"}
    for (one, a), (other, b) in permutations(arrays.items(), 2):
        if a.shape != b.shape or a.shape != right.shape:
            continue
        for sign, here, there in (("-", a - b, b - a), ("/", a / b, b / a)):
            if _near(there, right) and _near(here, found):
                yield SWAPPED, tr("it is {one} {sign} {other}, the operands are exchanged", one, sign, other)


def _of_products(found: Array, inputs: Mapping[str, Array]) -> Iterator[Suspect]:
    """Products of two matrices among the inputs, transposed or not."""
    given = [(name, array.astype(np.float64)) for name, array in inputs.items() if array.dtype.kind == "f"]
    matrices = [(name, array) for name, array in given if array.ndim == 2 and array.size <= MOST]
    sides = [form for name, array in matrices for form in _sides(name, array)]
    for (one, a), (other, b) in permutations(sides, 2):
        if a.shape[1] == b.shape[0] and (a.shape[0], b.shape[1]) == found.shape and _near(a @ b, found):
            yield WRONG_INPUTS, tr("it is the product {one} · {other}", one, other)


def _sides(name: str, array: Array) -> Iterator[tuple[str, Array]]:
    """A matrix as a factor: as it is, transposed, and read as if its lengths were exchanged."""
    yield name, array
    yield f"{name}ᵀ", array.T
    exchanged = array.reshape(array.shape[::-1])
    yield tr("{name} (read with its lengths exchanged)", name), exchanged
    yield tr("{name}ᵀ (read with its lengths exchanged)", name), exchanged.T


def _off_by_an_input(right: Array, found: Array, inputs: Mapping[str, Array]) -> Iterator[Suspect]:
    """The right value but for a multiple of an input, such as one that is left out, or of the wrong sign."""
    difference = found - right
    for name, array in inputs.items():
        if array.dtype.kind not in "fiu" or not array.size or array.ndim > right.ndim:
            continue
        try:
            part = np.broadcast_to(array.astype(np.float64), right.shape)
        except ValueError:
            continue
        by = _times(part, difference)
        seen = tr("every value is off by {by:.4g} times {name}: has that the right sign, the right factor?", by, name)
        if round(by, 3) == -1:
            yield LEFT_OUT, tr("what is missing is {name}: it is not added", name)
        elif by:
            yield SIGN, seen


def _scaled_along(right: Array, found: Array) -> Iterator[Suspect]:
    """Right but for a factor of each row or each column."""
    for axis, name in ((1, tr("row")), (0, tr("column"))):
        if right.ndim == 2 and right.shape[axis] > 2 and (right != 0).all():
            ratio = found / right
            if _near(np.broadcast_to(ratio.take([0], axis), ratio.shape), ratio):
                yield (
                    FACTOR,
                    tr("every {name} is right but for a factor of its own: is a division by its sum missing?", name),
                )


def _scaled(right: Array, found: Array, inputs: Mapping[str, Array]) -> Iterator[Suspect]:
    """The same factor, or the same difference, everywhere."""
    largest = int(np.argmax(np.abs(right)))
    if right.flat[largest] and found.flat[largest]:
        factor = found.flat[largest] / right.flat[largest]
        told = tr("{factor} times the right one{factor2}", _ratio(factor), _mean(factor, inputs))
        if right.size > 1 and _near(factor * right, found):
            yield FACTOR, tr("every value is {told}", told)
        elif right.size == 1 and _mean(factor, inputs):
            yield FACTOR, tr("it is {told}", told)
    difference = found - right
    by = difference.flat[0]
    if right.size > 1 and by and _near(np.full_like(difference, by), difference):
        less = tr("every value is {by:.6g} too small", abs(by))
        more = tr("every value is {by:.6g} too large", abs(by))
        yield (OFF_BY_ONE if abs(by) == 1 else LEFT_OUT), more if by > 0 else less


def _times(one: Array, other: Array) -> float:
    """How many times the one the other is everywhere; 0 where it is no multiple."""
    at = int(np.argmax(np.abs(one)))
    by = float(other.flat[at] / one.flat[at]) if one.flat[at] else 0.0
    return by if _near(by * one, other) else 0.0


def _ratio(factor: float) -> str:
    return f"{factor:.6g}" if abs(factor) >= 1 else f"1/{1 / factor:.6g}"


def _mean(factor: float, inputs: Mapping[str, Array]) -> str:
    """What to ask where the factor is a length of an input."""
    lengths = {length for array in inputs.values() for length in array.shape if length > 1}
    if round(abs(factor), 3) in lengths:
        return tr(": is a mean missing?")
    return tr(": is a mean taken twice?") if round(1 / abs(factor), 3) in lengths else ""


def _near(one: Array, other: Array) -> bool:
    if one.shape != other.shape:
        return False
    largest = max(np.abs(other).max(initial=0.0), np.abs(one).max(initial=0.0))
    return bool(np.isfinite(one).all() and (np.abs(one - other) <= NEAR * largest).all())
