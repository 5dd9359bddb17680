"""What a contraction says about index bits: `nk,mk->nm` on the axes of two maps.

Each axis has a letter. A letter of both operands and the result is a batch, one of both operands alone is summed over,
one of an operand and the result is free. The bits of the index along an axis are named by letter and number, so that
what stands in a map of one operand can be compared with the other's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from haribote.errors import HariboteError
from haribote.stack.maps import Bit, BitMap, Memory, axis_bits


class NoProduct(HariboteError):
    """A contraction that cannot be written, or not with these maps."""


class Tag(NamedTuple):
    """Bit `number` of the index along the axis `letter`."""

    letter: str
    number: int

    def __str__(self) -> str:
        return f"{self.letter}{self.number}"


Carry = Tag | int
"""What a bit of a place carries: a bit of an index, or COPY, NOTHING, PART."""
Carries = Mapping[Bit, Carry]


@dataclass(frozen=True)
class Spec:
    """A contraction and the sizes of its axes (not padded)."""

    a: str
    b: str
    out: str
    sizes: tuple[tuple[str, int], ...]

    @staticmethod
    def of(text: str, a: Sequence[int], b: Sequence[int]) -> Spec:
        """From `nk,mk->nm` and the shapes of both operands' maps. Raises NoProduct."""
        match = re.fullmatch(r"([a-z]+),([a-z]+)->([a-z]*)", text)
        if match is None:
            raise NoProduct(f"{text!r} is no contraction of two operands", "such as nk,mk->nm")
        one, two, out = match.groups()
        if any(len(set(letters)) < len(letters) for letters in (one, two, out)):
            raise NoProduct(f"{text!r} names an axis twice in one operand", "diagonals are picked before")
        if set(out) - set(one) - set(two) or (set(one) ^ set(two)) - set(out):
            raise NoProduct(f"{text!r}: the result's axes are an operand's, and an axis of one operand is the result's")
        sizes: dict[str, int] = {}
        for letters, shape in ((one, a), (two, b)):
            if len(letters) != len(shape):
                raise NoProduct(f"{letters!r} names {len(letters)} axes, but the map is of a tensor of shape {shape}")
            for letter, size in zip(letters, shape, strict=True):
                if sizes.setdefault(letter, size) != size:
                    raise NoProduct(f"{text!r}: the axes {letter} have sizes {sizes[letter]} and {size}")
        return Spec(one, two, out, tuple(sizes.items()))

    def __str__(self) -> str:
        return f"{self.a},{self.b}->{self.out}"

    @cached_property
    def size(self) -> Mapping[str, int]:
        """Elements along each axis."""
        return dict(self.sizes)

    @cached_property
    def summed(self) -> frozenset[str]:
        """The letters that are summed over."""
        return frozenset(self.a) & frozenset(self.b) - frozenset(self.out)

    @cached_property
    def batch(self) -> frozenset[str]:
        """The letters of both operands and the result."""
        return frozenset(self.a) & frozenset(self.b) & frozenset(self.out)

    def is_summed(self, carry: Carry | None) -> bool:
        """Whether what a bit carries is an index bit that is summed over."""
        return isinstance(carry, Tag) and carry.letter in self.summed

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the result."""
        return tuple(self.size[letter] for letter in self.out)

    def rank(self, tag: Tag) -> tuple[int, int]:
        """Order by the place in the result's index, lowest first; what is summed over comes by its place in `a`."""
        letters = self.out if tag.letter in self.out else self.a
        return len(letters) - letters.index(tag.letter), tag.number

    def map(self, memory: Memory, carries: Carries) -> BitMap:
        """The map of the result from what its bits carry. Raises LayoutError where a bit is missing."""
        return map_of(self.shape, self.out, memory, carries)

    def padding(self, values: Mapping[Tag, int]) -> bool:
        """True where the index bits given put every element beyond an axis's end, whatever the other bits are."""
        least: dict[str, int] = {}
        for tag, value in values.items():
            least[tag.letter] = least.get(tag.letter, 0) | value << tag.number
        return any(start >= self.size[letter] for letter, start in least.items())


def tags(found: BitMap, letters: str) -> dict[Bit, Carry]:
    """What each bit of a map carries, by letters of its axes."""
    names = index_tags(found.shape, letters)
    return {bit: carry if carry < 0 else names[carry] for bit, carry in found.carries}


def address_tags(carries: Carries) -> list[tuple[int, Tag]]:
    """The index bits at addresses with the numbers of the address bits, the lowest first."""
    found = [(bit.number, c) for bit, c in carries.items() if bit.level == "address" and isinstance(c, Tag)]
    return sorted(found, key=lambda entry: entry[0])


def map_of(shape: Sequence[int], letters: str, memory: Memory, carries: Carries) -> BitMap:
    """The inverse of `tags`."""
    numbers = _numbers(tuple(shape), letters)
    table = {bit: numbers[carry] if isinstance(carry, Tag) else carry for bit, carry in carries.items()}
    return BitMap.of(memory, shape, table)


@lru_cache(maxsize=1 << 12)
def index_tags(shape: tuple[int, ...], letters: str) -> tuple[Tag, ...]:
    """The bits of an element's index by letters of the axes, the lowest first."""
    axes = zip(reversed(letters), reversed(shape), strict=True)
    return tuple(Tag(letter, number) for letter, size in axes for number in range(axis_bits(size)))


@lru_cache(maxsize=1 << 12)
def _numbers(shape: tuple[int, ...], letters: str) -> Mapping[Tag, int]:
    """The inverse of `index_tags`."""
    return {tag: number for number, tag in enumerate(index_tags(shape, letters))}
