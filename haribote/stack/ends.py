"""Moves with a free end in DRAM: from a map that the host can lay out as suits the way down, or into one on the way up.

The way down is found as every path is, back from what is wanted; what must be known of the map in DRAM is then a few
bits, and the others stand in an order in which few MV fill an L2BM. The way up is followed from the map that there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import count

from haribote.stack.chains import Chain, Path, cycles, fits_exactly, follow, hop
from haribote.stack.costs import least
from haribote.stack.demand import FIRST_ADDRESS, Demand, before
from haribote.stack.maps import PART, BitMap, Memory, axis_bits
from haribote.stack.places import NoRoom
from haribote.stack.ways import BITS, HEIGHT, UNIT_COUNT, Way, ways, ways_into
from simulator.messages import tr

TRIED = 12
"""Chains of ways that are followed before the cheapest is taken."""


@lru_cache(maxsize=1 << 10)
def path_from_dram(target: BitMap) -> Path:
    """The cheapest path down to a map; that before its first hop is in DRAM. Raises NoRoom where there is none."""
    chains = sorted(_down(Demand.of(target), target, 0.0, ()), key=lambda chain: chain[0])
    paths = [path for _, asked, steps in chains[:TRIED] if (path := _filled(asked, steps, target)) is not None]
    if not paths:
        raise NoRoom(tr("there is no way from DRAM to {target}", target))
    return min(paths, key=cycles)


def _down(wanted: Demand, target: BitMap, cost: float, steps: Chain) -> Iterator[tuple[float, Demand, Chain]]:
    """Chains of ways to a demand with what they cost at least and what they ask of the map in DRAM."""
    if wanted.memory == "DRAM":
        yield cost, wanted, steps
        return
    for way in ways_into(wanted.memory, assumed=True):
        if way.source == "PDM" or HEIGHT[way.source] < HEIGHT[way.target] or not _fits(way, steps, target):
            continue
        if way.masked and not any(wanted.table.get(bit, -1) >= 0 for bit in way.numbers.puts):
            continue
        if (asked := before(way, wanted)) is not None:
            price = cost + least(way, wanted, target.width)
            yield from _down(asked, target, price, ((way, wanted), *steps))


def _fits(way: Way, steps: Chain, target: BitMap) -> bool:
    """Within the PEs at most a turn through a matrix and a copy of single words, at the end."""
    if not steps:
        return fits_exactly(way, target) and (way.kind != "copy" or way.words == 1)
    if way.source != way.target:
        return True
    return (
        len(steps) == 1
        and {way.kind, steps[0][0].kind} == {"copy", "matrix"}
        and way.words == 1 + (way.kind == "matrix")
    )


def _filled(asked: Demand, steps: Chain, target: BitMap) -> Path | None:
    """The path from a map in DRAM that meets a demand: bits that it leaves open at the lowest free addresses, in the
    order of the memory that the first hop fills, so that an MV finds long runs; those that tell its units apart last,
    so that what goes to one memory lies together."""
    table = dict(asked.table)
    way, wanted = steps[0]
    places = _places(way, wanted, target)
    left = sorted((index for index in places if index not in table.values()), key=places.__getitem__)
    bit = FIRST_ADDRESS + way.source_block
    while left:
        if bit >= len(BITS):
            return None
        choice = [index for index in left if not asked.bars(index, bit)]
        if bit not in table and choice:
            table[bit] = choice[0]
            left.remove(choice[0])
        bit += 1
    return follow(steps, BitMap.of("DRAM", target.shape, {BITS[bit]: carry for bit, carry in table.items()}))


def _places(way: Way, wanted: Demand, target: BitMap) -> dict[int, int]:
    """Where each index bit comes to stand behind a hop: at the bit that is asked for, or the next free address. What
    tells units apart stands above all addresses."""
    found = {index: bit + len(BITS) * (bit < UNIT_COUNT[way.target]) for bit, index in wanted.table.items()}
    free = (bit for bit in count(FIRST_ADDRESS + way.target_block) if bit not in wanted.table)
    return {index: found[index] if index in found else next(free) for index in _order(target)}


def _order(found: BitMap) -> list[int]:
    """Index bits, those of axes that are no powers of two first: what an MV need not move then lies together."""
    bits = [
        (size == 1 << axis_bits(size), bit) for size, axis in zip(found.shape, found.axes, strict=True) for bit in axis
    ]
    return [bit for _, bit in sorted(bits)]


# --- up --------------------------------------------------------------------------------------------------------------

_RISING: tuple[tuple[Memory, Memory], ...] = (("LM", "L1BM"), ("L1BM", "L2BM"), ("L2BM", "DRAM"))


@lru_cache(maxsize=1 << 10)
def path_to_dram(source: BitMap) -> Path:
    """The cheapest path up from a map without parts; that after its last hop is in DRAM. Raises NoRoom."""
    if PART in source.table.values():
        raise NoRoom(
            tr("parts of sums cannot go to DRAM: {source}", source), tr("join them first, by a move with `combine`")
        )
    legs = [leg for leg in _RISING if HEIGHT[leg[0]] >= HEIGHT[source.memory]]
    best = min(_up(source, legs, ()), key=cycles, default=None)
    if best is None:
        raise NoRoom(tr("there is no way from {source} to DRAM", source))
    return best


def _up(found: BitMap, legs: list[tuple[Memory, Memory]], path: Path) -> Iterator[Path]:
    if not legs:
        yield path
        return
    (source, target), *others = legs
    for way in ways(""):
        if (way.source, way.target, way.single, way.kind == "mv") != (source, target, False, target == "DRAM"):
            continue
        made = hop(way, found, Demand(target, {}), found)
        if made is not None:
            yield from _up(made.target, others, (*path, made))
