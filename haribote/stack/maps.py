"""A layout as a map on bits: which bit of a tensor's index stands at each bit of the place (design.md, section 8).

Axes are padded to powers of two, so that an element's index is a row of bits, the last axis lowest: a 256x16 tensor has
bits 0 to 3 (`j0` to `j3`) and 4 to 11 (`i0` to `i7`). A place in the machine is a row of bits too: group, L2B, L1B,
MAB, PE, the word of a long word, and the address in long words. Each bit of the place carries a bit of the index, or is
a copy (both values hold the same), or nothing (only the value 0 holds the tensor).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from math import prod
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haribote.layout import LayoutError
from simulator import isa
from simulator.messages import tr

Ints = NDArray[np.int64]
Memory = Literal["LM", "L1BM", "L2BM", "PDM", "DRAM"]
"""Where a tensor is; LM stands for all memories of a PE."""

COPY, NOTHING, PART = -1, -2, -3
"""What a bit of the place carries where it is not a bit of the index. PART: its values hold parts of an element, which
is the sum (or the largest, …) of all of them; a reducing move makes one of them.
"""

UNIT_BITS: Mapping[str, int] = {"group": 2, "L2B": 1, "L1B": 3, "MAB": 4, "PE": 2}
"""Bits of a unit's number within its parent, from the root down; an L2B is one of the two of its group."""
UNITS: Mapping[Memory, tuple[str, ...]] = {
    "LM": ("group", "L2B", "L1B", "MAB", "PE"),
    "L1BM": ("group", "L2B", "L1B"),
    "L2BM": ("group", "L2B"),
    "PDM": ("group",),
    "DRAM": ("group",),
}


class Bit(NamedTuple):
    """A bit of the place. level: one of UNIT_BITS, `W` (word of a long word, 0 = high) or `address` (long words)."""

    level: str
    number: int

    def __str__(self) -> str:
        return f"{self.level} {self.number}"


W = Bit("W", 0)


@cache
def address(number: int) -> Bit:
    """A bit of the address in long words."""
    return Bit("address", number)


@cache
def unit_bits(memory: Memory) -> tuple[Bit, ...]:
    """The bits that tell the units of a memory apart, from the root down."""
    return tuple(Bit(level, number) for level in UNITS[memory] for number in range(UNIT_BITS[level]))


def axis_bits(size: int) -> int:
    """Bits of the index along an axis."""
    return max(size - 1, 0).bit_length()


