"""ALU functions on floating-point patterns against exact rationals."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from simulator.engine.numbers import FORMATS, floor, leaky_relu, maximum, minimum, reciprocal_sqrt, relu, to_integer
from tests.simulator.engine.numbers_oracle import (
    BIAS,
    FRACTION_BITS,
    array,
    infinity,
    join,
    ones,
    patterns,
    reciprocal_sqrt_entry,
    split,
    value,
)


def integers_and_neighbours(rng: random.Random, letter: str, count: int) -> list[int]:
    """Patterns around -2^width .. 2^width, where floor and ftoi have something to do."""
    bits = patterns(rng, letter, count)
    for _ in range(count):
        exponent = min(BIAS[letter] + rng.randrange(-2, FORMATS[letter].width + 2), ones(letter))
        cut = rng.randrange(FRACTION_BITS[letter] + 1)
        mantissa = rng.choice((rng.randrange(2 ** FRACTION_BITS[letter]), 2 ** FRACTION_BITS[letter] - 1))
        bits.append(join(rng.randrange(2), exponent, mantissa >> cut << cut, letter))
    return bits


@pytest.mark.parametrize("letter", "hfd")
def test_maximum_and_minimum(letter):
    rng = random.Random(40)
    x, y = patterns(rng, letter, 3000), patterns(rng, letter, 3000)
    minus = join(1, 0, 0, letter)
    y = [b if rng.randrange(4) else a ^ rng.choice((0, minus)) for a, b in zip(x, y, strict=True)]
    larger = [value(a, letter) >= value(b, letter) for a, b in zip(x, y, strict=True)]
    smaller = [value(a, letter) <= value(b, letter) for a, b in zip(x, y, strict=True)]
    for function, chosen in ((maximum, larger), (minimum, smaller)):
        result, flag = function(array(x, letter), array(y, letter), FORMATS[letter])
        assert flag.tolist() == chosen
        assert result.tolist() == [a if first else b for a, b, first in zip(x, y, chosen, strict=True)]


@pytest.mark.parametrize("letter", "hfd")
def test_zeros_compare_equal(letter):
    minus_zero = join(1, 0, 0, letter)
    x, y = array([0, minus_zero, minus_zero + 1], letter), array([minus_zero, 0, 0], letter)
    for function in (maximum, minimum):
        result, flag = function(x, y, FORMATS[letter])
        assert np.array_equal(result, x) and flag.all()


@pytest.mark.parametrize("letter", "hfd")
def test_floor(letter):
    bits = integers_and_neighbours(random.Random(41), letter, 2000)
    got = floor(array(bits, letter), FORMATS[letter]).tolist()
    for given, result in zip(bits, got, strict=True):
        if split(given, letter)[1] in (0, ones(letter)):
            assert result == given
        else:
            assert value(result, letter) == math.floor(value(given, letter)), hex(given)
            assert result != join(1, 0, 0, letter)


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("letter", "hfd")
def test_to_integer(letter, unsigned):
    bits = integers_and_neighbours(random.Random(42), letter, 2000)
    width = FORMATS[letter].width
    low, high = (0, 2**width - 1) if unsigned else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    expected = []
    for given in bits:
        sign, exponent, _ = split(given, letter)
        number = (-1) ** sign * Fraction(2) ** 70 if exponent == ones(letter) else value(given, letter)
        whole = int(abs(number) if unsigned else number)
        expected.append(min(max(whole, low), high) % 2**width)
    assert to_integer(array(bits, letter), FORMATS[letter], unsigned).tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize("letter", "hfd")
def test_reciprocal_sqrt_is_the_table_of_section_10(letter):
    """Every exponent, every entry of the table, the first (positive) and the last (negative) mantissa that gives it."""
    low_bits = FRACTION_BITS[letter] - 4
    mantissas = [(s, top << low_bits | s * (2**low_bits - 1)) for top in range(16) for s in (0, 1)]
    bits = [join(s, e, m, letter) for e in range(1, ones(letter)) for s, m in mantissas]
    for given, result in zip(bits, reciprocal_sqrt(array(bits, letter), FORMATS[letter]).tolist(), strict=True):
        assert value(result, letter) == reciprocal_sqrt_entry(abs(value(given, letter))), hex(given)


def test_reciprocal_sqrt_gives_what_the_emulator_printed():
    given = np.array([1.0, 4.0, 0.25, 1.69, 1.6854, -1.69, 6.76], np.float32).view(np.uint32)
    result = reciprocal_sqrt(given, FORMATS["f"]).view(np.float32)
    assert result.tolist() == [1, 0.5, 2, 49 / 64, 50 / 64, 49 / 64, 49 / 128]


def test_reciprocal_sqrt_is_at_most_3_1_percent_off():
    x = np.linspace(1, 4, 100_001).astype(np.float32)
    error = reciprocal_sqrt(x.view(np.uint32), FORMATS["f"]).view(np.float32) * np.sqrt(x.astype(float)) - 1
    assert 0.029 < np.abs(error).max() < 0.0315


@pytest.mark.parametrize("letter", "hfd")
def test_reciprocal_sqrt_of_zero_and_infinity(letter):
    given = [join(s, 0, 1, letter) for s in (0, 1)] + [infinity(s, letter) for s in (0, 1)]
    expected = [infinity(0, letter), infinity(0, letter), 0, 0]
    assert reciprocal_sqrt(array(given, letter), FORMATS[letter]).tolist() == expected


@pytest.mark.parametrize("bit", [0, 1, 2, 3])
@pytest.mark.parametrize("letter", "hfd")
def test_relu(letter, bit):
    rng = random.Random(44)
    x, y = patterns(rng, letter, 500), patterns(rng, letter, 500)
    width = FORMATS[letter].width
    result, flag = relu(array(x, letter), array(y, letter), FORMATS[letter], bit)
    expected = [(a >> (width - 1 - bit)) % 2 == 0 for a in x]
    assert flag.tolist() == expected
    assert result.tolist() == [b if keep else join(1, 0, 0, letter) for b, keep in zip(y, expected, strict=True)]


@pytest.mark.parametrize("scaling, factor", [("lrelud", Fraction(1, 2)), ("lreluo", Fraction(1, 8)), ("ilrelud", 2)])
@pytest.mark.parametrize("letter", "hfd")
def test_leaky_relu(letter, scaling, factor):
    rng = random.Random(45)
    x, y = patterns(rng, letter, 3000), patterns(rng, letter, 3000)
    result, flag = leaky_relu(array(x, letter), array(y, letter), FORMATS[letter], scaling)
    assert flag.tolist() == [split(a, letter)[0] == 0 for a in x]
    for a, b, got in zip(x, y, result.tolist(), strict=True):
        sign, exponent, mantissa = split(b, letter)
        if split(a, letter)[0] == 0 or exponent in (0, ones(letter)):
            assert got == b
        elif abs(value(b, letter)) * factor < Fraction(2) ** (1 - BIAS[letter]):
            assert got == join(sign, 0, 0, letter)
        else:  # an all-ones exponent keeps sign and mantissa
            assert value(got, letter) == value(b, letter) * factor
            assert split(got, letter)[2] == mantissa
