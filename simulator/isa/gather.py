"""Index formulas solved: for every long word that a transfer writes, which one it takes.

A formula (`formulas`) is solved for the addresses A = B = 0 and once for all transfers that differ only in
their addresses. Every side is seen as units of neighbouring long words: L1BMs of an L2B, L2BMs, groups, or just one;
the 64 PEs of an L1B are one unit of 256 W long words, ordered by cycle, long word, PE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from simulator import isa
from simulator.isa.formulas import Formula, Index, Reference
from simulator.isa.transfers import Transfer
from simulator.messages import tr

PES = isa.MABS * isa.PES_PER_MAB
"""PEs of an L1B."""
KEPT = 1 << 14
"""Long words of a move up to which its solution is kept for the next one of this size."""
_UNITS: Mapping[str, tuple[int, ...]] = {
    "L1BM": (isa.L1BS,),
    "L2BM": (isa.GROUPS, isa.L2BS_PER_GROUP),
    "PDM": (isa.GROUPS,),
    "DRAM": (isa.GROUPS,),
}
"""How many values the coordinates before the address have, where a formula names them."""


@dataclass(frozen=True)
class Side:
    """One side of a transfer. units: those that take part; count: long words of each, from the address on."""

    memory: str
    of: int  # how many units there are
    units: tuple[int, ...]
    count: int


@dataclass(frozen=True, eq=False)
class Gather:
    """index: int64 [input, long word of the destination]: which long word of the source, both units one after another.

    There is more than one input where a reduction combines them, in the order in which its stages take them.
    plain: the destination is the source as it stands.
    """

    source: Side
    destination: Side
    index: Index
    plain: bool


def gather_of(transfer: Transfer) -> Gather:
    """What a transfer takes from where, from its address on."""
    constants = tuple(sorted({**transfer.constants, "A": 0, "B": 0}.items()))
    solve = _solve if transfer.constants.get("n", 0) <= KEPT else _solve.__wrapped__
    return solve(transfer.formula, constants, tuple(transfer.chosen.items()))


@lru_cache(maxsize=512)
def _solve(
    formula: Formula, constants: tuple[tuple[str, int], ...], chosen: tuple[tuple[str, tuple[int, ...]], ...]
) -> Gather:
    known = dict(constants)
    ends, starts = formula.points(known, dict(chosen))
    destination, to = _side(formula.destination, ends, known.get("W", 1))
    source, origin = _side(formula.source, starts, known.get("W", 1))
    order = np.lexsort((origin, to))
    places = len(destination.units) * destination.count
    inputs = np.repeat(np.arange(places), len(to) // places)
    assert np.array_equal(to[order], inputs), tr("a transfer writes whole stretches, all words of as many inputs")
    index = origin[order].reshape(places, -1).T.copy()
    plain = np.array_equal(index, np.arange(len(source.units) * source.count)[None])
    return Gather(source, destination, index, plain)


def _side(reference: Reference, points: Index, wide: int) -> tuple[Side, Index]:
    """The side, and the number of each point's long word among those of its units one after another."""
    if reference.memory == "PE":
        shape = (isa.STEP_CYCLES, wide, isa.MABS, isa.PES_PER_MAB)
        m, p, c, w = points.T
        return Side("PE", 1, (0,), prod(shape)), np.asarray(np.ravel_multi_index((c, w, m, p), shape))
    *leading, address = points.T
    sizes = _UNITS[reference.memory][: len(leading)]
    unit = np.ravel_multi_index(tuple(leading), sizes) if leading else np.zeros_like(address)
    units = np.unique(unit)
    count = int(address.max()) + 1
    side = Side(reference.memory, prod(sizes), tuple(map(int, units)), count)
    return side, np.searchsorted(units, unit) * count + address
