"""Floating-point functions of the ALU on bit patterns (isa.md, section 10).

Where the result depends on a comparison, functions return `(result, flag)`, flag being the mask flag of the table.
"""

from __future__ import annotations

from math import isqrt
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from simulator.engine.numbers.formats import (
    Bits,
    Format,
    exponent_field,
    fraction_field,
    from_float64,
    in_order,
    to_float64,
)

Flags = npt.NDArray[np.bool_]
Scaling = Literal["lrelud", "lreluo", "ilrelud"]

RSQRT_INDEX_BITS, RSQRT_BITS = 4, 5  # of the mantissa: how many choose the entry of the table, how many it has


def maximum(x: Bits, y: Bits, fmt: Format) -> tuple[Bits, Flags]:
    """The larger of x and y, bits unchanged; equal numbers and zeros of any sign give x. Flag: x chosen or equal."""
    chosen = _order(x, fmt) >= _order(y, fmt)
    return np.where(chosen, x, y), chosen


def minimum(x: Bits, y: Bits, fmt: Format) -> tuple[Bits, Flags]:
    """The smaller of x and y, bits unchanged; equal numbers and zeros of any sign give x. Flag: x chosen or equal."""
    chosen = _order(x, fmt) <= _order(y, fmt)
    return np.where(chosen, x, y), chosen


def floor(x: Bits, fmt: Format) -> Bits:
    """Toward -inf; zero and infinity pass through unchanged."""
    exponent = exponent_field(x, fmt)
    passes = (exponent == 0) | (exponent == fmt.exponent_ones)
    return np.where(passes, x, from_float64(np.floor(to_float64(x, fmt)), fmt))


def to_integer(x: Bits, fmt: Format, unsigned: bool = False) -> Bits:
    """`ftoi`: truncate to the integer of the same width, as bits; values out of range saturate.

    unsigned: of |x|. [A] It saturates at the largest unsigned integer.
    """
    value = np.trunc(to_float64(x, fmt))
    if unsigned:
        value, low, high = np.abs(value), 0, (1 << fmt.width) - 1
        integer = np.dtype(fmt.dtype)
    else:
        low, high = -(1 << (fmt.width - 1)), (1 << (fmt.width - 1)) - 1
        integer = fmt.signed
    inside = (value > low) & (value < float(high + 1))
    limit = np.where(value > 0, np.array(high, integer), np.array(low, integer))
    return np.where(inside, np.where(inside, value, 0.0).astype(integer), limit).view(fmt.dtype)


def reciprocal_sqrt(x: Bits, fmt: Format) -> Bits:
    """1/sqrt(|x|) from the table of section 10: relative error at most 3.1 %; the flag is the complement of x's sign.

    [A] Zeros of either sign give +inf, infinities +0.
    """
    exponent = exponent_field(x, fmt).astype(np.int64) - fmt.bias
    odd = exponent & 1  # |x| = v * 4^k with 1 <= v < 4, so the root's reciprocal lies in (1/2, 1] * 2^-k
    entry = _RSQRT[odd, fraction_field(x, fmt) >> (fmt.fraction_bits - RSQRT_INDEX_BITS)]
    field = fmt.bias - 2 - ((exponent - odd) >> 1)  # the leading one of `entry` adds one more
    pattern = (field << fmt.fraction_bits) + (entry << (fmt.fraction_bits - RSQRT_BITS))
    pattern = np.where(exponent == -fmt.bias, fmt.infinity, pattern)
    return np.where(exponent == fmt.exponent_ones - fmt.bias, 0, pattern).astype(fmt.dtype)


def relu(x: Bits, y: Bits, fmt: Format, bit: int = 0) -> tuple[Bits, Flags]:
    """`relu`, `relu0`..`relu3`: y where bit (msb - bit) of x is 0, else -0. Flag: that bit is 0."""
    positive = (x & (fmt.sign >> bit)) == 0
    return np.where(positive, y, np.array(fmt.sign, fmt.dtype)), positive


def leaky_relu(x: Bits, y: Bits, fmt: Format, scaling: Scaling) -> tuple[Bits, Flags]:
    """y where x's sign bit is 0, else y/2 (`lrelud`), y/8 (`lreluo`) or 2*y (`ilrelud`). Flag: the sign bit is 0.

    Doubling stops at an all-ones exponent, sign and mantissa kept. [A] Zeros and infinities of y stay as they are, and
    what becomes too small is a zero of y's sign.
    """
    positive = (x & fmt.sign) == 0
    change = {"lrelud": -1, "lreluo": -3, "ilrelud": 1}[scaling]
    exponent = exponent_field(y, fmt).astype(np.int64)
    scaled = (y & ~fmt.dtype.type(fmt.infinity)) | ((exponent + change).astype(fmt.dtype) << fmt.fraction_bits)
    scaled = np.where(exponent + change > 0, scaled, y & fmt.dtype.type(fmt.sign))
    unscaled = positive | (exponent == 0) | (exponent == fmt.exponent_ones)
    return np.where(unscaled, y, scaled), positive


def _order(bits: Bits, fmt: Format) -> npt.NDArray[Any]:
    """Integers ordered as the numbers are: sign-magnitude, every zero the same."""
    order = in_order(bits, fmt)
    np.copyto(order, 0, where=(bits & fmt.infinity) == 0)
    return order


def _rsqrt_table() -> npt.NDArray[np.int64]:
    """floor(64 / sqrt(v)) for v = i/16 (row 0) and v = i/8 (row 1), i = 16 … 31: from 33 to 64."""
    mantissas = range(1 << RSQRT_INDEX_BITS, 2 << RSQRT_INDEX_BITS)
    one = 1 << (2 * (RSQRT_BITS + 1) + RSQRT_INDEX_BITS)
    return np.array([[isqrt((one >> odd) // i) for i in mantissas] for odd in (0, 1)])


_RSQRT = _rsqrt_table()
