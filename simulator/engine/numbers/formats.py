"""The floating-point formats: bit fields, values, encoding, widening and narrowing (isa.md, section 11.1).

All functions take and return NumPy arrays of bit patterns in the format's unsigned dtype, of any shape. There are no
subnormals and no NaN: exponent field 0 is zero whatever the mantissa, exponent field all ones is infinity; but a MAU
input with an all-ones exponent is an ordinary large number.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from simulator.messages import tr

Bits = npt.NDArray[Any]  # unsigned integers: bit patterns
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Format:
    """A binary format: sign, exponent and fraction field, from the most significant bit down."""

    letter: str
    exponent_bits: int
    fraction_bits: int
    bias: int
    dtype: np.dtype[Any]

    @property
    def width(self) -> int:
        """Bits in all."""
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def sign(self) -> int:
        """The sign bit alone; as a bit pattern this is -0."""
        return 1 << (self.width - 1)

    @property
    def hidden(self) -> int:
        """The hidden bit of a significand; also 1 in the exponent field."""
        return 1 << self.fraction_bits

    @property
    def exponent_ones(self) -> int:
        """The exponent field's largest value."""
        return (1 << self.exponent_bits) - 1

    @property
    def infinity(self) -> int:
        """The bit pattern of +inf; also the mask of the exponent field."""
        return self.exponent_ones << self.fraction_bits

    @property
    def signed(self) -> np.dtype[Any]:
        """The signed integer dtype of the same width."""
        return np.dtype(f"i{self.dtype.itemsize}")


HALF = Format("h", 6, 9, 31, np.dtype(np.uint16))
SINGLE = Format("f", 8, 23, 127, np.dtype(np.uint32))
DOUBLE = Format("d", 11, 52, 1023, np.dtype(np.uint64))
FORMATS = {fmt.letter: fmt for fmt in (HALF, SINGLE, DOUBLE)}
NARROWER = {"d": SINGLE, "f": HALF, "g": HALF, "h": HALF}  # what the suffix `r` of a result rounds to (section 9.1)


def exponent_field(bits: Bits, fmt: Format) -> Bits:
    """The exponent fields, in the format's dtype."""
    return (bits & fmt.infinity) >> fmt.fraction_bits


def fraction_field(bits: Bits, fmt: Format) -> Bits:
    """The mantissa fields without hidden bit, in the format's dtype."""
    return bits & (fmt.hidden - 1)


def in_order(bits: Bits, fmt: Format) -> npt.NDArray[Any]:
    """Sign-magnitude numbers as two's complement integers in the same order, +0 as 0, -0 as -1; its own inverse."""
    signed = bits.view(fmt.signed)
    return np.asarray(signed ^ ((signed >> (fmt.width - 1)) & fmt.signed.type(fmt.sign - 1)))


def significand(bits: Bits, fmt: Format) -> npt.NDArray[np.int64]:
    """Mantissa with hidden bit, without sign; 0 where the exponent field is 0."""
    nonzero = (bits & fmt.infinity) != 0
    return np.asarray((fraction_field(bits, fmt) | fmt.hidden).astype(np.int64) * nonzero)


def exact(bits: int, fmt: Format) -> Fraction:
    """One MAU input as an exact number: exponent field 0 is zero, all ones an ordinary large exponent."""
    exponent = (bits & fmt.infinity) >> fmt.fraction_bits
    if exponent == 0:
        return Fraction(0)
    mantissa = bits & (fmt.hidden - 1) | fmt.hidden
    magnitude = mantissa * Fraction(2) ** (exponent - fmt.bias - fmt.fraction_bits)
    return -magnitude if bits & fmt.sign else magnitude


def input_value(bits: Bits, fmt: Format) -> Floats:
    """MAU inputs of half or single precision as float64, exactly. Zeros become +0.0; nothing is infinite."""
    # Sign extension fills the wider exponent field with copies of the sign; the mask leaves one of them.
    value = bits.view(fmt.signed).astype(np.int64)
    value <<= DOUBLE.fraction_bits - fmt.fraction_bits
    value &= np.int64((1 << (DOUBLE.fraction_bits + fmt.exponent_bits)) - 1 - (1 << 63))
    value += (DOUBLE.bias - fmt.bias) << DOUBLE.fraction_bits
    np.copyto(value, 0, where=(bits & fmt.infinity) == 0)
    return value.view(np.float64)


