"""Block floats: numbers that share one exponent and have no hidden bit (isa.md, section 11.3).

Value: (-1)^s * M * 2^(E - bias - (F-1)) with M the mantissa field of F bits. Letters: "d", "f", "g" (single with the
low 5 bits of M zero) and "h".
"""

from __future__ import annotations

import numpy as np

from simulator.engine.numbers.formats import (
    DOUBLE,
    FORMATS,
    SINGLE,
    Bits,
    Floats,
    Format,
    exponent_field,
    fraction_field,
)

_KEPT = {"d": 52, "f": 23, "g": 18, "h": 9}  # mantissa bits kept
EXTENSION = 6  # by so much the exponent of a flagged element of `hbfe` is less than its block's


def block_format(letter: str) -> Format:
    """The format whose bit fields a block float uses: single for "g"."""
    return SINGLE if letter == "g" else FORMATS[letter]


def block_float(bits: Bits, letter: str, axis: int | tuple[int, ...], keep: int | None = None) -> Bits:
    """Convert ordinary numbers to block floats (`dbfn`, `fbfn`, `gbfn`, `hbfn/n`), in dtype and shape of `bits`.

    axis: the axis or axes whose elements form one block. keep: the n of `hbfn/n`, 6 to 9; for "h" only, where fewer
    bits raise the exponent instead of clearing low bits.
    """
    return _convert(bits, letter, axis, _KEPT[letter] if keep is None else keep, extended=False)


def extended_block_float(bits: Bits, axis: int | tuple[int, ...], keep: int) -> Bits:
    """Convert halves to extended block floats (`hbfe/n`), in dtype and shape of `bits`; keep is n, 6 to 9.

    As `block_float`, but elements far below the largest keep 6 more bits: they are flagged by the exponent field 0,
    which stands for the block's exponent less 6. A mantissa of 0 has exponent field 0 too.
    """
    return _convert(bits, "h", axis, keep, extended=True)


def _convert(bits: Bits, letter: str, axis: int | tuple[int, ...], kept: int, extended: bool) -> Bits:
    fmt = block_format(letter)
    cut = fmt.fraction_bits - kept
    raised, drop = (cut, 0) if letter == "h" else (0, cut)
    zero, infinity, number = fmt.dtype.type(0), fmt.dtype.type(fmt.infinity), fmt.dtype.type

    exponent, fraction = exponent_field(bits, fmt), fraction_field(bits, fmt)
    largest = exponent.max(axis=axis, keepdims=True)
    kept_ones = fraction >> number(cut) == (1 << kept) - 1
    carries = (exponent == largest) & kept_ones
    common = largest + number(raised) + carries.any(axis=axis, keepdims=True)

    below = common - exponent
    fields = common << number(fmt.fraction_bits)
    if extended:
        limit = number(EXTENSION + raised)
        flagged = (below > limit) | ((below == limit) & ~kept_ones)
        below = below - flagged * number(EXTENSION)
        fields = np.where(flagged, zero, fields)
    shift = np.minimum(below + number(1 + drop), number(fmt.fraction_bits + 3))
    full = fraction | number(fmt.hidden)
    odd = (full >> shift) & number(1)
    half = number(1) << (shift - number(1))
    mantissa = np.where(exponent == 0, zero, (full + odd + half - number(1)) >> shift << number(drop))

    block = mantissa | (np.where(mantissa == 0, zero, fields) if extended else fields)
    block = np.where(common >= fmt.exponent_ones, infinity, block)
    return np.asarray(np.where(largest == 0, zero, block) | (bits & number(fmt.sign)))


def block_value(bits: Bits, letter: str) -> Floats:
    """The values of block floats of half or single precision as float64, exactly."""
    fmt = block_format(letter)
    # Sign and exponent alone, as a power of two; sign extension fills the wider exponent field as in `input_value`.
    scale = bits.view(fmt.signed).astype(np.int64)
    scale <<= DOUBLE.fraction_bits - fmt.fraction_bits
    scale &= np.int64((fmt.exponent_ones << DOUBLE.fraction_bits) - (1 << 63))
    scale += (DOUBLE.bias - fmt.bias - fmt.fraction_bits + 1) << DOUBLE.fraction_bits
    return np.asarray(fraction_field(bits, fmt).astype(np.float64) * scale.view(np.float64))
