"""The machine's arithmetic on single bit patterns in exact rationals, written from isa.md and from nothing else.

The oracle of the tests in this folder: slow, scalar, and independent of simulator.engine.numbers.
"""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np

EXPONENT_BITS = {"h": 6, "f": 8, "g": 8, "d": 11}
FRACTION_BITS = {"h": 9, "f": 23, "g": 23, "d": 52}
BIAS = {"h": 31, "f": 127, "g": 127, "d": 1023}
DTYPE = {"h": np.uint16, "f": np.uint32, "g": np.uint32, "d": np.uint64}
LOWER = {"d": "f", "f": "h"}


def ones(letter: str) -> int:
    """The exponent field of infinity."""
    return 2 ** EXPONENT_BITS[letter] - 1


def join(sign: int, exponent: int, mantissa: int, letter: str) -> int:
    return (sign << EXPONENT_BITS[letter] | exponent) << FRACTION_BITS[letter] | mantissa


def split(bits: int, letter: str) -> tuple[int, int, int]:
    """Sign, exponent field, mantissa field."""
    rest, mantissa = divmod(bits, 2 ** FRACTION_BITS[letter])
    sign, exponent = divmod(rest, 2 ** EXPONENT_BITS[letter])
    return sign, exponent, mantissa


def infinity(sign: int, letter: str) -> int:
    return join(sign, ones(letter), 0, letter)


# --- section 11.1 ----------------------------------------------------------------------------------------------------


def value(bits: int, letter: str) -> Fraction:
    """A MAU input: exponent field 0 is zero, all ones an ordinary exponent."""
    sign, exponent, mantissa = split(bits, letter)
    if exponent == 0:
        return Fraction(0)
    significand = 1 + Fraction(mantissa, 2 ** FRACTION_BITS[letter])
    return (-1) ** sign * significand * Fraction(2) ** (exponent - BIAS[letter])


def encode(number: Fraction, letter: str) -> int:
    """Round to nearest even with an unlimited exponent, then normalise."""
    if number == 0:
        return 0
    sign, size = int(number < 0), abs(number)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** power:
        power -= 1
    significand = round(size / Fraction(2) ** (power - FRACTION_BITS[letter]))  # Python rounds fractions half to even
    if significand == 2 ** (FRACTION_BITS[letter] + 1):
        significand, power = significand // 2, power + 1
    exponent = power + BIAS[letter]
    if exponent <= 0:
        return 0
    if exponent >= ones(letter):
        return infinity(sign, letter)
    return join(sign, exponent, significand - 2 ** FRACTION_BITS[letter], letter)


# --- section 10 ------------------------------------------------------------------------------------------------------


def reciprocal_sqrt_entry(size: Fraction) -> Fraction:
    """rsqrt of a positive number: v = size / 4^k is cut to 1/16 below 2 and to 1/8 from there on, the root to 1/64."""
    k = (size.numerator.bit_length() - size.denominator.bit_length()) // 2
    v = size / Fraction(4) ** k
    v, k = (v * 4, k - 1) if v < 1 else (v / 4, k + 1) if v >= 4 else (v, k)
    i = int(v * (16 if v < 2 else 8))
    entry = max(n for n in range(32, 65) if n * n * i <= 64 * 64 * (16 if v < 2 else 8))
    return Fraction(entry, 64) / Fraction(2) ** k


# --- section 11.2 ----------------------------------------------------------------------------------------------------


def truncated(m: int, n: int, letter: str) -> int:
    """The product of two mantissas as the single and the double multiplier form it; exact for g and h."""
    if letter in "gh":
        return m * n
    low, correction = {"f": (32, 256), "d": (2**16, 2**30)}[letter]
    return m * n - (m % low) * (n % low) + (correction if m % low and n % low else 0)


def product(x: int, y: int, letter: str) -> Fraction:
    (s, e, m), (t, g, n) = split(x, letter), split(y, letter)
    if e == 0 or g == 0:
        return Fraction(0)
    hidden = 2 ** FRACTION_BITS[letter]
    scale = Fraction(2) ** (e + g - 2 * BIAS[letter] - 2 * FRACTION_BITS[letter])
    return (-1) ** (s ^ t) * truncated(m + hidden, n + hidden, letter) * scale


# --- sections 11.3 and 11.4 ------------------------------------------------------------------------------------------


def block(elements: list[int], letter: str, kept: int) -> list[int]:
    """bfn of one block, `kept` being K (n of `hbfn/n`)."""
    field = FRACTION_BITS[letter]
    parts = [split(bits, letter) for bits in elements]
    largest = max(e for _, e, _ in parts)
    drop = 0 if letter == "h" else field - kept
    common = largest + (9 - kept if letter == "h" else 0)
    if any(e == largest and m >> (field - kept) == 2**kept - 1 for _, e, m in parts):
        common += 1
    if largest == 0:
        return [join(s, 0, 0, letter) for s, _, _ in parts]
    if common >= ones(letter):
        return [infinity(s, letter) for s, _, _ in parts]
    return [
        join(s, common, round(Fraction(2**field + m, 2 ** (1 + drop + common - e))) * 2**drop if e else 0, letter)
        for s, e, m in parts
    ]


