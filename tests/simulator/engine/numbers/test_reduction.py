"""Reductions against exact rationals and Python integers."""

from __future__ import annotations

import random

import numpy as np
import pytest

from simulator.engine.numbers import FORMATS, initial_value, reduce, widen
from tests.simulator.engine.numbers_oracle import (
    BIAS,
    FRACTION_BITS,
    LOWER,
    array,
    encode,
    join,
    ones,
    patterns,
    sign_magnitude,
    staged_sum,
    value,
)

STAGES = [(16,), (4, 4), (8,), (2, 4), (4,), (2,)]


def summands(rng: random.Random, letter: str, count: int) -> list[int]:
    """Numbers of similar size, so that guard bits, ties and cancellation matter; every fourth time any patterns."""
    if rng.randrange(4) == 0:
        return patterns(rng, letter, count)
    field = FRACTION_BITS[letter]
    centre = rng.choice((BIAS[letter], 3, ones(letter) - 2))
    spread = rng.choice((1, 4, field + 5))
    mantissas = (lambda: rng.randrange(2**field), lambda: rng.choice((0, 2**field - 1)), lambda: rng.randrange(2**4))
    exponents = (min(max(centre - rng.randrange(spread), 0), ones(letter)) for _ in range(count))
    bits = [join(rng.randrange(2), exponent, rng.choice(mantissas)(), letter) for exponent in exponents]
    if rng.randrange(2):  # the first input is the largest and a neighbour cancels it, which lays the guard bits bare
        above = min(centre + rng.choice((1, 3, 6)), ones(letter))
        bits[0] = join(rng.randrange(2), above, rng.choice(mantissas)(), letter)
        bits[1] = bits[0] ^ join(1, 0, rng.randrange(2), letter)
    return bits


@pytest.mark.parametrize("stages", STAGES)
@pytest.mark.parametrize(("letter", "narrowing"), [("h", False), ("f", False), ("f", True), ("d", False), ("d", True)])
def test_sum(letter, narrowing, stages):
    rng = random.Random(30)
    output = LOWER[letter] if narrowing else letter
    sums = [summands(rng, letter, int(np.prod(stages))) for _ in range(300)]
    expected = [staged_sum(inputs, letter, stages, output) for inputs in sums]
    got = reduce("fadd", letter, array(sums, letter).T, stages, narrowing=narrowing)
    assert np.array_equal(got, array(expected, output))


def test_a_staged_sum_differs_from_an_exact_one():
    """Guards the test above: its data must exercise the roundings."""
    rng = random.Random(31)
    sums = [summands(rng, "f", 16) for _ in range(300)]
    exact = [encode(sum(value(bits, "f") for bits in inputs), "f") for inputs in sums]
    one, two = (reduce("fadd", "f", array(sums, "f").T, stages) for stages in ((16,), (4, 4)))
    assert (one != array(exact, "f")).sum() > 30 and (two != one).sum() > 30


def test_halves_on_the_single_circuit():
    rng = random.Random(32)
    sums = array([summands(rng, "h", 16) for _ in range(300)], "h").T
    wide = widen(sums, FORMATS["h"], FORMATS["f"])
    expected = [staged_sum(inputs, "f", (4, 4), "h") for inputs in wide.T.tolist()]
    assert np.array_equal(reduce("fadd", "f", sums, (4, 4), widening=True, narrowing=True), array(expected, "h"))


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize("letter", "hfd")
def test_max_and_min_keep_bits(letter, op):
    rng = random.Random(33)
    minus_zero = join(1, 0, 0, letter)
    rows = [patterns(rng, letter, 8) for _ in range(500)] + [[minus_zero, 0] * 4, [minus_zero + 3, minus_zero] * 4]
    choose = max if op == "max" else min
    expected = [choose(row, key=lambda bits: sign_magnitude(bits, letter)) for row in rows]
    assert np.array_equal(reduce(op, letter, array(rows, letter).T, (8,)), array(expected, letter))


def test_max_narrows_at_the_end():
    rng = random.Random(34)
    rows = [patterns(rng, "f", 4) for _ in range(500)]
    expected = [encode(value(max(row, key=lambda bits: sign_magnitude(bits, "f")), "f"), "h") for row in rows]
    assert np.array_equal(reduce("max", "f", array(rows, "f").T, (4,), narrowing=True), array(expected, "h"))


@pytest.mark.parametrize(("letter", "dtype"), [("l", np.uint64), ("i", np.uint32), ("s", np.uint16)])
def test_integers(letter, dtype):
    rng = random.Random(35)
    modulus = 2 ** np.iinfo(dtype).bits
    rows = [[rng.choice((0, 0, 1, modulus - 1, rng.randrange(modulus))) for _ in range(4)] for _ in range(300)]
    values = np.array(rows, dtype).T
    for op, function in {
        "iadd": lambda r: sum(r) % modulus,
        "band": lambda r: r[0] & r[1] & r[2] & r[3],
        "bor": lambda r: r[0] | r[1] | r[2] | r[3],
        "and": lambda r: int(all(r)),
        "or": lambda r: int(any(r)),
    }.items():
        got = reduce(op, letter, values, (4,))
        assert got.dtype == dtype and got.tolist() == [function(row) for row in rows], op


@pytest.mark.parametrize("letter", "hfd")
@pytest.mark.parametrize("op", ["max", "min"])
def test_initial_values_never_win(op, letter):
    bits = array(patterns(random.Random(36), letter, 500), letter)
    start = np.full_like(bits, initial_value(op, letter))
    assert np.array_equal(reduce(op, letter, np.stack([start, bits]), (2,)), bits)


@pytest.mark.parametrize("op", ["iadd", "band", "bor"])
def test_initial_values_are_neutral(op):
    bits = np.random.default_rng(37).integers(0, 2**32, 100, np.uint32)
    start = np.full_like(bits, initial_value(op, "i"))
    assert np.array_equal(reduce(op, "i", np.stack([start, bits]), (2,)), bits)


def test_stages_must_fit_the_inputs():
    with pytest.raises(ValueError, match="8 inputs, but there are 16"):
        reduce("fadd", "f", np.zeros((16, 2), np.uint32), (2, 4))
