"""Block floats: numbers that share one exponent and have no hidden bit (isa.md, section 11.3).

Value: (-1)^s * M * 2^(E - bias - (F-1)) with M the mantissa field of F bits. Letters: "d", "f", "g" (single with the
low 5 bits of M zero) and "h".
"""

from __future__ import annotations

import numpy as np

from simulator.numbers.formats import DOUBLE, FORMATS, SINGLE, Bits, Floats, Format, exponent_field, fraction_field

_KEPT = {"d": 52, "f": 23, "g": 18, "h": 9}  # mantissa bits kept


def block_format(letter: str) -> Format:
    """The format whose bit fields a block float uses: single for "g"."""
    return SINGLE if letter == "g" else FORMATS[letter]


def block_float(bits: Bits, letter: str, axis: int | tuple[int, ...], keep: int | None = None) -> Bits:
    """Convert ordinary numbers to block floats (`dbfn`, `fbfn`, `gbfn`, `hbfn/n`), in dtype and shape of `bits`.

    axis: the axis or axes whose elements form one block. keep: the n of `hbfn/n`, 6 to 9; for "h" only, where fewer
    bits raise the exponent instead of clearing low bits.
    """
    fmt = block_format(letter)
    kept = _KEPT[letter] if keep is None else keep
    cut = fmt.fraction_bits - kept
    raised, drop = (cut, 0) if letter == "h" else (0, cut)
    zero, infinity, number = fmt.dtype.type(0), fmt.dtype.type(fmt.infinity), fmt.dtype.type

    exponent, fraction = exponent_field(bits, fmt), fraction_field(bits, fmt)
    largest = exponent.max(axis=axis, keepdims=True)
    carries = (exponent == largest) & (fraction >> number(cut) == (1 << kept) - 1)
    common = largest + number(raised) + carries.any(axis=axis, keepdims=True)

    shift = np.minimum(common - exponent + number(1 + drop), number(fmt.fraction_bits + 3))
    full = fraction | number(fmt.hidden)
    odd = (full >> shift) & number(1)
    half = number(1) << (shift - number(1))
    mantissa = (full + odd + half - number(1)) >> shift << number(drop)

    block = np.where(exponent == 0, zero, mantissa) | (common << number(fmt.fraction_bits))
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
