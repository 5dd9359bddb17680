"""Parts of products are added up before they travel: where sums of parts are only added to each other, as those of a
product whose common axis is cut into pieces, the parts of all pieces are added in place, and one sum travels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from haribote.stack.maps import PART, BitMap
from haribote.stack.plan import Action, Compute, Shift, Version, reads, writes

LITTLE = 32
"""Long words per PE of parts that may be more than their sum, though they take up room until all of them are there."""


class _Sum(NamedTuple):
    """Two sums of parts that are added, by their numbers among the actions, and what adds them."""

    first: int
    second: int
    add: int


def sums_in_parts(actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions with one sum in the place of several that are added; the sooner of two operands waits in parts."""
    found = list(actions)
    while (pair := next(_pairs(found), None)) is not None:
        one, other, add = (found[number] for number in pair)
        assert isinstance(one, Shift) and isinstance(other, Shift) and isinstance(add, Compute)
        (result,) = add.writes
        parts = replace(result, map=one.source.map)
        added = Compute(add.nodes, (one.source, other.source), (parts,))
        del found[pair.add]
        found[pair.second : pair.second + 1] = [added, Shift(parts, result, one.combine)]
        del found[pair.first]
    return tuple(found)


def _pairs(actions: Sequence[Action]) -> Iterator[_Sum]:
    """What can be added in parts."""
    read = Counter(version for action in actions for version in reads(action))
    maker = {version: number for number, action in enumerate(actions) for version in writes(action)}
    for number, action in enumerate(actions):
        if isinstance(action, Compute) and [node.op_type for node in action.nodes] == ["Add"]:
            operands = [version for version in action.reads if read[version] == 1]
            numbers = sorted(maker[version] for version in operands if version in maker)
            if len(numbers) == len(action.reads) == 2 and _alike(actions, numbers, action.writes[0], read):
                yield _Sum(numbers[0], numbers[1], number)


def _alike(actions: Sequence[Action], numbers: Sequence[int], result: Version, read: Counter[Version]) -> bool:
    """Whether both are sums of parts of one map, which nothing else reads, to the layout in which they are added."""
    one, other = (actions[number] for number in numbers)
    return (
        isinstance(one, Shift)
        and isinstance(other, Shift)
        and one.combine == other.combine == "fadd"
        and not one.axes
        and not other.axes
        and _is_in_parts(one.source.map)
        and one.source.map.longs <= max(result.map.longs, LITTLE)
        and one.source.map == other.source.map
        and one.target.map == other.target.map == result.map
        and read[one.source] == read[other.source] == 1
    )


def _is_in_parts(found: BitMap) -> bool:
    """Whether units hold parts, all at the same words."""
    levels = {bit.level for bit, carry in found.carries if carry == PART}
    return bool(levels) and levels.isdisjoint(("W", "address"))