def to_float64(bits: Bits, fmt: Format) -> Floats:
    """The values a dump prints: exponent field 0 gives +-0.0, all ones +-inf."""
    bits = np.asarray(bits, fmt.dtype)
    exponent = bits & fmt.infinity
    signs = np.where(bits & fmt.sign, -1.0, 1.0)
    finite = (exponent != 0) & (exponent != fmt.infinity)
    usual = np.where(finite, bits, np.array(0, fmt.dtype))
    value = np.abs(usual.view(np.float64) if fmt is DOUBLE else input_value(usual, fmt))
    return np.copysign(np.where(exponent == fmt.infinity, np.inf, value), signs)


def from_float64(values: npt.ArrayLike, fmt: Format) -> Bits:
    """Encode numbers, rounding to nearest even: overflow gives inf, exponent <= 0 gives +0, but -0.0 stays -0.

    Raises ValueError for a NaN, which the machine cannot represent.
    """
    numbers = np.array(values, np.float64)
    if np.isnan(numbers).any():
        raise ValueError(tr("cannot encode NaN: the machine has none"))
    minus_zero = (numbers == 0) & np.signbit(numbers)
    return np.where(minus_zero, np.array(fmt.sign, fmt.dtype), round_float64(numbers, fmt))


def widen(bits: Bits, src: Format, dst: Format) -> Bits:
    """Convert half to single, half to double or single to double, exactly (input suffix `e`); zeros keep their sign.

    [A] An all-ones exponent becomes the ordinary large number that it is on every MAU input, not infinity.
    """
    shift = dst.fraction_bits - src.fraction_bits
    signs = (bits & src.sign).astype(dst.dtype) << (dst.width - src.width)
    magnitude = (bits & (src.sign - 1)).astype(dst.dtype) << shift
    magnitude += (dst.bias - src.bias) << dst.fraction_bits
    return signs | np.where((bits & src.infinity) == 0, np.array(0, dst.dtype), magnitude)


def narrow(bits: Bits, src: Format, dst: Format) -> Bits:
    """Round double to single or single to half, once and to nearest even, and normalise (suffix `r`)."""
    return round_float64(to_float64(bits, src) if src is DOUBLE else input_value(bits, src), dst)


def normalise_bits(bits: Bits, fmt: Format) -> Bits:
    """Output normalisation without rounding: zeros become +0, an all-ones exponent infinity with its sign."""
    exponent = bits & fmt.infinity
    clipped = np.where(exponent == fmt.infinity, bits & (fmt.sign | fmt.infinity), bits)
    np.copyto(clipped, 0, where=exponent == 0)
    return clipped


def round_float64(values: Floats, fmt: Format) -> Bits:
    """Round exact results to the format and normalise; `values` is overwritten and must not hold NaN.

    Overflow gives infinity with the sign kept; exponent <= 0, judged after rounding as if the exponent had no lower
    limit, gives +0 (section 11.1).
    """
    if fmt is DOUBLE:
        return normalise_bits(values.view(np.uint64), fmt)
    # Largest magnitude below the smallest normal number that still rounds up to it: a tie, and the even one wins.
    smallest = 2.0 ** (1 - fmt.bias) * (1 - 2.0 ** -(fmt.fraction_bits + 2))
    np.copyto(values, 0.0, where=np.abs(values) < smallest)
    if fmt is SINGLE:
        with np.errstate(over="ignore"):
            return values.astype(np.float32).view(np.uint32)
    pattern = values.view(np.int64)
    shift = DOUBLE.fraction_bits - fmt.fraction_bits
    magnitude = pattern & np.int64(DOUBLE.sign - 1)
    magnitude += ((magnitude >> shift) & 1) + ((1 << (shift - 1)) - 1)
    magnitude >>= shift
    magnitude -= (DOUBLE.bias - fmt.bias) << fmt.fraction_bits
    signs = (pattern < 0).astype(fmt.dtype) << (fmt.width - 1)
    return np.asarray(np.clip(magnitude, 0, fmt.infinity).astype(fmt.dtype) | signs)
