"""How the host lays a value out in DRAM, and reads it back: by the map that its way to or from the PEs begins with."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from haribote.errors import HariboteError
from haribote.stack.maps import BitMap
from haribote.stack.plan import Version
from haribote.stack.products import pairs
from haribote.stack.program.contents import ANYTHING, contents
from simulator import isa
from simulator.engine.numbers.formats import HALF
from simulator.messages import tr

if TYPE_CHECKING:
    from simulator import Machine

Words = NDArray[np.uint32]
Ints = NDArray[np.int64]

WORDS = {"i": np.int32, "b": np.int32, "u": np.uint32}
"""What a word of the chip is, by the kind of a value's type; of all others a float."""


BEYOND_HALVES = 2.0 ** (HALF.bias + 1) * (1 - 2.0 ** -(HALF.fraction_bits + 2))
"""The least number that becomes an infinity when it is rounded to a half."""


class Packing:
    """A value in DRAM.

    version: which value, how its axes are split and filled up; found: its map in DRAM; address: in long words, the same
    in every group; shape, dtype: the value's own. Elements are single words: floats
    as float32, all others as int32.
    """

    def __init__(self, version: Version, found: BitMap, address: int, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self.version, self.map, self.address = version, found, address
        self.shape, self.dtype = shape, np.dtype(dtype)

    @property
    def longs(self) -> int:
        """Long words that the value takes up in every group."""
        return self.map.longs

    @cached_property
    def _elements(self) -> Ints:
        """The element (flat in the value's shape) at every place; the number of elements where there is none.

        int64 [group, word]. The second word of a long word comes first, as in the machine's arrays.
        """
        table = np.where(self._contents == ANYTHING, self._count, self._contents)
        return table.reshape(isa.GROUPS, -1, 2)[:, :, ::-1].reshape(isa.GROUPS, -1)

    @cached_property
    def _contents(self) -> Ints:
        return contents(self.map, self.version.split, self.shape)

    @property
    def _count(self) -> int:
        return prod(self.shape)

    @cached_property
    def _groups(self) -> list[int]:
        """The groups that hold anything."""
        return [group for group in range(isa.GROUPS) if (self._contents[group] != ANYTHING).any()]

    @cached_property
    def _positions(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Group and word of the first copy of every element."""
        order = self._elements.ravel()
        place = np.zeros(self._count + 1, np.intp)
        place[order[::-1]] = np.arange(order.size)[::-1]
        group, word = np.divmod(place[:-1], order.size // isa.GROUPS)
        return group, word

    def write(self, machine: Machine, value: NDArray[Any]) -> None:
        """Put a value of the shape into DRAM, what lies beyond it filled up. Raises HariboteError if it is too wide."""
        if too_wide(value):
            raise HariboteError(
                tr("{name!r} has numbers of more than the 32 bits that the chip keeps", self.version.value),
                tr("numbers below 2^31, or a device on the host"),
            )
        words = np.append(_words(value), _words(np.asarray(self.version.fill or 0, self.dtype)))
        for group in self._groups:
            machine.dram[group].write(self.address, words[self._elements[group]].view(np.uint64))

    def read(self, machine: Machine) -> NDArray[Any]:
        """The value that is in DRAM."""
        found = np.stack([machine.dram[g].read(self.address, self.longs) for g in range(isa.GROUPS)]).view(np.uint32)
        words = found[self._positions].reshape(self.shape)
        return words.view(WORDS.get(self.dtype.kind, np.float32)).astype(self.dtype)


class HalfPacking:
    """A value in DRAM as halves. version: as it is on the chip; the map is that of its pairs."""

    def __init__(self, version: Version, found: BitMap, address: int, shape: tuple[int, ...]) -> None:
        below = pairs.pairs_of(version)
        assert below is not None
        self.version = version
        self._pairs = Packing(below, found, address, pairs.pairs_shape(version, shape), np.float32)

    def write(self, machine: Machine, value: NDArray[Any]) -> None:
        """Put a value of the shape into DRAM, rounded to halves. Raises HariboteError for numbers that none is near."""
        most = float(np.abs(value).max(initial=0))
        if most >= BEYOND_HALVES:
            raise HariboteError(
                tr("{value!r} has a number of {most:.3g}, and here it lies in halves", self.version.value, most),
                tr("numbers below {most:.3g}, or precision float", BEYOND_HALVES),
            )
        self._pairs.write(machine, pairs.packed(self.version, value))


def too_wide(value: NDArray[Any] | None) -> bool:
    """Whether a whole number in it is more than the 32 bits that the chip keeps."""
    if value is None or value.dtype.kind not in "iu" or value.itemsize < 8 or not value.size:
        return False
    low, high = (-(2**31), 2**31 - 1) if value.dtype.kind == "i" else (0, 2**32 - 1)
    return bool(value.min() < low or value.max() > high)


def _words(value: NDArray[Any]) -> Words:
    """A value as single words, flat."""
    if value.dtype.kind not in "iub":  # bfloat16 has a kind of its own
        return np.ascontiguousarray(value, np.float32).reshape(-1).view(np.uint32)
    return np.ascontiguousarray(value.astype(np.int32)).reshape(-1).view(np.uint32)
