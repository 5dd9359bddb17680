"""Moves: a tensor from one place to another, by the cheapest path that was found, or by the way that always works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from haribote.stack.issues import MASKS, Issue, issues, mask_lines
from haribote.stack.maps import BitMap
from haribote.stack.pack import pack
from haribote.stack.places import BANKS, NoRoom, Place, Room, Taker
from haribote.stack.search import Hop, Path, candidates
from simulator import Program, assemble
from simulator.checks import fix_nops
from simulator.cost import Cost, cost_of

TRIED = 3
"""Paths that are written out before the cheapest is taken."""


@dataclass(frozen=True)
class Move:
    """A move as assembly. ways: the names of its hops."""

    source: Place
    target: Place
    text: str
    ways: tuple[str, ...]
    program: Program
    cost: Cost


def write(path: Path, source: Place, target: Place, room: Room) -> Move:
    """The assembly of a path. Raises NoRoom where a tensor does not fit on the way."""
    places = list(_places(path, source, target, room.taker()))
    lines: list[str] = []
    hops: list[list[Issue]] = []
    texts: list[list[str]] = []
    for hop, before, after in zip(path, places, places[1:], strict=False):
        found = issues(hop, before, after)
        if not hop.way.masked:
            hops.append(found)
            texts.append([issue.text for issue in found])
            continue
        for number, (part, masks) in enumerate(_masked(hop, found)):
            if number:
                lines += pack(hops, texts)
                hops, texts = [], []
            lines += masks
            hops.append([issue for issue, _ in part])
            texts.append([text for _, text in part])
    lines += pack(hops, texts)
    text = fix_nops(assemble("\n".join(lines) + "\n"))
    program = assemble(text)
    return Move(source, target, text, tuple(hop.way.name for hop in path), program, cost_of(program))


def _masked(hop: Hop, found: Sequence[Issue]) -> Iterator[tuple[list[tuple[Issue, str]], list[str]]]:
    """The lines of a hop with their mask entries, as many masks at a time as there are entries; and what sets these."""
    values = sorted({issue.masked or 0 for issue in found})
    for start in range(0, len(values), MASKS):
        part = values[start : start + MASKS]
        entries = {value: number for number, value in enumerate(part, 1)}
        chosen = [issue for issue in found if (issue.masked or 0) in entries]
        yield [(issue, issue.text.format(omr=entries[issue.masked or 0])) for issue in chosen], mask_lines(hop, part)


def _places(path: Path, source: Place, target: Place, taker: Taker) -> Iterator[Place]:
    """Where the tensor is before, between and after the hops."""
    yield source
    last = source
    for hop, after in zip(path, path[1:], strict=False):
        longs = _longs(hop, after)
        if hop.target.memory == "LM":
            bank, start = taker.bank(2 * longs, last.memory, target.memory if after is path[-1] else "")
            last = Place(bank, start, hop.target)
        else:
            last = Place(hop.target.memory, taker.buffer(hop.target.memory, longs), hop.target)
        yield last
    yield Place(target.memory, target.address, path[-1].target)


def _longs(hop: Hop, after: Hop) -> int:
    """Long words of a buffer: whole blocks of both hops that use it."""
    bits = max(hop.way.target_block, after.way.source_block)
    return max(hop.target.longs, 1 << bits)


def move(source: Place, target: Place, room: Room | None = None, assumed: bool = False) -> Move | None:
    """The cheapest of the first paths that a search finds; None where it finds none that fits."""
    best: Move | None = None
    room = room or Room()
    through = {"LM" if memory in BANKS else memory for memory in room.free}
    for path in islice(candidates(source.map, target.map, through, assumed=assumed), TRIED):
        try:
            found = write(path, source, target, room)
        except NoRoom:
            continue
        if best is None or found.cost.cycles < best.cost.cycles:
            best = found
    return best
