"""The ways by which units keep their share: all of them hold a tensor, each copies its part under a write mask."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations

from haribote.stack.maps import Bit, unit_bits
from haribote.stack.ways import Way, kept

IDENTITY: Mapping[str, tuple[str, int]] = {
    "group": ("l2bid", 2), "L2B": ("l2bid", 1), "L1B": ("l1bid", 1), "MAB": ("peid", 4), "PE": ("peid", 1),
}  # fmt: skip
"""The number of its own in which a unit finds which of a level it is, and the weight of the level's lowest bit there
(isa.md, section 1)."""


@cache
def choice(bits: frozenset[Bit]) -> Way:
    """Of what all units hold each keeps its share. bits: those by which the units differ, all found in one number."""
    puts = tuple(bit for bit in unit_bits("LM") if bit in bits)
    name = " ".join(["choose", *(f"{bit.level}{bit.number}" for bit in puts)])
    return Way(name, "choose", "LM", "LM", "", kept(*bits), puts=puts, free_copies=True, masked=True)


@cache
def choices() -> tuple[Way, ...]:
    """All of them."""
    units = unit_bits("LM")
    numbers = dict.fromkeys(number for number, _ in IDENTITY.values())
    of_number = [[bit for bit in units if IDENTITY[bit.level][0] == number] for number in numbers]
    return tuple(
        choice(frozenset(some))
        for bits in of_number
        for count in range(1, len(bits) + 1)
        for some in combinations(bits, count)
    )
