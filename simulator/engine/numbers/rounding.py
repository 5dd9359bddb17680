"""Rounding an exact sum once, for sums that no single float64 or int64 holds (isa.md, section 11.2).

Three ways, by the size of what is summed: two float64 numbers, one int64 with a scale, and Python integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from simulator.engine.numbers.formats import DOUBLE, Bits, Floats, Format, round_float64

Integers = npt.NDArray[np.int64]
BigIntegers = npt.NDArray[Any]  # dtype object: Python integers


def round_sum(x: Floats, y: Floats, fmt: Format) -> Bits:
    """x + y, exact, rounded once to half or single and normalised.

    The float64 sum lies on the same side of every rounding boundary of the narrower format as the exact one, unless it
    falls on the boundary itself; only there the error of the addition decides, and moves the sum off the boundary.
    """
    total = np.asarray(x + y)
    shift = DOUBLE.fraction_bits - fmt.fraction_bits
    pattern = total.view(np.int64)
    boundary = (pattern & ((1 << shift) - 1)) == 1 << (shift - 1)
    if boundary.any():
        sums, a, b = (np.broadcast_to(term, total.shape)[boundary] for term in (total, x, y))
        part = sums - a
        error = (a - (sums - part)) + (b - part)  # Knuth's two-sum: exact
        pattern[boundary] += (np.sign(error) * np.sign(sums)).astype(np.int64)
    return round_float64(total, fmt)


def shift_right(values: Integers, amount: npt.NDArray[Any] | int) -> Integers:
    """Non-negative values (below 2^60) divided by 2^amount, rounded to nearest even; amount is 0 to 62."""
    half = (np.int64(1) << np.asarray(amount, np.int64)) >> 1
    odd = (values >> amount) & 1
    return (values + np.where(half > 0, half - 1 + odd, 0)) >> amount


def round_integers(values: Integers, exponent: Integers, fmt: Format) -> Bits:
    """values * 2^exponent (|values| < 2^60) rounded once to the format and normalised."""
    magnitude = np.abs(values)
    length = np.frexp(magnitude.astype(np.float64))[1].astype(np.int64)
    length -= (magnitude >> np.maximum(length - 1, 0)) == 0  # float64 had rounded up to the next power of two
    surplus = length - (fmt.fraction_bits + 1)
    rounded = shift_right(magnitude, np.maximum(surplus, 0)) << np.maximum(-surplus, 0)
    carry = rounded >> (fmt.fraction_bits + 1)
    field = exponent + surplus + carry + (fmt.fraction_bits + fmt.bias)
    fraction = (rounded >> carry) & (fmt.hidden - 1)
    pattern = np.where(field >= fmt.exponent_ones, fmt.infinity, (field << fmt.fraction_bits) | fraction)
    signs = (values < 0).astype(fmt.dtype) << (fmt.width - 1)
    zero = (field <= 0) | (values == 0)
    return np.where(zero, np.array(0, fmt.dtype), pattern.astype(fmt.dtype) | signs)


def round_big_integers(values: BigIntegers, exponent: int, fmt: Format) -> Bits:
    """values * 2^exponent rounded once to the format and normalised; values are Python integers of any size."""

    def round_one(value: int) -> int:
        magnitude = abs(value)
        surplus = magnitude.bit_length() - (fmt.fraction_bits + 1)
        if surplus > 0:
            magnitude = (magnitude + (1 << (surplus - 1)) - 1 + ((magnitude >> surplus) & 1)) >> surplus
        else:
            magnitude <<= -surplus
        # The hidden bit, or the carry out of rounding, adds its one (or two) to the exponent field.
        pattern = magnitude + ((exponent + surplus + fmt.fraction_bits + fmt.bias - 1) << fmt.fraction_bits)
        if value == 0 or pattern < fmt.hidden:
            return 0
        return min(pattern, fmt.infinity) | (fmt.sign if value < 0 else 0)

    return np.asarray(np.frompyfunc(round_one, 1, 1)(values)).astype(fmt.dtype)
