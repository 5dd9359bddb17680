"""Walking over the addresses of an operand: which long words a step reads or writes in its four cycles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from haribote.stack.maps import axis_bits
from haribote.stack.places import Place, operand_text
from haribote.stack.products.spec import Carries, Spec, Tag, address_tags

Values = Mapping[Tag, int]
"""Some bits of the index; the others are 0."""


@dataclass(frozen=True)
class ProductSide:
    """An operand or a result: its places, all of the same map, and what the bits of the map carry."""

    homes: tuple[Place, ...]
    carries: Carries

    def tags(self) -> list[Tag]:
        """The index bits at addresses, lowest address first."""
        return [tag for _, tag in address_tags(self.carries)]

    def longs(self, values: Values) -> int:
        """The long word of an element, counted from the first."""
        return sum(
            1 << bit.number
            for bit, carry in self.carries.items()
            if bit.level == "address" and isinstance(carry, Tag) and values.get(carry)
        )

    def text(self, cycles: Sequence[Values], home: int = 0, words: int = 2) -> str:
        """The operand that names these elements in cycles 0 to 3; words: of each access, 2 or 4."""
        place = self.homes[home]
        return operand_text(place.memory, [place.address + 2 * self.longs(values) for values in cycles], words)

    @property
    def banks(self) -> tuple[str, ...]:
        """Of the homes."""
        return tuple(place.memory for place in self.homes)


def walk(spec: Spec, tags: Iterable[Tag]) -> Iterator[dict[Tag, int]]:
    """All values of some index bits, the first bit fastest; those that are all padding are left out."""
    order = list(tags)
    for bits in product(range(2), repeat=len(order)):
        values = dict(zip(order, reversed(bits), strict=True))
        if not spec.padding(values):
            yield values


def count(spec: Spec, tags: Iterable[Tag]) -> int:
    """How many values `walk` gives."""
    letters: dict[str, int] = {}
    for tag in tags:
        letters[tag.letter] = letters.get(tag.letter, 0) | 1 << tag.number
    return prod(_count(spec.size[letter], bits) for letter, bits in letters.items())  # each axis is padded by itself


@lru_cache(maxsize=1 << 14)
def _count(size: int, bits: int) -> int:
    """How many values some bits (of a number) of an index take below a size, the others being 0."""
    if size == 1 << axis_bits(size):
        return 1 << bits.bit_count()
    return sum(1 for number in range(size) if not number & ~bits)


def cycles(tags: Sequence[Tag], values: Values) -> list[dict[Tag, int]]:
    """The elements of the four cycles; bit i of the cycle is the i-th of at most two tags."""
    return [{**values, **{tag: cycle >> i & 1 for i, tag in enumerate(tags)}} for cycle in range(4)]