@dataclass(frozen=True)
class BitMap:
    """Which index bit (or COPY or NOTHING) each bit of a place carries.

    shape: of the tensor, not padded. carries: every unit bit of the memory, W, and the address bits that are not
    NOTHING, in the order of `_key`; make one with `BitMap.of`.
    """

    memory: Memory
    shape: tuple[int, ...]
    carries: tuple[tuple[Bit, int], ...]

    @staticmethod
    def of(memory: Memory, shape: Sequence[int], carries: Mapping[Bit, int]) -> BitMap:
        """A map from a table; bits that are not in it carry NOTHING. Raises LayoutError where an index bit has no
        place, or a bit of the table is none of the memory's.
        """
        standing = (*unit_bits(memory), W)
        for bit in carries:
            if bit not in standing and bit.level != "address":
                raise LayoutError(
                    tr(
                        "{memory} has no bit {bit!s}; it has {value} and addresses",
                        memory,
                        bit,
                        ", ".join(map(str, standing)),
                    )
                )
        table = {bit: NOTHING for bit in standing} | {bit: c for bit, c in carries.items() if c != NOTHING}
        result = _made(memory, tuple(shape), tuple(sorted(table.items(), key=_key)))
        missing = set(range(result.width)).difference(table.values())
        if missing:
            names = ", ".join(result.name(bit) for bit in sorted(missing))
            raise LayoutError(
                tr("index bits {names} of a {shape} tensor have no place in {memory}", names, shape, memory),
                tr("give each a place"),
            )
        return result

    @cached_property
    def _hash(self) -> int:
        return hash((self.memory, self.shape, self.carries))

    def __hash__(self) -> int:
        return self._hash  # maps are keys of many dictionaries, and tuples do not keep theirs

    def __reduce__(self) -> tuple[type[BitMap], tuple[object, ...]]:
        return BitMap, (self.memory, self.shape, self.carries)  # another process hashes texts otherwise

    @cached_property
    def table(self) -> Mapping[Bit, int]:
        """What each bit carries."""
        return dict(self.carries)

    def __getitem__(self, bit: Bit) -> int:
        return self.table.get(bit, NOTHING)

    @cached_property
    def axes(self) -> tuple[range, ...]:
        """The index bits of every axis, lowest first."""
        found: list[range] = []
        start = 0
        for size in reversed(self.shape):
            found.append(range(start, start + axis_bits(size)))
            start = found[-1].stop
        return tuple(reversed(found))

    @cached_property
    def width(self) -> int:
        """Bits of an element's index."""
        return self.axes[0].stop if self.axes else 0

    def name(self, carry: int) -> str:
        """`i3` for bit 3 along the first axis, `j0`, …; `copy` and `-` for the others."""
        if carry < 0:
            return {COPY: "copy", NOTHING: "-", PART: "part"}[carry]
        for letter, bits in zip("ijklmnopqrstuv", self.axes, strict=False):
            if carry in bits:
                return f"{letter}{carry - bits.start}"
        return f"bit {carry}"

    @cached_property
    def places(self) -> Mapping[int, tuple[Bit, ...]]:
        """The inverse: where each index bit stands (more than one bit for a stride such as `2_L2B:3`)."""
        found: dict[int, tuple[Bit, ...]] = {}
        for bit, carry in self.carries:
            if carry >= 0:
                found[carry] = (*found.get(carry, ()), bit)
        return found

    @cached_property
    def addresses(self) -> tuple[tuple[Bit, int], ...]:
        """The address bits with what they carry."""
        return tuple((bit, carry) for bit, carry in self.carries if bit.level == "address")

    @cached_property
    def address_bits(self) -> int:
        """One more than the highest address bit in use."""
        return max((bit.number + 1 for bit, _ in self.addresses), default=0)

    @cached_property
    def longs(self) -> int:
        """Long words of the room that the padded tensor takes up in each unit."""
        return 1 + sum(1 << bit.number for bit, _ in self.addresses)

    @property
    def padded(self) -> BitMap:
        """The same bits as the map of a tensor whose axes are powers of two; all its places belong to the tensor."""
        return replace(self, shape=tuple(1 << len(bits) for bits in self.axes))

    def copies(self, level: str | None = None) -> tuple[Bit, ...]:
        """The bits (of a level) that are copies."""
        return tuple(bit for bit, carry in self.carries if carry == COPY and level in (None, bit.level))

    def indices(self) -> Ints:
        """The index of every element as a number of `width` bits, of the tensor's shape."""
        total = np.zeros(self.shape, np.int64)
        for axis, bits in enumerate(self.axes):
            along = np.arange(self.shape[axis]) << bits.start
            total += along.reshape([-1] + [1] * (len(self.shape) - axis - 1))
        return total

    def positions(self, level: str) -> Ints:
        """Number of the unit of `level` (or the word, or the address) that holds copy 0 of every element; int64 of the
        tensor's shape.
        """
        index, total = self.indices(), np.zeros(self.shape, np.int64)
        for bit, carry in self.carries:
            if bit.level == level and carry >= 0:
                total |= (index >> carry & 1) << bit.number
        return total

    def element(self, place: Mapping[Bit, int]) -> tuple[int, ...] | None:
        """The element that a place holds, or None; bits that are not given are 0."""
        index = 0
        for carry, bits in self.places.items():
            values = {place.get(bit, 0) for bit in bits}
            if len(values) != 1:
                return None
            index |= values.pop() << carry
        if any(value and self[bit] == NOTHING for bit, value in place.items()):
            return None
        found = tuple((index >> bits.start) & ((1 << len(bits)) - 1) for bits in self.axes)
        return found if all(i < size for i, size in zip(found, self.shape, strict=True)) else None

    def satisfies(self, demand: BitMap) -> bool:
        """True where every place in which `demand` has an element has the same one here."""
        same = self.memory == demand.memory and self.shape == demand.shape
        return same and all(carry in (NOTHING, self[bit]) for bit, carry in demand.carries)

    def transposed(self) -> BitMap:
        """The map of the transposed matrix in the same places."""
        rows, columns = self.axes
        moved = {bit: bit - columns.start + len(rows) for bit in columns} | {bit: bit - rows.start for bit in rows}
        return self.renamed(self.shape[::-1], moved)

    def renamed(self, shape: Sequence[int], names: Mapping[int, int]) -> BitMap:
        """The map of a tensor of another shape in the same places. names: of the index bits that have another there."""
        return BitMap.of(self.memory, shape, {bit: names.get(carry, carry) for bit, carry in self.carries})


