"""Moves: a tensor from one place to another, by the cheapest path that was found, or by the way that always works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from haribote.stack.code import Code
from haribote.stack.issues import MASKS, Issue, issues, mask_lines
from haribote.stack.pack import pack
from haribote.stack.paths import paths
from haribote.stack.places import BANKS, NoRoom, Place, Room, Taker
from haribote.stack.search import Hop, Path
from simulator import Program, assemble
from simulator.assembly.checks import fix_nops
from simulator.isa.cost import Cost, cost_of


@dataclass(frozen=True)
class Move:
    """A move as assembly. ways: the names of its hops; resort: no search has found it."""

    source: Place
    target: Place
    text: str
    ways: tuple[str, ...]
    program: Program
    cost: Cost
    resort: bool = False


def write(path: Path, source: Place, target: Place, room: Room) -> Move:
    """The assembly of a path. Raises NoRoom where a tensor does not fit on the way."""
    lines: list[str] = []
    hops: list[list[Issue]] = []
    texts: list[list[str]] = []

    def flush() -> None:
        lines.extend(pack(hops, texts))
        hops.clear()
        texts.clear()

    places, taker = [source], room.taker()
    for number, hop in enumerate(path):
        places.append(_next(path, number, places[-1], target, taker))
        turned = hop.way.kind == "matrix" and any(before.way.kind == "matrix" for before in path[:number])
        if taker.again or turned:  # a buffer, or a matrix register, that an earlier hop may still be reading
            flush()
            taker.again = False
        found = issues(hop, places[-2], places[-1])
        for part, masks in _masked(hop, found) if hop.way.masked else [(found, [])]:
            if masks:
                flush()
                lines += masks
            hops.append(part)
            texts.append([issue.text for issue in part])
    flush()
    text = fix_nops(assemble("\n".join(lines) + "\n"))
    program = assemble(text)
    return Move(source, target, text, tuple(hop.way.name for hop in path), program, cost_of(program))


def _masked(hop: Hop, found: Sequence[Issue]) -> Iterator[tuple[list[Issue], list[str]]]:
    """The lines of a hop with their mask entries, as many masks at a time as there are entries; and what sets these."""
    values = sorted({issue.masked or 0 for issue in found})
    for start in range(0, len(values), MASKS):
        part = values[start : start + MASKS]
        entries = {value: number for number, value in enumerate(part, 1)}
        chosen = [issue for issue in found if (issue.masked or 0) in entries]
        named = [replace(issue, text=issue.text.format(omr=entries[issue.masked or 0])) for issue in chosen]
        yield named, mask_lines(hop, part)


def _next(path: Path, number: int, last: Place, target: Place, taker: Taker) -> Place:
    """Where a hop puts the tensor."""
    hop = path[number]
    if number + 1 == len(path):
        return Place(target.memory, target.address, hop.target)
    block = 1 << max(hop.way.target_block, path[number + 1].way.source_block)
    longs = -(-hop.target.longs // block) * block  # issues write and read whole blocks, also where a map has holes
    longs += hop.way.span if hop.way.single else 0
    if hop.target.memory == "LM":
        others = [last.memory] + [target.memory] * (number + 2 == len(path))
        bank, start = taker.bank(2 * longs, *others)
        return Place(bank, start, hop.target)
    return Place(hop.target.memory, taker.buffer(hop.target.memory, longs, last.memory), hop.target)


def move(source: Place, target: Place, room: Room | None = None, assumed: bool = False) -> Move:
    """The cheapest move between two places; with the last resort where the search finds nothing that fits.

    Source and target must not overlap. assumed: also with instructions that isa.md marks [A]. Raises NoRoom.
    """
    room = room or Room()
    through = frozenset("LM" if memory in BANKS else memory for memory in room.free)
    best: Move | None = None
    problem = NoRoom(f"there is no way from {source.map} to {target.map}")
    for path, resort in paths(source.map, target.map, through, assumed):
        if best is not None and sum(hop.cycles for hop in path) > 2 * best.cost.cycles:
            continue
        try:
            found = replace(write(path, source, target, room), resort=resort)
        except NoRoom as error:
            problem = error
            continue
        if best is None or found.cost.cycles < best.cost.cycles:
            best = found
    if best is None:
        raise problem
    return best


def emit(code: Code, source: Place, target: Place | Sequence[Place], combine: str = "", padding: bool = True) -> None:
    """Adds the lines of a move to a program, with room on the way from `code`. Source and targets must not overlap.

    target: one place, or several of the same map in different banks. combine: how the parts of a source with PART are
    joined, `fadd`, `fmax`, `fmin`, `iadd`, `imax` or `imin`. padding: what lies beyond the tensor in the places that
    the map pads to powers of two is moved too; otherwise the target holds anything there. Raises NoRoom.
    """
    first, *others = [target] if isinstance(target, Place) else list(target)
    assert not combine, "to come"
    code.add(*_emitted(source, first, padding).splitlines())
    for other in others:
        code.add(*_emitted(first, other, padding).splitlines())


def _emitted(source: Place, target: Place, padding: bool) -> str:
    if padding:
        source, target = (replace(place, map=place.map.padded) for place in (source, target))
    return move(source, target).text
