"""Floating-point functions of the ALU on bit patterns (isa.md, section 10).

Where the result depends on a comparison, functions return `(result, flag)`, flag being the mask flag of the table.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from simulator.numbers.formats import (
    DOUBLE,
    Bits,
    Format,
    exponent_field,
    from_float64,
    in_order,
    significand,
    to_float64,
)

Flags = npt.NDArray[np.bool_]
Scaling = Literal["lrelud", "lreluo", "ilrelud"]

RSQRT_BITS = 7  # [A] mantissa bits of rsqrt; the real table is not public, section 10 asks for 7


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
    """1/sqrt(|x|) rounded to nearest with 7 mantissa bits; the flag is the complement of x's sign bit.

    [A] Zeros of either sign give +inf, infinities +0.
    """
    exponent = exponent_field(x, fmt).astype(np.int64) - fmt.bias
    odd = exponent & 1
    # |x| = scaled * 2^-52 * 4^k with scaled * 2^-52 in [1, 4), so the root's reciprocal lies in (1/2, 1] * 2^-k.
    scaled = significand(x, fmt) << (DOUBLE.fraction_bits - fmt.fraction_bits) << odd
    steps = (1 << RSQRT_BITS) + np.searchsorted(_RSQRT_LIMITS, -scaled, side="right")  # in units of 2^-8
    field = fmt.bias - 2 - ((exponent - odd) >> 1)  # the leading one of `steps` adds one more
    pattern = (field << fmt.fraction_bits) + (steps << (fmt.fraction_bits - RSQRT_BITS))
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


def _rsqrt_limits() -> npt.NDArray[np.int64]:
    """Minus the largest scaled |x| in [2^52, 2^54) whose result exceeds the boundary (2j+1)/2^9, for j = 2^7 … 2^8-1.

    1/sqrt(s * 2^-52) > (2j+1) * 2^-9 means s < 2^70 / (2j+1)^2; that is no integer, so no result lies on a boundary.
    """
    steps = range(1 << RSQRT_BITS, 2 << RSQRT_BITS)
    return np.array([-(2 ** (DOUBLE.fraction_bits + 2 * RSQRT_BITS + 4) // (2 * j + 1) ** 2) for j in steps], np.int64)


_RSQRT_LIMITS = _rsqrt_limits()
