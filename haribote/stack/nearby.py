"""Parts within a PE and its neighbours are joined first: that leaves the fewest words for the way up.

Parts at addresses by additions, those in the two words of a long word by turning it, those in the PEs of a MAB by
handing words to neighbours. What is left are parts in MABs, L1Bs and L2Bs, which transfers join.
"""

from __future__ import annotations

from collections.abc import Callable

from haribote.stack.chains import Hop, Path, fits_exactly, hop, numbered
from haribote.stack.demand import Demand
from haribote.stack.maps import PART, Bit, BitMap, W, address
from haribote.stack.ways import Way, named


def joined_nearby(start: BitMap, wanted: BitMap, combine: str) -> Path:
    """The hops that join them; none where there are none. The last one makes `wanted` where it can."""
    ways = _ways(start, combine)
    hops: list[Hop] = []
    found = numbered(start)
    for number, way in enumerate(ways):
        made = None
        if number == len(ways) - 1 and fits_exactly(way, wanted):
            made = hop(way, found, Demand.of(wanted), start)
            made = made if made and made.target.satisfies(wanted) else None
        made = made or hop(way, found, Demand("LM", {}), start)
        assert made is not None
        hops.append(made)
        found = made.target
    return tuple(hops)


def _ways(start: BitMap, combine: str) -> list[Way]:
    parts = {bit for bit, carry in start.carries if carry == PART}
    inside = sum(bit.level == "address" for bit in parts)
    names = [f"add {inside}"] * bool(inside) + ["add W"] * (W in parts)
    pes = [bit in parts for bit in (Bit("PE", 0), Bit("PE", 1))]
    names += ["add PEs"] if all(pes) else [f"add PE {number}" for number in range(2) if pes[number]]
    return [named(name, "LM", "LM", combine) for name in names] if start.memory == "LM" else []


def joined_in_the_end(
    start: BitMap, wanted: BitMap, combine: str, way_to: Callable[[BitMap, BitMap], Path | None]
) -> Path | None:
    """A path on which parts travel as elements of their own, to addresses where each PE of the target joins them; None
    where there is none. way_to: a path between maps without parts.
    """
    parts = numbered(start)
    count = parts.width - start.width
    table = dict(wanted.carries) | {address(wanted.address_bits + k): start.width + k for k in range(count)}
    way = named(f"add {count}", "LM", "LM", combine)
    if wanted.memory != "LM" or not fits_exactly(way, wanted):
        return None
    middle = BitMap.of("LM", parts.shape, table)
    path = way_to(parts, middle)
    return None if path is None else (*path, Hop(way, path[-1].target, wanted))


def apart(found: BitMap, width: int) -> BitMap:
    """A map whose parts are numbered as one that only says where they are: the inverse of `numbered`."""
    if found.width == width:
        return found
    table = {bit: PART if carry >= width else carry for bit, carry in found.carries}
    return BitMap.of(found.memory, found.shape[1:], table)
