"""What a hop costs, from the maps on both sides, before any instruction is written (isa.md, section 13)."""

from __future__ import annotations

from collections.abc import Mapping

from haribote.stack.demand import Demand
from haribote.stack.maps import COPY, UNITS, Bit, BitMap, Memory, W, unit_bits
from haribote.stack.ways import NUMBER, Way
from simulator.isa.cost import BETWEEN_GROUPS, BROADCAST_FROM_PDM, INSIDE_GROUP, REDUCE_TO_DRAM, REDUCE_TO_PDM

STEP = 4
"""Cycles of a step."""
UNIT_COUNT: Mapping[Memory, int] = {memory: len(unit_bits(memory)) for memory in UNITS}
"""Bits of the units of each memory: the first of `ways.BITS`."""
_W = NUMBER[W]
LATENCY = 2
"""Steps that pass, about, between a hop of the PEs and the next."""


def least(way: Way, wanted: Demand, width: int, waste: int = 0) -> float:
    """Cycles that a hop takes at least, if what the demand leaves open is as good as can be.

    width: bits of an index; waste: bits of the target's address that the hop fills with nothing new.
    """
    table, count = wanted.table, UNIT_COUNT[way.target]
    copied_units = copies = 0
    for bit, carry in table.items():
        if carry == COPY:
            copied_units += bit < count
            copies += bit > _W or (bit == _W and way.words == 1)
    addresses = max(width - 1 - count + copied_units, 0) + copies
    puts = [table.get(bit, COPY) for bit in way.numbers.puts]
    chosen = sum(1 for carry in puts if carry >= 0)
    issues = max(addresses + waste - _covered(way), 0) + chosen
    issues += 0 if way.free_copies else puts.count(COPY)
    return _cycles(way, issues, way.between, chosen if way.masked else -1)


def exact(way: Way, source: BitMap, target: BitMap) -> float:
    """Cycles of a hop between two maps, hops in turn."""
    issues = (
        len(loops(way, source, target)) + len(copied(way, target)) - (2 if way.kind in ("copy", "add", "clear") else 0)
    )
    masks = sum(1 for bit in way.puts if target[bit] >= 0) if way.masked else -1
    return _cycles(way, max(issues, 0), between_groups(way, source, target), masks)


def loops(way: Way, source: BitMap, target: BitMap) -> list[int]:
    """The index bits that differ from issue to issue."""
    within = {source[bit] for bit, _ in way.wires} | {source[bit] for bit in way.to_address}
    within |= {target[bit] for bit in way.from_address}
    return [index for index in range(min(source.width, target.width)) if index not in within]


def copied(way: Way, target: BitMap) -> list[Bit]:
    """The target bits that take an issue for each of their values though both hold the same."""
    wired = {bit for _, bit in way.wires} | {*way.repeated, *way.from_address}
    return [
        bit
        for bit, carry in target.carries
        if carry == COPY
        and bit not in wired
        and (bit.level in ("W", "address") or (bit in way.puts and not way.free_copies))
    ]


def between_groups(way: Way, source: BitMap, target: BitMap) -> bool:
    """True where words go from one group's memory to another's by name."""
    return way.between and any(source[bit] != target[bit] for bit in unit_bits("PDM"))


def _covered(way: Way) -> int:
    """Address bits of the target that one issue covers, as logarithm."""
    if way.kind in ("copy", "add"):
        return {1: 1, 2: 2, 4: 3}[way.words]
    if way.kind == "matrix":
        return 2
    return len(way.to_address) + way.target_block if way.kind == "down" else way.target_block


def _cycles(way: Way, issues: int, between: bool, masks: int) -> float:
    """issues, masks: their numbers, as logarithms; masks -1 for none."""
    if way.kind == "mv":
        rate = BROADCAST_FROM_PDM if way.name == "mvb p@.c" else BETWEEN_GROUPS if between else INSIDE_GROUP
        if way.combine:
            rate = REDUCE_TO_DRAM if way.target == "DRAM" else REDUCE_TO_PDM
        return 64 * (1 << issues) / rate.longs
    twice = way.kind == "matrix" and len(way.to_address) > 2
    if way.kind == "add":
        return STEP * (LATENCY + lines_of(way) * (1 << issues))
    masking = 2 + (2 << masks) if masks >= 0 else 0
    return STEP * (LATENCY + masking + (1 << issues + twice))


def lines_of(way: Way) -> int:
    """Lines in which a way joins the parts of four times its words."""
    return {"add W": 2, "add PE 0": 3, "add PE 1": 3, "add PEs": 5}.get(way.name, 1 << way.parts)
