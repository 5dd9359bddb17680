"""A path whose MVs find long runs: words that lie together on both sides go in one instruction.

Which address an index bit has on the way is open but for the few that a hop ties. An MV takes 64 long words, or any
number that follow one another in both memories; one is issued in 16 cycles (isa.md, section 13). So the memory before
an MV gets the order of the memory after it, as far as the hops before that can make it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from haribote.stack.chains import Hop, Path, cycles, follow
from haribote.stack.costs import issues, run_bits
from haribote.stack.demand import FIRST_ADDRESS, Demand, before, by_number
from haribote.stack.maps import BitMap
from haribote.stack.ways import Way

Chain = tuple[tuple[Way, Demand], ...]
FEWER = 4
"""Tries, each with one address bit less that is asked for."""


def in_runs(path: Path, start: BitMap, cleared: Sequence[int] = ()) -> Path:
    """The same ways with fewer MVs, or the path as it is. cleared: as in `chains.follow`."""
    last = max((number for number, hop in enumerate(path) if number and hop.way.kind == "mv"), default=0)
    if not last or path[last].target.shape != start.shape:
        return path
    most = _instructions(path)
    for first in range(FEWER) if most > 1 else ():
        chain = _chain(path, start, last, first)
        found = None if chain is None else follow((*chain, *_rest(path, last)), start, cleared)
        if found is not None and cycles(found) <= cycles(path) and _instructions(found) < most:
            return found
    return path


def _rest(path: Path, last: int) -> Iterator[tuple[Way, Demand]]:
    """What comes after the last MV, as it is."""
    return ((hop.way, Demand.of(hop.target)) for hop in path[last + 1 :])


def _chain(path: Path, start: BitMap, last: int, first: int) -> Chain | None:
    """The ways up to the last MV with what each asks; None where they do not lead there. first: the lowest bit of an
    MV's address, from its block on, that is asked for."""
    demand, chain = Demand.of(path[last].target), Chain()
    for hop in reversed(path[: last + 1]):
        if hop.way.kind == "clear":
            continue
        chain = ((hop.way, demand), *chain)
        asked = before(hop.way, demand)
        if asked is None:
            return None
        demand = _ordered(hop, asked, demand, first) if hop.way.kind == "mv" else asked
    return chain if demand.met_by(by_number(start), FIRST_ADDRESS) else None


def _ordered(hop: Hop, asked: Demand, after: Demand, first: int) -> Demand:
    """A demand before an MV, with the addresses of the demand after it."""
    source, table = by_number(hop.source), dict(asked.table)
    start, end = FIRST_ADDRESS + hop.way.source_block, FIRST_ADDRESS + hop.way.target_block
    free = {carry for bit, carry in source.items() if bit >= start and carry >= 0} - set(table.values())
    order = [carry for bit, carry in sorted(after.table.items()) if bit >= end + first and carry in free]
    places = [bit for bit in sorted(source) if bit >= start + first and bit not in table]
    for bit, carry in zip(places, order, strict=False):
        if asked.bars(carry, bit):
            break
        table[bit] = carry
    return Demand(asked.memory, table, asked.barred)


def _instructions(path: Path) -> int:
    """MVs of a path, about."""
    return sum(1 << issues(hop.made) - run_bits(hop.made) for hop in path if hop.way.kind == "mv")