def extended_block(elements: list[int], kept: int) -> list[int]:
    """hbfe/n of one block, `kept` being n."""
    b = 9 - kept
    parts = [split(bits, "h") for bits in elements]
    largest = max(e for _, e, _ in parts)
    if largest == 0:
        return [join(s, 0, 0, "h") for s, _, _ in parts]
    all_ones = [m >> b == 2**kept - 1 for _, _, m in parts]
    common = largest + b + any(e == largest and full for (_, e, _), full in zip(parts, all_ones, strict=True))
    if common >= ones("h"):
        return [infinity(s, "h") for s, _, _ in parts]
    result = []
    for (s, e, m), full in zip(parts, all_ones, strict=True):
        delta = common - e
        flagged = delta >= 6 + b and not (delta == 6 + b and full)
        mantissa = round(Fraction(512 + m, 2 ** (1 + delta - (6 if flagged else 0)))) if e else 0
        result.append(join(s, common if mantissa and not flagged else 0, mantissa, "h"))
    return result


def block_value(bits: int, letter: str) -> Fraction:
    sign, exponent, mantissa = split(bits, letter)
    return (-1) ** sign * mantissa * Fraction(2) ** (exponent - BIAS[letter] - (FRACTION_BITS[letter] - 1))


def row_times_vector(row: list[int], x: list[int], letter: str) -> Fraction:
    total = Fraction(0)
    for a, b in zip(row, x, strict=True):
        (s, e, m), (t, g, n) = split(a, letter), split(b, letter)
        scale = Fraction(2) ** (e + g - 2 * BIAS[letter] - 2 * (FRACTION_BITS[letter] - 1))
        total += (-1) ** (s ^ t) * truncated(m, n, letter) * scale
    return total


# --- section 11.5 ----------------------------------------------------------------------------------------------------


def stage_sum(inputs: list[int], letter: str, output: str) -> int:
    largest = max(split(bits, letter)[1] for bits in inputs)
    total = 0
    for bits in inputs:
        sign, exponent, mantissa = split(bits, letter)
        with_guard = (mantissa + 2 ** FRACTION_BITS[letter]) * 8 if exponent else 0
        total += (-1) ** sign * round(Fraction(with_guard, 2 ** (largest - exponent)))
    return encode(total * Fraction(2) ** (largest - BIAS[letter] - FRACTION_BITS[letter] - 3), output)


def staged_sum(inputs: list[int], letter: str, stages: tuple[int, ...], output: str) -> int:
    for position, size in enumerate(stages):
        precision = output if position == len(stages) - 1 else letter
        inputs = [stage_sum(inputs[i : i + size], letter, precision) for i in range(0, len(inputs), size)]
    return inputs[0]


def sign_magnitude(bits: int, letter: str) -> tuple[int, int]:
    """A sort key: sign-magnitude order, +0 above -0."""
    sign, exponent, mantissa = split(bits, letter)
    magnitude = join(0, exponent, mantissa, letter)
    return (0, -magnitude) if sign else (1, magnitude)


# --- inputs that matter ----------------------------------------------------------------------------------------------


def patterns(rng: random.Random, letter: str, count: int) -> list[int]:
    """Bit patterns of all kinds, half of them with an exponent or a mantissa at an edge."""
    top, field = ones(letter), FRACTION_BITS[letter]
    exponents = (
        lambda: rng.randrange(top + 1),
        lambda: BIAS[letter] + rng.randrange(-4, 5),
        lambda: rng.choice((0, 1, 2, top - 2, top - 1, top)),
        lambda: rng.choice((BIAS[letter] // 2, BIAS[letter] * 3 // 2)) + rng.randrange(-2, 3),  # products at the limits
    )
    mantissas = (
        lambda: rng.randrange(2**field),
        lambda: rng.choice((0, 1, 2 ** (field - 1), 2**field - 1, 2**field - 2)),
        lambda: rng.randrange(2**4) << (field - 4),
        lambda: rng.randrange(2**5),
    )
    return [join(rng.randrange(2), rng.choice(exponents)(), rng.choice(mantissas)(), letter) for _ in range(count)]


def near_boundaries(rng: random.Random, letter: str) -> tuple[int, int, int]:
    """x, y (single) and z whose exact x*y + z lies close beside a rounding boundary, too close for a float64 sum."""
    sign, exponent, shift = rng.randrange(2), rng.randrange(110, 140), rng.choice((13, 14, 15, 16, 17))
    if rng.randrange(2):  # (1 + 2^-k)(1 - 2^-k) is just below 1: placed half an ulp of an odd or even z
        x, y = join(sign, exponent, 2 ** (23 - shift), "f"), join(0, 126, 2**23 - 2 ** (24 - shift), "f")
        below = FRACTION_BITS[letter] + 1
        mantissa = rng.randrange(2 ** FRACTION_BITS[letter]) << (23 - FRACTION_BITS[letter])
        return x, y, join(rng.randrange(2), exponent + below, mantissa, "f")
    # an odd significand of one bit too many times 1.5 is a tie; z is tiny
    odd = rng.randrange(2 ** FRACTION_BITS[letter]) | 1
    x, y = join(sign, exponent, odd << (23 - FRACTION_BITS[letter]), "f"), join(0, 127, 2**22, "f")
    return x, y, join(rng.randrange(2), rng.randrange(0, 40), rng.randrange(2**23), "f")


def array(bits: list[int], letter: str) -> np.ndarray:
    return np.array(bits, DTYPE[letter])
