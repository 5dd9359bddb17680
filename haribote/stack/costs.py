"""What a hop costs, from the maps on both sides, before any instruction is written (isa.md, section 13)."""

from __future__ import annotations

from collections.abc import Sequence

from haribote.stack.demand import FIRST_ADDRESS, Demand, Made
from haribote.stack.maps import COPY, NOTHING, W
from haribote.stack.ways import NUMBER, UNIT_COUNT, Way
from simulator.isa.cost import BETWEEN_GROUPS, BROADCAST_FROM_PDM, INSIDE_GROUP, REDUCE_TO_DRAM, REDUCE_TO_PDM

STEP = 4
"""Cycles of a step."""
_W = NUMBER[W]
LATENCY = 2
"""Steps that pass, about, between a hop of the PEs and the next."""


def least(way: Way, wanted: Demand, width: int, waste: int = 0) -> float:
    """Cycles that a hop takes at least, if what the demand leaves open is as good as can be.

    width: bits of an index; waste: bits of the target's address that the hop fills with nothing new.
    """
    copied_units, copied_words, copied_addresses = wanted.copies
    addresses = max(width - 1 - UNIT_COUNT[way.target] + copied_units, 0) + copied_addresses
    addresses += copied_words if way.words == 1 else 0
    puts = [wanted.table.get(bit, COPY) for bit in way.numbers.puts]
    chosen = sum(1 for carry in puts if carry >= 0)
    issues = max(addresses + waste - (chosen if way.kind == "choose" else 0) - _covered(way), 0) + chosen
    issues += 0 if way.free_copies else puts.count(COPY)
    return hop_cycles(way, issues, way.between, chosen if way.masked else -1)


def exact(made: Made) -> float:
    """Cycles of a hop between two maps, hops in turn."""
    return hop_cycles(made.way, issues(made), _between(made), _masks(made))


def issues(made: Made) -> int:
    """How many times a way's lines are written, as logarithm."""
    chosen = max(_masks(made), 0) if made.way.kind == "choose" else 0  # a line has one mask
    count = len(loops(made)) + len(copied(made)) - chosen
    return max(count - (2 if made.way.kind in ("copy", "choose", "add", "clear") else 0), 0) + chosen


def _between(made: Made) -> bool:
    source, target = made.source, made.target
    return made.way.between and any(source.get(bit) != target.get(bit) for bit in range(UNIT_COUNT["PDM"]))


def _masks(made: Made) -> int:
    """How many units masks tell apart, as logarithm; -1 for none."""
    if not made.way.masked:
        return -1
    return sum(1 for bit in made.way.numbers.puts if made.target.get(bit, NOTHING) >= 0)


def written(path: Sequence[Made]) -> float:
    """Cycles of a path as it is written, with the nops between its hops; masks are there already, as long as there are
    entries for them, but those by which units keep a share count as set twice: they take the entries of other moves.

    Of 239 moves of four compiled models 95 % cost as much within 10 %.
    """
    total, before, lines_before = 0.0, "", 0
    for made in path:
        way = made.way
        if way.kind == "mv":
            moved = hop_cycles(way, issues(made), _between(made), -1)
            total += max(moved, ISSUED * (1 << issues(made) - run_bits(made)))
            kind, lines = "mv", 0
        else:
            kind = "l2bm up" if way.target == "L2BM" else "l2bm down" if way.source == "L2BM" else way.kind
            lines = _lines(made)
            masks = max(_masks(made), 0)
            more = MASK_LINES * max(0, (1 << masks) - MASK_ENTRIES)
            more = max(more, 2 * MASK_LINES << masks) if way.kind == "choose" else more
            total += STEP * (lines + more + waits(before, lines_before, kind, lines))
        before, lines_before = kind, lines
    return total


def run_bits(made: Made) -> int:
    """Of the index bits that differ from issue to issue of an MV, how many run through neighbours on both sides: one
    instruction moves all of these words."""
    source, target, way = made.source, made.target, made.way
    count = 0
    while True:
        carry = target.get(FIRST_ADDRESS + way.target_block + count, NOTHING)
        if carry < 0 or source.get(FIRST_ADDRESS + way.source_block + count, NOTHING) != carry:
            return min(count, issues(made))
        count += 1


