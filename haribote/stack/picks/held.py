"""What every word of every PE holds, as arrays [word, PE] of element numbers; the inverse of places.

An element's number is its index as a row of bits, axes padded to powers of two (see `maps`): the bits that maps carry.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.layout import PE_STRIDE
from haribote.stack.maps import COPY, NOTHING, Bit, BitMap, W
from simulator import isa

Ints = NDArray[np.signedinteger[Any]]
"""Numbers of elements, words and PEs, which all are below 2^31: arrays [word, PE] of int32 take half the time."""
NONE = -2
"""A word that holds no element of the tensor."""
FILL = -1
"""A word that wants the fill value."""


def pe_weight(bit: Bit) -> int:
    """What a unit's bit adds to the number of a PE (0 to 4095)."""
    weights = {"group": isa.L2BS_PER_GROUP * PE_STRIDE["L2B"], **PE_STRIDE}
    return weights[bit.level] << bit.number


def word_weight(bit: Bit) -> int:
    """What W or a bit of the address adds to the number of a word."""
    return 1 if bit == W else 2 << bit.number


def in_unit(bit: Bit) -> bool:
    """True for bits that tell PEs apart."""
    return bit.level not in ("W", "address")


def elements(found: BitMap, some_words: Ints | None = None, some_pes: Ints | None = None) -> Ints:
    """The number of the element that each word of each PE holds, or NONE: int32 [word, PE].

    some_words, some_pes: only these; by default all of the tensor, words from its first one on, and all 4096 PEs.
    """
    words = (np.arange(2 * found.longs, dtype=np.int32) if some_words is None else some_words)[:, None]
    pes = (np.arange(isa.ALL_PES, dtype=np.int32) if some_pes is None else some_pes)[None, :]
    ones: list[Ints] = [np.zeros_like(words), np.zeros_like(pes)]
    zeros = [ones[0].copy(), ones[1].copy()]
    empty = [np.zeros(words.shape, np.bool_), np.zeros(pes.shape, np.bool_)]
    beyond = words >= 1 << (found.address_bits + 1)
    for bit, carry in found.carries:
        side = int(in_unit(bit))
        value = pes // pe_weight(bit) & 1 if side else words // word_weight(bit) & 1
        if carry >= 0:
            ones[side] |= value << carry
            zeros[side] |= (1 - value) << carry
        elif carry == NOTHING:
            empty[side] |= value == 1
        else:
            assert carry == COPY
    for number in range(found.address_bits):  # address bits that are not in the table carry NOTHING
        if found[Bit("address", number)] == NOTHING:
            empty[0] |= words >> (number + 1) & 1 == 1
    number_of = ones[0] | ones[1]
    wrong = (number_of & (zeros[0] | zeros[1])) != 0
    wrong |= empty[0] | empty[1] | beyond
    return np.where(wrong | outside(found, number_of), NONE, number_of)


def outside(found: BitMap, numbers: Ints) -> NDArray[np.bool_]:
    """True where an element number is beyond the tensor, in what its axes are padded by."""
    wrong = np.zeros(numbers.shape, np.bool_)
    for size, bits in zip(found.shape, found.axes, strict=True):
        if size < 1 << len(bits):
            wrong |= (numbers >> bits.start & (1 << len(bits)) - 1) >= size
    return wrong


def flat_of(found: BitMap, numbers: Ints) -> Ints:
    """Element numbers as flat row-major indices."""
    flat = np.zeros_like(numbers)
    for size, bits in zip(found.shape, found.axes, strict=True):
        flat = flat * size + (numbers >> bits.start & (1 << len(bits)) - 1)
    return flat


def word_of(found: BitMap, numbers: Ints) -> Ints:
    """The word, from the tensor's first on, in which a PE that holds these elements has (copy 0 of) them."""
    total = np.zeros_like(numbers)
    for bit, carry in found.carries:
        if carry >= 0 and not in_unit(bit):
            total |= (numbers >> carry & 1) * word_weight(bit)
    return total
