"""Formats: values, encoding, widening, narrowing."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from simulator.engine.numbers import DOUBLE, FORMATS, HALF, SINGLE, exact, from_float64, narrow, to_float64, widen
from tests.simulator.engine.numbers_oracle import array, encode, infinity, join, ones, patterns, split, value


def printed(bits: int, letter: str) -> float:
    """What a dump shows."""
    sign, exponent, _ = split(bits, letter)
    size = math.inf if exponent == ones(letter) else float(abs(value(bits, letter)))
    return math.copysign(size, -sign if sign else 1)


def same(a: np.ndarray, b: list[float]) -> bool:
    return np.array_equal(a.view(np.uint64), np.array(b).view(np.uint64))


def test_one_in_every_format():
    assert from_float64(1.0, HALF) == 0x3E00
    assert from_float64(1.0, SINGLE) == 0x3F800000
    assert from_float64(1.0, DOUBLE) == 0x3FF0000000000000


@pytest.mark.parametrize("letter", "fd")
def test_to_float64(letter):
    bits = patterns(random.Random(1), letter, 4000)
    assert same(to_float64(array(bits, letter), FORMATS[letter]), [printed(b, letter) for b in bits])


def test_to_float64_of_every_half():
    bits = range(2**16)
    assert same(to_float64(np.arange(2**16, dtype=np.uint16), HALF), [printed(b, "h") for b in bits])


@pytest.mark.parametrize("letter", "hfd")
def test_exact(letter):
    for bits in patterns(random.Random(2), letter, 1000):
        assert exact(bits, FORMATS[letter]) == value(bits, letter)


@pytest.mark.parametrize("letter", "hfd")
def test_encoding_gives_finite_numbers_back(letter):
    bits = [b for b in patterns(random.Random(3), letter, 2000) if 0 < split(b, letter)[1] < ones(letter)]
    given = array(bits, letter)
    assert np.array_equal(from_float64(to_float64(given, FORMATS[letter]), FORMATS[letter]), given)


@pytest.mark.parametrize("letter", "hf")
def test_encoding_rounds_to_even_and_normalises(letter):
    rng = random.Random(4)
    numbers = [float(value(b, "d")) for b in patterns(rng, "d", 4000) if split(b, "d")[1] < 2047]
    for power in (1 - 31, 1 - 127, 32, 128, 0):  # both sides of the limits of half and single, and ties
        steps = [k * 2.0**-n for k in range(-4, 5) for n in (9, 10, 11, 12, 23, 24, 25, 26)]
        numbers += [sign * 2.0**power * (1 + step) for sign in (1, -1) for step in steps]
    expected = [encode(Fraction(n), letter) for n in numbers]
    assert np.array_equal(from_float64(numbers, FORMATS[letter]), array(expected, letter))


@pytest.mark.parametrize("letter", "hfd")
def test_encoding_of_special_numbers(letter):
    minus_zero = join(1, 0, 0, letter)
    got = from_float64([0.0, -0.0, math.inf, -math.inf, 5e-324, -5e-324], FORMATS[letter])
    assert got.tolist() == [0, minus_zero, infinity(0, letter), infinity(1, letter), 0, 0]
    with pytest.raises(ValueError, match="NaN"):
        from_float64([1.0, math.nan], FORMATS[letter])


@pytest.mark.parametrize(("source", "target"), ["hf", "fd", "hd"])
def test_widening_is_exact(source, target):
    bits = patterns(random.Random(5), source, 3000)
    wide = widen(array(bits, source), FORMATS[source], FORMATS[target]).tolist()
    assert [value(w, target) for w in wide] == [value(b, source) for b in bits]
    assert [split(w, target)[0] for w in wide] == [split(b, source)[0] for b in bits]


@pytest.mark.parametrize(("source", "target"), ["fh", "df", "dh"])
def test_narrowing_rounds_once(source, target):
    rng = random.Random(6)
    bits = patterns(rng, source, 3000)
    bits += widen(array(patterns(rng, target, 3000), target), FORMATS[target], FORMATS[source]).tolist()
    cut = FORMATS[source].fraction_bits - FORMATS[target].fraction_bits
    bits += [b >> cut << cut | 1 << (cut - 1) | rng.randrange(2) for b in bits[3000:]]  # ties, and just above
    expected = [encode(value(b, source), target) for b in bits]
    assert np.array_equal(narrow(array(bits, source), FORMATS[source], FORMATS[target]), array(expected, target))