ISSUED = 4 * STEP
"""Cycles from the issue of one MV instruction to that of the next."""
MASK_ENTRIES, MASK_LINES = 8, 4
"""Masks that are set up once, and the lines that set one up."""


def _lines(made: Made) -> int:
    """Lines of a hop that is no MV."""
    way, count = made.way, 1 << issues(made)
    if way.kind == "add":
        return lines_of(way) * count + (2 if way.name == "add W" else 0)  # which turns words, and waits once
    if way.kind != "matrix":
        return count
    highest = way.numbers.to_address[2:]  # a block is written in two parts, and read in two where they tell something
    return count * (2 + len(way.numbers.from_address[2:]) + sum(made.source.get(bit, NOTHING) >= 0 for bit in highest))


def waits(before: str, lines_before: int, kind: str, lines: int) -> int:
    """Steps that the first line of a hop waits for the hop before it, mostly for its last line (isa.md, Waits)."""
    if kind == "down" and before == "up":
        return 2
    if kind == "l2bm down" and before in ("l2bm up", "mv"):
        return 3
    if kind == "l2bm up" and before == "up":
        return max(0, 3 - lines_before)
    if kind == "down" and before == "l2bm down":
        return 2 if min(lines_before, lines) == 1 else 0
    if before == "add":
        return int(kind != "add" or lines_before <= 4)
    if kind == "up" and before:
        return max(0, 3 - lines_before) if before == "copy" else int(lines_before <= 4)
    return int(bool(before) and lines_before <= 2)


def loops(made: Made) -> list[int]:
    """The index bits that differ from issue to issue."""
    source, target, numbers = made.source, made.target, made.way.numbers
    within = {source.get(bit) for bit in (*numbers.sources, *numbers.to_address)}
    within.update([target.get(bit) for bit in numbers.from_address])
    return [index for index in range(min(made.width, made.left)) if index not in within]


def copied(made: Made) -> list[int]:
    """The target bits that take an issue for each of their values though both hold the same."""
    way, numbers = made.way, made.way.numbers
    return [
        bit
        for bit, carry in made.target.items()
        if carry == COPY
        and bit not in numbers.wired
        and bit not in numbers.repeated
        and bit not in numbers.from_address
        and (bit >= _W or (bit in numbers.puts and not way.free_copies))
    ]


def _covered(way: Way) -> int:
    """Address bits of the target that one issue covers, as logarithm."""
    if way.kind in ("copy", "choose", "add"):
        return {1: 1, 2: 2, 4: 3}[way.words]
    if way.kind == "matrix":
        return 2
    return len(way.to_address) + way.target_block if way.kind == "down" else way.target_block


def hop_cycles(way: Way, issues: int, between: bool, masks: int) -> float:
    """issues, masks: their numbers, as logarithms; masks -1 for none."""
    if way.kind == "mv":
        rate = BROADCAST_FROM_PDM if way.name == "mvb p@.c" else BETWEEN_GROUPS if between else INSIDE_GROUP
        if way.combine:
            rate = REDUCE_TO_DRAM if way.target == "DRAM" else REDUCE_TO_PDM
        return 64 * (1 << issues) / rate.longs
    if way.kind == "add":
        return STEP * (LATENCY + lines_of(way) * (1 << issues))
    masking = 0 if masks < 0 else MASK_LINES << masks if way.kind == "choose" else 2 + (2 << masks)
    lines = 2 << max(len(way.to_address) - 2, 0) if way.kind == "matrix" else 1  # writes and reads of its register
    return STEP * (LATENCY + masking + (lines << issues))


def lines_of(way: Way) -> int:
    """Lines in which a way joins the parts of four times its words."""
    return {"add W": 2, "add PE 0": 3, "add PE 1": 3, "add PEs": 5}.get(way.name, 1 << way.parts)
