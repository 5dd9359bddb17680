"""Block floats against exact rationals."""

from __future__ import annotations

import random

import numpy as np
import pytest

from simulator.engine import numbers
from tests.simulator.engine.numbers_oracle import (
    BIAS,
    FRACTION_BITS,
    array,
    block,
    block_value,
    extended_block,
    join,
    ones,
    split,
)

SIZE = {"d": 4, "f": 4, "g": 8, "h": 16}


KEPT = {"d": 52, "f": 23, "g": 18, "h": 9}


CONVERSIONS = [("d", None), ("f", None), ("g", None), ("h", None), ("h", 9), ("h", 8), ("h", 7), ("h", 6)]


def ordinary_block(rng: random.Random, letter: str, size: int) -> list[int]:
    """Numbers whose exponents lie close below a common one; many round up, some blocks carry, overflow or are zero."""
    field = FRACTION_BITS[letter]
    largest = rng.choice((0, 1, 2, 5, BIAS[letter], BIAS[letter], ones(letter) - 2, ones(letter) - 1, ones(letter)))
    elements = []
    for _ in range(size):
        exponent = max(largest - rng.choice((0, 0, 1, 2, field - 1, field, field + 1, field + 2, 60)), 0)
        low = rng.randrange(7)  # bits that are random; those above are all ones, all zeros or random too
        top = rng.choice((0, 2**field - 1, rng.randrange(2**field), rng.randrange(2**field)))
        elements.append(join(rng.randrange(2), exponent, top >> low << low | rng.randrange(2**low), letter))
    return elements


@pytest.mark.parametrize(("letter", "keep"), CONVERSIONS)
def test_block_float(letter, keep):
    rng = random.Random(20)
    blocks = [ordinary_block(rng, letter, SIZE[letter]) for _ in range(400)]
    expected = [block(elements, letter, keep or KEPT[letter]) for elements in blocks]
    got = numbers.block_float(array(blocks, letter), letter, axis=1, keep=keep)
    assert np.array_equal(got, array(expected, letter))


@pytest.mark.parametrize("keep", [6, 7, 8, 9])
def test_extended_block_float(keep):
    rng = random.Random(22)
    blocks = [ordinary_block(rng, "h", 16) for _ in range(400)]
    for elements in blocks[:300]:  # most elements beside the limit where they are flagged
        top = max(split(bits, "h")[1] for bits in elements)
        for position in range(1, 16):
            sign, _, mantissa = split(elements[position], "h")
            elements[position] = join(sign, max(top - rng.randrange(4, 9), 0), mantissa, "h")
    expected = [extended_block(elements, keep) for elements in blocks]
    got = numbers.extended_block_float(array(blocks, "h"), axis=1, keep=keep)
    assert np.array_equal(got, array(expected, "h"))
    assert any(split(bits, "h")[1] == 0 and split(bits, "h")[2] for block in expected for bits in block)


@pytest.mark.parametrize("letter", "fgh")
def test_block_value(letter):
    bits = ordinary_block(random.Random(21), letter, 1000)
    assert numbers.block_value(array(bits, letter), letter).tolist() == [float(block_value(b, letter)) for b in bits]


def test_block_over_two_axes():
    """A block of g is two words of four PEs: here axes 1 and 3."""
    rng = random.Random(22)
    blocks = array([ordinary_block(rng, "g", 8) for _ in range(12)], "g")
    words = blocks.reshape(4, 3, 2, 4).swapaxes(1, 2)
    got = numbers.block_float(words, "g", axis=(1, 3)).swapaxes(1, 2).reshape(12, 8)
    assert np.array_equal(got, numbers.block_float(blocks, "g", axis=1))