@lru_cache(maxsize=1 << 16)
def _made(memory: Memory, shape: tuple[int, ...], carries: tuple[tuple[Bit, int], ...]) -> BitMap:
    """One object for equal maps, which keeps what has been found out about them."""
    return BitMap(memory, shape, carries)


_ORDER = {level: number for number, level in enumerate((*UNIT_BITS, "W", "address"))}


def _key(entry: tuple[Bit, int]) -> tuple[int, int]:
    return _ORDER[entry[0].level], entry[0].number


def broadcast(found: BitMap, shape: Sequence[int]) -> BitMap:
    """The map of a tensor as one of a larger shape that it is broadcast to by NumPy's rules: the same places, their
    index bits counted in `shape`. Bits of the new axes stand nowhere, so the result is for reading only.
    """
    wide = BitMap(found.memory, tuple(shape), ())
    renamed: dict[int, int] = {}
    for own, bits in zip(reversed(found.axes), reversed(wide.axes), strict=False):
        renamed |= dict(zip(own, bits, strict=False))
    return replace(wide, carries=tuple((bit, renamed.get(carry, carry)) for bit, carry in found.carries))


def dram(shape: Sequence[int]) -> BitMap:
    """Row-major in DRAM, two elements per long word, more than 16 in four equal parts (design.md, section 5).

    Raises LayoutError where that is not a map on bits.
    """
    count = prod(shape)
    widths = [axis_bits(size) for size in shape]
    straight = all(size == 1 << bits for size, bits in zip(shape[1:], widths[1:], strict=True))
    if not straight or (count > isa.SMALL_TENSOR and count != 1 << sum(widths)):
        raise LayoutError(
            tr("a tensor of shape {shape} is no map on bits in DRAM", tuple(shape)), tr("pad it to powers of two")
        )
    width = sum(widths)
    carries = {(W if bit == 0 else address(bit - 1)): bit for bit in range(width)}
    if count > isa.SMALL_TENSOR:
        for number in range(2):
            del carries[address(width - 3 + number)]
            carries[Bit("group", number)] = width - 2 + number
    return BitMap.of("DRAM", shape, carries)


# --- what a change needs ---------------------------------------------------------------------------------------------


class Wire(NamedTuple):
    """Where a bit of the place after a change comes from."""

    target: Bit
    source: Bit


def wires(before: BitMap, after: BitMap) -> Iterator[Wire]:
    """The map from the places before to those after, as pairs of bits; a composition of `after` with the inverse."""
    for target, carry in after.carries:
        if carry >= 0:
            yield Wire(target, before.places[carry][0])


LEVELS = ("none", "PE", "MAB", "L1B", "L2B", "group", "root")
"""How far up the tree words have to travel: `MAB` within the PEs of a MAB, …, `root` from group to group."""


def level_of_change(before: BitMap, after: BitMap) -> str:
    """The lowest level of the tree within which all words of a change between memories of PEs can travel.

    A bit of a unit's number is crossed where its units held different elements, or one of them none, and hold others
    now; a copy is never crossed.
    """
    if before.satisfies(after):
        return "none"
    inside = {"group": "root", "L2B": "group", "L1B": "L2B", "MAB": "L1B", "PE": "MAB"}
    for bit in unit_bits("LM"):
        if _crossed(before[bit], after[bit]):
            return inside[bit.level]
    return "PE"


def _crossed(before: int, after: int) -> bool:
    return before != COPY and before != after and not (before == NOTHING and after == NOTHING)
