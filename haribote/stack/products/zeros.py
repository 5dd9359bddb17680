"""Which operands must hold zeros in their padding, since a product sums over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

from haribote.stack.maps import axis_bits
from haribote.stack.products.core import Core
from haribote.stack.products.matching import loops, turned
from haribote.stack.products.spec import Tag, tags

Zeros = Literal["none", "one", "both"]
"""Whose padding must hold zeros: in "one" of the operands, whichever."""
ORDER: tuple[Zeros, ...] = ("none", "one", "both")


def zeros(cores: Sequence[Core]) -> Zeros:
    """What is enough for each of some cores. Blocks of addresses that are all padding are left out. Other padding needs
    zeros in one of the operands; where the eight that share an exponent are padding and elements, in both.
    """
    return max(map(_zeros, cores), key=ORDER.index)


@lru_cache(maxsize=1 << 14)
def _zeros(core: Core) -> Zeros:
    spec, near = core.spec, core.kind.near if core.matrix else ()
    x, y = (
        turned(tags(found, letters), turn)
        for found, letters, turn in zip((core.a, core.b), (spec.a, spec.b), core.turns, strict=True)
    )
    walked = loops(spec, x, y, near) if core.matrix else loops(spec, x, y)
    assert walked is not None
    found: Zeros = "none"
    for letter in spec.summed:
        size = spec.size[letter]
        at_address = _ones(tag for tag in walked.summed if tag.letter == letter)
        together = _ones(tag for bit in near if isinstance(tag := x.get(bit), Tag) and tag.letter == letter)
        padding = range(size, 1 << axis_bits(size))
        if any(number & ~together < size for number in padding if together):
            return "both"
        if any(number & at_address < size for number in padding):
            found = "one"
    return found


def _ones(found: Iterable[Tag]) -> int:
    """The number in which just these bits are 1."""
    return sum(1 << tag.number for tag in found)
