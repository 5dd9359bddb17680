"""Matrix-vector products of the MAU on block floats (isa.md, sections 9.2 and 11.4)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simulator.engine.numbers.blockfloat import block_format, block_value
from simulator.engine.numbers.formats import (
    DOUBLE,
    SINGLE,
    Bits,
    Floats,
    Format,
    exponent_field,
    fraction_field,
    input_value,
    round_float64,
)
from simulator.engine.numbers.rounding import BigIntegers, round_big_integers, round_sum
from simulator.engine.numbers.vector import DOUBLE_UNIT, SINGLE_LOW, double_units, output_format, truncated_product


def matvec(letter: str, a: Bits, x: Bits, c: Bits | None, narrow: bool = False) -> Bits:
    """y_i = sum_j a_ij * x_j + c_i, exact but for the truncated products of f and d, rounded once and normalised.

    letter: "d" (a, x, c, y uint64), "f" and "g" (uint32), "h" (a, x uint16; c, y uint32); with `narrow` y is one
    precision lower. Shapes: a[..., i, j], x[..., j], c[..., i] and y[..., i]; leading axes broadcast. a and x are block
    floats with one exponent per row of a and one per x (products of other data are undefined on the machine; here they
    are summed in float64 in the order of j). c None stands for zeros. The caller leaves out what the instruction does
    not use, such as the odd columns of `fm`.
    """
    output = output_format(letter, narrow)
    if letter == "d":
        units = _double_sums(a, x)
        return round_big_integers(units if c is None else units + double_units(c), DOUBLE_UNIT, output)
    fmt = block_format(letter)
    multiply = _multiply if _are_blocks(a, fmt) and _are_blocks(x, fmt) else _multiply_in_order
    sums = multiply(block_value(a, letter), block_value(x, letter))
    if letter == "f":
        sums += _single_corrections(a, x, multiply)
    return round_float64(sums, output) if c is None else round_sum(sums, input_value(c, SINGLE), output)


def _multiply(a: Floats, x: Floats) -> Floats:
    """a[..., i, j] times x[..., j]: at most 16 products of 46 bits with a common scale, exact in any order.

    Vectors that share one matrix (an axis of length 1 before i) go into one product.
    """
    if a.ndim > 2 and x.ndim > 1 and a.shape[-3] == 1:
        return np.asarray(np.matmul(x, np.swapaxes(a[..., 0, :, :], -1, -2)))
    return np.asarray(np.matmul(a, x[..., np.newaxis])[..., 0])


def _multiply_in_order(a: Floats, x: Floats) -> Floats:
    """As `_multiply`, for sums that are rounded: every engine and every BLAS must give the same."""
    total = np.asarray(a[..., 0] * x[..., 0:1])
    for j in range(1, x.shape[-1]):
        total = total + a[..., j] * x[..., j : j + 1]
    return total


def _are_blocks(bits: Bits, fmt: Format) -> bool:
    """True where the elements along the last axis have one exponent each time."""
    return not ((bits ^ bits[..., :1]) & fmt.dtype.type(fmt.infinity)).any()


def _single_corrections(a: Bits, x: Bits, multiply: Callable[[Floats, Floats], Floats]) -> Floats:
    """What the truncated single products differ by from the exact ones, summed over j."""
    sign_and_exponent = np.uint32(SINGLE.sign | SINGLE.infinity)
    low = [block_value(bits & (sign_and_exponent | np.uint32(SINGLE_LOW)), "f") for bits in (a, x)]
    # The correction, 2^8 times both ulps where neither low part is zero, is a product too: of 2^4 ulps each.
    ulps = [np.where(bits & SINGLE_LOW, bits & sign_and_exponent | np.uint32(1 << 4), np.uint32(0)) for bits in (a, x)]
    return multiply(*(block_value(bits, "f") for bits in ulps)) - multiply(*low)


def _double_sums(a: Bits, x: Bits) -> BigIntegers:
    """The sums of truncated double products in units of 2^DOUBLE_UNIT."""
    x = x[..., np.newaxis, :]
    product = truncated_product(fraction_field(a, DOUBLE).astype(np.int64), fraction_field(x, DOUBLE).astype(np.int64))
    # Without hidden bit the mantissa weighs twice as much: the exponent fields need no offset.
    shift = (exponent_field(a, DOUBLE) + exponent_field(x, DOUBLE)).astype(object)
    return np.asarray((np.where((a ^ x) & DOUBLE.sign, -product, product) << shift).sum(axis=-1))
