"""Moves: a tensor from one place to another, by the cheapest path that was found, or by the way that always works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from haribote.stack.code import Code
from haribote.stack.cuts import halves
from haribote.stack.hops import Serial, clean_buffer, fewer_words, mask_rounds, padded, place_after
from haribote.stack.issues import Issue, issues
from haribote.stack.maps import PART, BitMap
from haribote.stack.pack import pack
from haribote.stack.paths import paths
from haribote.stack.pieces import down, up
from haribote.stack.places import BANKS, NoRoom, Place, Room
from haribote.stack.search import THROUGH, Path
from simulator import Program, assemble
from simulator.assembly.checks import fix_nops
from simulator.isa.cost import Cost, cost_of


@dataclass(frozen=True)
class Move:
    """A move as assembly. ways: the names of its hops; resort: no search has found it; combine: what joins the parts
    of the source; also: further targets; scratch: it may write behind the places too.
    """

    source: Place
    target: Place
    text: str
    ways: tuple[str, ...]
    program: Program
    cost: Cost
    resort: bool = False
    combine: str = ""
    also: tuple[Place, ...] = ()
    scratch: bool = False

    @property
    def targets(self) -> tuple[Place, ...]:
        """All places that get the result."""
        return (self.target, *self.also)


def emit(
    code: Code,
    source: Place,
    target: Place | Sequence[Place],
    combine: str = "",
    padding: bool = True,
    assumed: bool = True,
) -> None:
    """Adds the lines of a move to a program, with room on the way from `code`. Source and targets must not overlap.

    target: one place, or several of the same map in different banks. combine: how the parts of a source with PART are
    joined, one of `ways.Combine`. padding: what lies beyond the tensor in the places that the map pads to powers of two
    is moved too; otherwise the target holds anything there. assumed: also by instructions that isa.md marks [A]. Raises
    NoRoom. A move that is too large for the buffers goes in halves; where these cannot be told apart at both ends, by
    way of DRAM.
    """
    targets = [target] if isinstance(target, Place) else list(target)
    if padding:
        source, *targets = (replace(place, map=place.map.padded) for place in (source, *targets))
    try:
        code.add(*_whole(code, source, targets, combine, assumed))
    except NoRoom:
        cut = halves(*(replace(place, map=place.map.padded) for place in (source, *targets)))
        if cut is not None:
            for first, last in cut:
                emit(code, first, last, combine, padding, assumed)
        elif source.memory in BANKS and targets[0].memory in BANKS and PART not in source.map.table.values():
            _through_dram(code, source, targets)
        else:
            raise


def _through_dram(code: Code, source: Place, targets: Sequence[Place]) -> None:
    """Up in the pieces that the source has, and down in those of the targets. Raises NoRoom."""
    found = dram_map_of(source.map)
    middle = Place("DRAM", code.dram(found.longs), found)
    to_dram(code, source, middle.address)
    emit(code, middle, targets)


def _whole(code: Code, source: Place, targets: Sequence[Place], combine: str, assumed: bool) -> list[str]:
    """The lines of the cheapest path that has room. Raises NoRoom."""
    problem = NoRoom(f"there is no way from {source.map} to {targets[0].map}")
    for path in chosen(source, targets[0], combine, assumed):
        try:
            with code.scratch():
                return list(Serial(code, path, source, targets).lines())
        except NoRoom as error:
            problem = error
    raise problem


def dram_map_for(target: BitMap) -> BitMap:
    """The map in DRAM from which a map is reached most cheaply. Raises NoRoom."""
    return down(target).whole


def from_dram(code: Code, address: int, targets: Sequence[Place], fill: float | None = None) -> BitMap:
    """Adds the lines that bring down what the host has laid out by `dram_map_for`, which is returned; address: of its
    first long word in DRAM. targets: places of the same map, in different banks.

    fill: what places that the map pads to powers of two are to hold, None for anything. The host writes it there too.
    Zeros need not be moved: then the L2BM has room of its own for this tensor, with zeros where nothing comes.
    """
    found = down(targets[0].map)
    path, clean = found.path, None
    first, *others = (padded(hop) for hop in path)
    if fewer_words(path[0]):
        if fill is None:
            first, *others = path
        elif fill == 0 and first.target.memory == "L2BM":
            clean = clean_buffer(code, (code.nth(targets[0].map), targets[0].map), first.target.longs)
            first = first if clean is None else path[0]
    source = Place("DRAM", address, found.whole)
    for piece, *ends in zip(found.of(source), *(found.of(place) for place in targets), strict=True):
        try:
            with code.scratch():
                code.add(*Serial(code, (first, *others), piece, ends, clean).lines())
        except NoRoom:  # all at once; `emit` knows halves
            emit(code, piece, ends)
    return found.whole


def dram_map_of(source: BitMap) -> BitMap:
    """The map in DRAM that is reached most cheaply from a map without parts. Raises NoRoom."""
    return up(source).whole


def to_dram(code: Code, source: Place, address: int) -> BitMap:
    """Adds the lines that take a tensor to DRAM, where it lies by `dram_map_of`, which is returned; without padding."""
    found = up(source.map)
    *others, last = found.path
    path = (*others, last if fewer_words(last) else padded(last))
    target = Place("DRAM", address, found.whole)
    for piece, end in zip(found.of(source), found.of(target), strict=True):
        try:
            with code.scratch():
                code.add(*Serial(code, path, piece, [end]).lines())
        except NoRoom:
            emit(code, piece, end)
    return found.whole


def cycles(source: Place, target: Place, combine: str = "") -> float:
    """What a move costs by itself, about."""
    paths_there = chosen(source, target, combine, assumed=True)
    return min((sum(hop.cycles for hop in path) for path in paths_there), default=inf)


def chosen(source: Place, target: Place, combine: str, assumed: bool) -> Sequence[Path]:
    """The paths that a move may take, the cheapest first."""
    found = paths(source.map, target.map, THROUGH | {"DRAM"}, assumed, combine)
    return sorted((path for path, _ in found), key=lambda path: sum(hop.cycles for hop in path))


def write(path: Path, source: Place, target: Place, room: Room) -> Move:
    """The assembly of a path. Raises NoRoom where a tensor does not fit on the way."""
    lines: list[str] = []
    hops: list[list[Issue]] = []

    def flush() -> None:
        lines.extend(pack(hops, [[issue.text for issue in hop] for hop in hops]))
        hops.clear()

    places, taker = [source], room.taker()
    for number, hop in enumerate(path):
        places.append(place_after(path, number, places[-1], target, taker))
        turned = hop.way.kind == "matrix" and any(before.way.kind == "matrix" for before in path[:number])
        if taker.again or turned:  # a buffer, or a matrix register, that an earlier hop may still be reading
            flush()
            taker.again = False
        found = issues(hop, replace(places[-2], map=hop.source), places[-1])
        if any("\n" in issue.text for issue in found):  # lines that forward to each other
            flush()
            lines += [line for issue in found for line in issue.text.splitlines()]
            continue
        for part, masks in mask_rounds(hop, found) if hop.way.masked else [(found, [])]:
            if masks:
                flush()
                lines += masks
            hops.append(part)
    flush()
    combine = next((hop.way.combine for hop in path if hop.way.combine), "")
    return replace(of_lines(lines, source, target), ways=tuple(hop.way.name for hop in path), combine=combine)


def of_lines(lines: Sequence[str], source: Place, target: Place) -> Move:
    """Lines without nops as a move."""
    text = fix_nops(assemble("\n".join(lines) + "\n"))
    program = assemble(text)
    return Move(source, target, text, (), program, cost_of(program))


def move(source: Place, target: Place, room: Room | None = None, assumed: bool = False, combine: str = "") -> Move:
    """The cheapest move between two places; with the last resort where the search finds nothing that fits.

    Source and target must not overlap. assumed: also with instructions that isa.md marks [A]. combine: what joins the
    parts of the source's map, one of `ways.Combine`. Raises NoRoom.
    """
    room = room or Room()
    through = frozenset("LM" if memory in BANKS else memory for memory in room.free)
    best: Move | None = None
    problem = NoRoom(f"there is no way from {source.map} to {target.map}")
    for path, resort in paths(source.map, target.map, through, assumed, combine):
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
