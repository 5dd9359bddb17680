"""Matrix-vector products against exact rationals."""

from __future__ import annotations

import random

import numpy as np
import pytest

from simulator.engine import numbers
from tests.simulator.engine.numbers_oracle import (
    BIAS,
    FRACTION_BITS,
    LOWER,
    array,
    encode,
    join,
    ones,
    row_times_vector,
    split,
    value,
)

SIZE = {"d": 4, "f": 4, "g": 8, "h": 16}


def block_of(rng: random.Random, letter: str, size: int) -> list[int]:
    """A block float with many extreme mantissas, in order to overflow sums and reach all correction terms."""
    top, field = ones(letter), FRACTION_BITS[letter]
    exponent = rng.choice((rng.randrange(1, top), BIAS[letter] + rng.randrange(-3, 4), 1, top - 1, top))
    low = 5 if letter == "g" else 0
    choices = (lambda: rng.randrange(2**field), lambda: rng.randrange(2**6), lambda: 2**field - 1, lambda: 0)
    mantissas = [rng.choice(choices)() >> low << low for _ in range(size)]
    return [join(rng.randrange(2), exponent, m, letter) for m in mantissas]


def added(rng: random.Random, total, letter: str) -> int:
    """An addend near minus the sum, near half an ulp of it, or anything."""
    sign, exponent, mantissa = split(encode(-total, letter), letter)
    kind = rng.randrange(3)
    if kind == 0 and 0 < exponent < ones(letter):
        return join(sign, exponent, mantissa ^ rng.randrange(4), letter)
    if kind == 1 and exponent > FRACTION_BITS[letter] + 1:
        return join(rng.randrange(2), exponent - FRACTION_BITS[letter] - 1, rng.choice((0, 0, 1)), letter)
    return join(rng.randrange(2), rng.randrange(ones(letter) + 1), rng.randrange(2 ** FRACTION_BITS[letter]), letter)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("letter", "dfgh")
def test_matvec(letter, narrow):
    rng = random.Random(23)
    addend = "d" if letter == "d" else "f"
    output = LOWER[addend] if narrow else addend
    matrices, vectors, addends, plain, summed = [], [], [], [], []
    for _ in range(60):
        matrix = [block_of(rng, letter, SIZE[letter]) for _ in range(SIZE[letter])]
        x = block_of(rng, letter, SIZE[letter])
        sums = [row_times_vector(row, x, letter) for row in matrix]
        c = [added(rng, total, addend) for total in sums]
        matrices.append(matrix), vectors.append(x), addends.append(c)
        plain.append([encode(total, output) for total in sums])
        summed.append([encode(t + value(b, addend), output) for t, b in zip(sums, c, strict=True)])
    a, x, c = array(matrices, letter), array(vectors, letter), array(addends, addend)
    assert np.array_equal(numbers.matvec(letter, a, x, None, narrow), array(plain, output))
    assert np.array_equal(numbers.matvec(letter, a, x, c, narrow), array(summed, output))


@pytest.mark.parametrize("letter", "dfgh")
def test_four_vectors_share_one_matrix(letter):
    """The machine's case: a[mab, 1, i, j] with x[mab, cycle, j]."""
    rng = random.Random(24)
    size = SIZE[letter]
    a = array([[[block_of(rng, letter, size) for _ in range(size)]] for _ in range(5)], letter)
    x = array([[block_of(rng, letter, size) for _ in range(4)] for _ in range(5)], letter)
    c = array([[[0] * size] * 4] * 5, "d" if letter == "d" else "f")
    each = [[numbers.matvec(letter, a[m, 0], x[m, cycle], c[m, cycle]) for cycle in range(4)] for m in range(5)]
    assert np.array_equal(numbers.matvec(letter, a, x, c), np.array(each))
