"""How far up the tree words have to travel when a layout changes: the obvious form of `stack.maps.level_of_change`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haribote.answers.ownership import exercise
from haribote.stack.maps import UNIT_BITS, Bit, BitMap

Carried = Mapping[str, Sequence[str]]
"""Of each level, what every bit of a unit's number says: an index bit such as `i3`, `copy`, or `-`."""
LEVELS = ("group", "L2B", "L1B", "MAB", "PE")
"""From the root of the tree down."""
WITHIN = {"group": "root", "L2B": "group", "L1B": "L2B", "MAB": "L1B", "PE": "MAB"}
"""Where words stay that go from one unit of a level to another, but not from one of the level above to another."""


def carried(found: BitMap) -> dict[str, list[str]]:
    """What the bits of the units of a layout say, lowest bit first."""
    return {level: [found.name(found[Bit(level, n)]) for n in range(UNIT_BITS[level])] for level in LEVELS}


@exercise("7.6")
def how_far(before: Carried, after: Carried) -> str:
    """The smallest part of the tree in which all words stay: `PE`, `MAB`, `L1B`, `L2B`, `group` or `root`."""
    raise NotImplementedError
