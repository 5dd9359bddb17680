"""x*y + z of the MAU against exact rationals, bit by bit."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from simulator.engine.numbers import add, fma, multiply, normalise
from tests.simulator.engine.numbers_oracle import (
    FRACTION_BITS,
    LOWER,
    array,
    encode,
    infinity,
    join,
    near_boundaries,
    ones,
    patterns,
    product,
    split,
    value,
)

CASES = {"h": 6000, "f": 6000, "d": 2500}
MODES = [(letter, narrow) for letter in "hfd" for narrow in (False, True)]


def formats_of(letter: str, narrow: bool) -> tuple[str, str]:
    """The letters of the addend and of the result."""
    addend = "d" if letter == "d" else "f"
    return addend, LOWER[addend] if narrow else addend


def addends(rng: random.Random, letter: str, products: list[Fraction]) -> list[int]:
    """One addend per product: any pattern, or one of its size, or half its ulp, or minus it but for some ulps."""
    chosen = patterns(rng, letter, len(products))
    for i, number in enumerate(products):
        kind = rng.randrange(4)
        near = encode(-number if kind == 1 else number, letter)
        sign, exponent, mantissa = split(near, letter)
        if kind == 1 and 0 < exponent < ones(letter):
            chosen[i] = max(near + rng.randrange(-2, 3), 0)
        elif kind == 2 and FRACTION_BITS[letter] + 2 < exponent < ones(letter):
            chosen[i] = join(rng.randrange(2), exponent - FRACTION_BITS[letter] - rng.randrange(3), 0, letter)
        elif kind == 3 and 0 < exponent < ones(letter):
            chosen[i] = join(sign ^ rng.randrange(2), min(exponent + rng.randrange(30), ones(letter)), mantissa, letter)
    return chosen


def differences(got: np.ndarray, expected: list[int], *inputs: list[int]) -> list[tuple[str, ...]]:
    """The cases that differ, in hexadecimal: result, expected, inputs."""
    assert len(got) == len(expected)
    cases = zip(got.tolist(), expected, *inputs, strict=True)
    return [tuple(map(hex, case)) for case in cases if case[0] != case[1]][:5]


@pytest.mark.parametrize(("letter", "narrow"), MODES)
def test_fma(letter, narrow):
    rng = random.Random(10)
    x, y = patterns(rng, letter, CASES[letter]), patterns(rng, letter, CASES[letter])
    addend, output = formats_of(letter, narrow)
    products = [product(*pair, letter) for pair in zip(x, y, strict=True)]
    z = addends(rng, addend, products)
    expected = [encode(p + value(c, addend), output) for p, c in zip(products, z, strict=True)]
    got = fma(letter, array(x, letter), array(y, letter), array(z, addend), narrow)
    assert differences(got, expected, x, y, z) == []


@pytest.mark.parametrize("narrow", [False, True])
def test_fma_does_not_round_twice(narrow):
    rng = random.Random(11)
    output = "h" if narrow else "f"
    x, y, z = zip(*(near_boundaries(rng, output) for _ in range(3000)), strict=True)
    sums = [product(a, b, "f") + value(c, "f") for a, b, c in zip(x, y, z, strict=True)]
    expected = [encode(number, output) for number in sums]
    twice = [encode(Fraction(float(number)), output) for number in sums]
    assert sum(a != b for a, b in zip(expected, twice, strict=True)) > 200, "the cases must tell one rounding from two"
    got = fma("f", array(x, "f"), array(y, "f"), array(z, "f"), narrow)
    assert differences(got, expected, x, y, z) == []


@pytest.mark.parametrize(("letter", "narrow"), MODES)
def test_multiply(letter, narrow):
    rng = random.Random(12)
    x, y = patterns(rng, letter, CASES[letter]), patterns(rng, letter, CASES[letter])
    _, output = formats_of(letter, narrow)
    expected = [encode(product(*pair, letter), output) for pair in zip(x, y, strict=True)]
    assert differences(multiply(letter, array(x, letter), array(y, letter), narrow), expected, x, y) == []


@pytest.mark.some(5)
@pytest.mark.parametrize("special", [False, True], ids=["ordinary", "with infinities"])
@pytest.mark.parametrize(("letter", "narrow"), MODES)
def test_add(letter, narrow, special):
    rng = random.Random(13)
    x = [b for b in patterns(rng, letter, CASES[letter]) if special or split(b, letter)[1] < ones(letter)]
    addend, output = formats_of(letter, narrow)
    z = addends(rng, addend, [value(b, letter) for b in x])
    if not special:
        z = [b if split(b, addend)[1] < ones(addend) else 0 for b in z]
    expected = [encode(value(a, letter) + value(c, addend), output) for a, c in zip(x, z, strict=True)]
    assert differences(add(letter, array(x, letter), array(z, addend), narrow), expected, x, z) == []


@pytest.mark.parametrize(("letter", "narrow"), MODES)
def test_normalise(letter, narrow):
    x = patterns(random.Random(14), letter, CASES[letter])
    expected = [encode(value(b, letter), formats_of(letter, narrow)[1]) for b in x]
    assert differences(normalise(letter, array(x, letter), narrow), expected, x) == []


def test_the_manuals_check_value():
    """isa.md, section 11.2: the exact result would be 0x4a000004."""
    x, z = array([0x49800008], "f"), array([0xD3800000], "f")
    assert fma("f", x, x, z) == 0x4A000010


@pytest.mark.parametrize("letter", "fd")
def test_infinity_is_an_ordinary_number_on_input(letter):
    """isa.md, section 11.1: its square outweighs it, and 0 times it is 0."""
    plus, minus = (array([infinity(sign, letter)], letter) for sign in (0, 1))
    zero = array([0], letter)
    assert fma(letter, minus, minus, minus) == plus
    assert fma(letter, minus, plus, plus) == minus
    assert add(letter, plus, minus) == zero
    assert multiply(letter, zero, minus) == zero


@pytest.mark.parametrize("letter", "hf")
def test_blocks_of_a_large_array(letter):
    rng = random.Random(16)
    x, z = patterns(rng, letter, 20000), patterns(rng, "f", 20000)
    expected = [encode(product(a, a, letter) + value(c, "f"), "f") for a, c in zip(x, z, strict=True)]
    assert differences(fma(letter, array(x, letter), array(x, letter), array(z, "f")), expected, x, z) == []


@pytest.mark.parametrize("letter", "hfd")
def test_shapes_broadcast_and_inputs_stay(letter):
    rng = random.Random(15)
    addend = "d" if letter == "d" else "f"
    x = array(patterns(rng, letter, 24), letter).reshape(4, 2, 3)
    y, z = x[:1, :, :], array(patterns(rng, addend, 3), addend)
    before = x.copy(), z.copy()
    got = fma(letter, x, y, z)
    full = [np.ascontiguousarray(np.broadcast_to(t, x.shape)) for t in (x, y, z)]
    assert got.shape == x.shape and np.array_equal(got, fma(letter, *full))
    assert np.array_equal(x, before[0]) and np.array_equal(z, before[1])
    assert fma(letter, x[0, 0, 0], y[0, 0, 0], z[0]) == got[0, 0, 0]
    assert np.array_equal(fma(letter, x[::2, :, ::2], y[..., ::2], z[::2]), got[::2, :, ::2])
