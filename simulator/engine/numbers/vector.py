"""Vector arithmetic of the MAU: x*y + z with the truncated multipliers, rounded once (isa.md, sections 9.1, 11.2).

Operands are bit patterns of any shapes that broadcast; `-`, `e` and `r` of the inputs are already applied.

letter  x, y     z        result   result with `narrow`
"h"     uint16   uint32   uint32   uint16
"f"     uint32   uint32   uint32   uint16
"d"     uint64   uint64   uint64   uint32
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from simulator.engine.numbers.formats import (
    DOUBLE,
    FORMATS,
    HALF,
    NARROWER,
    SINGLE,
    Bits,
    Floats,
    Format,
    exponent_field,
    input_value,
    normalise_bits,
    round_float64,
    significand,
    to_float64,
)
from simulator.engine.numbers.rounding import BigIntegers, round_big_integers, round_sum

# The single multiplier omits the product of the low 5 bits of its factors and adds 2^8 when neither is zero; the double
# multiplier does the same with 16 bits and 2^30.
SINGLE_LOW = 0x1F
DOUBLE_LOW = 0xFFFF
_SINGLE_CORRECTIONS = np.array([0] + [2**8 - omitted for omitted in range(1, SINGLE_LOW**2 + 1)], np.float64)
_SINGLE_CORRECTIONS *= 2.0 ** (-2 * SINGLE.fraction_bits)
_POWER_OF_TWO = np.int64(-1 << DOUBLE.fraction_bits)  # mask: sign and exponent of a float64

BLOCK = 8192  # elements computed at a time: their temporary arrays stay in the processor's cache

# Doubles are summed as multiples of 2^DOUBLE_UNIT, the product of the two smallest ulps.
DOUBLE_UNIT = 2 * (1 - DOUBLE.bias - DOUBLE.fraction_bits)


def fma(letter: str, x: Bits, y: Bits, z: Bits, narrow: bool = False) -> Bits:
    """x*y + z (`vfma`)."""
    output = output_format(letter, narrow)

    def block(x: Bits, y: Bits, z: Bits) -> Bits:
        if letter == "d":
            return round_big_integers(_double_product(x, y) + double_units(z), DOUBLE_UNIT, output)
        return round_sum(_product(letter, x, y), input_value(z, SINGLE), output)

    return _in_blocks(block, output, x, y, z)


def multiply(letter: str, x: Bits, y: Bits, narrow: bool = False) -> Bits:
    """x*y (`vmul`)."""
    output = output_format(letter, narrow)

    def block(x: Bits, y: Bits) -> Bits:
        if letter == "d":
            return round_big_integers(_double_product(x, y), DOUBLE_UNIT, output)
        return round_float64(_product(letter, x, y), output)

    return _in_blocks(block, output, x, y)


def add(letter: str, x: Bits, z: Bits, narrow: bool = False) -> Bits:
    """x*1 + z (`vadd`); the factor 1 has no low bits, so the product is x itself."""
    fmt, output = FORMATS[letter], output_format(letter, narrow)

    def block(x: Bits, z: Bits) -> Bits:
        if letter == "d":
            return _add_doubles(x, z, output)
        return round_sum(input_value(x, fmt), input_value(z, SINGLE), output)

    return _in_blocks(block, output, x, z)


def normalise(letter: str, x: Bits, narrow: bool = False) -> Bits:
    """x*1 + 0 (`vpassa`): exponent field 0 becomes +0, an all-ones exponent infinity."""
    fmt, output = FORMATS[letter], output_format(letter, narrow)
    if output is fmt:
        return normalise_bits(x, fmt)
    return round_float64(to_float64(x, fmt) if fmt is DOUBLE else input_value(x, fmt), output)


def output_format(letter: str, narrow: bool) -> Format:
    """The format of a MAU result: single for f, g and h, double for d; one precision lower with suffix `r`."""
    return NARROWER[letter] if narrow else DOUBLE if letter == "d" else SINGLE


def _in_blocks(function: Callable[..., Bits], output: Format, *operands: Bits) -> Bits:
    """The function of operands that broadcast, computed on BLOCK elements at a time."""
    shape = np.broadcast_shapes(*(operand.shape for operand in operands))
    flat = [np.broadcast_to(operand, shape).reshape(-1) for operand in operands]
    result = np.empty(flat[0].size, output.dtype)
    for start in range(0, result.size, BLOCK):
        block = slice(start, start + BLOCK)
        result[block] = function(*(operand[block] for operand in flat))
    return result.reshape(shape)


def _product(letter: str, x: Bits, y: Bits) -> Floats:
    """The half product, or the single multiplier's approximate one, exactly as float64 (20 or 48 bits)."""
    if letter == "h":
        return np.asarray(input_value(x, HALF) * input_value(y, HALF))
    a, b = input_value(x, SINGLE), input_value(y, SINGLE)
    product = np.asarray(a * b)
    omitted = (x & SINGLE_LOW) * (y & SINGLE_LOW)
    if omitted.any():
        for factor in (a, b):
            np.bitwise_and(factor.view(np.int64), _POWER_OF_TWO, out=factor.view(np.int64))
        product += np.take(_SINGLE_CORRECTIONS, omitted) * a * b
    return product


def truncated_product(m: npt.NDArray[np.int64], n: npt.NDArray[np.int64]) -> BigIntegers:
    """The double multiplier's approximate product of two non-negative mantissas."""
    omitted = (m & DOUBLE_LOW) * (n & DOUBLE_LOW)
    return np.asarray(m.astype(object) * n.astype(object) - omitted + np.where(omitted, 2**30, 0))


def _double_product(x: Bits, y: Bits) -> BigIntegers:
    """The approximate product of doubles in units of 2^DOUBLE_UNIT."""
    product = truncated_product(significand(x, DOUBLE), significand(y, DOUBLE))
    shift = (exponent_field(x, DOUBLE) + exponent_field(y, DOUBLE)).astype(np.int64) - 2
    return np.asarray(np.where((x ^ y) & DOUBLE.sign, -product, product) << np.maximum(shift, 0).astype(object))


def _add_doubles(x: Bits, z: Bits, output: Format) -> Bits:
    """x + z; where no input is beyond float64 (an all-ones exponent), this is the addition that NumPy has."""
    if any((exponent_field(term, DOUBLE) == DOUBLE.exponent_ones).any() for term in (x, z)):
        return round_big_integers(double_units(x) + double_units(z), DOUBLE_UNIT, output)
    a, b = to_float64(x, DOUBLE), to_float64(z, DOUBLE)
    with np.errstate(over="ignore"):
        return round_float64(a + b, DOUBLE) if output is DOUBLE else round_sum(a, b, output)


def double_units(bits: Bits) -> BigIntegers:
    """Double-precision addends in units of 2^DOUBLE_UNIT."""
    shift = exponent_field(bits, DOUBLE).astype(np.int64) - (DOUBLE.bias + DOUBLE.fraction_bits) - DOUBLE_UNIT
    magnitude = significand(bits, DOUBLE).astype(object) << shift.astype(object)
    return np.asarray(np.where(bits & DOUBLE.sign, -magnitude, magnitude))
