"""Moves: a tensor from one place to another, by the cheapest path that was found, or by the way that always works."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from math import inf

from haribote.stack.chains import Path
from haribote.stack.chains import cycles as path_cycles
from haribote.stack.code import Code
from haribote.stack.costs import written
from haribote.stack.cuts import halves
from haribote.stack.hops import Serial, fewer_words, own_buffers, padded
from haribote.stack.maps import COPY, PART, BitMap, Memory, address
from haribote.stack.paths import paths
from haribote.stack.pieces import MOST, down, up
from haribote.stack.places import BANKS, UNIT_LONGS, NoRoom, Place
from simulator import Program, assemble, isa
from simulator.assembly.checks import fix_nops
from simulator.isa.cost import Cost, cost_of
from simulator.messages import tr

MANY_LONGS = 4096
"""Long words of a tensor, or of a piece of it, in an L2BM, from which on it has a buffer there that no other tensor
uses: then those of the next step can be on their way during this one."""


@dataclass(frozen=True)
class Move:
    """A move as assembly. combine: what joins the parts of the source; also: further targets; scratch: it may write
    behind the places too.
    """

    source: Place
    target: Place
    text: str
    program: Program
    cost: Cost
    combine: str = ""
    also: tuple[Place, ...] = ()
    scratch: bool = False

    @property
    def targets(self) -> tuple[Place, ...]:
        """All places that get the result."""
        return (self.target, *self.also)


def emit(code: Code, source: Place, target: Place | Sequence[Place], combine: str = "", padding: bool = True) -> None:
    """Adds the lines of a move to a program, with room on the way from `code`. Source and targets must not overlap.

    target: one place, or several of the same map in different banks. combine: how the parts of a source with PART are
    joined, one of `ways.Combine`. padding: what lies beyond the tensor in the places that the map pads to powers of two
    is moved too; otherwise the target holds anything there. A move that is too large for the buffers goes in halves;
    where these cannot be told apart at both ends, by way of DRAM, with parts joined where they are before that. Raises
    NoRoom.
    """
    targets = [target] if isinstance(target, Place) else list(target)
    if padding:
        source, *targets = (replace(place, map=place.map.padded) for place in (source, *targets))
    try:
        code.add(*_whole(code, source, targets, combine))
    except NoRoom:
        cut = halves(source, *targets)
        if cut is not None:
            (first, ends), (other, other_ends) = cut
            with code.held(other):
                emit(code, first, ends, combine, padding)
            emit(code, other, other_ends, combine, padding)
        elif not {source.memory, targets[0].memory} <= set(BANKS) or targets[0].map == joined_in_place(source.map):
            raise
        elif PART in source.map.table.values():
            _joined_first(code, source, targets, combine)
        else:
            _through_dram(code, source, targets)


@lru_cache(maxsize=1 << 14)
def joined_in_place(source: BitMap) -> BitMap:
    """Where parts are joined in all places that have them; the map itself where there are none."""
    table = {bit: COPY if carry == PART else carry for bit, carry in source.carries if bit.level != "address"}
    inside = [carry for _, carry in source.addresses if carry != PART]
    return BitMap.of(source.memory, source.shape, table | {address(k): carry for k, carry in enumerate(inside)})


def _joined_first(code: Code, source: Place, targets: Sequence[Place], combine: str) -> None:
    """First the parts, in halves since these are told apart before and after it, then the move. Raises NoRoom."""
    found = joined_in_place(source.map)
    with code.scratch():
        middle = code.take(2 * found.longs)
        joined = replace(source, memory=middle.bank, address=middle.address, map=found)
        emit(code, source, joined, combine)
        emit(code, joined, targets)


def _through_dram(code: Code, source: Place, targets: Sequence[Place]) -> None:
    """Up in the pieces that the source has, and down in those of the targets. Raises NoRoom."""
    found = dram_map_of(source.map)
    middle = Place("DRAM", code.dram(found.longs), found)
    to_dram(code, source, middle.address)
    emit(code, middle, targets)


def _whole(code: Code, source: Place, targets: Sequence[Place], combine: str) -> list[str]:
    """The lines of the first path that has room. Raises NoRoom."""
    problem = NoRoom(tr("there is no way from {map} to {map2}", source.map, targets[0].map))
    for path in paths(source.map, targets[0].map, combine):
        try:
            with code.scratch():
                return list(Serial(code, path, source, targets).lines())
        except NoRoom as error:
            problem = error
    raise problem


def dram_map_for(target: BitMap) -> BitMap:
    """The map in DRAM from which a map is reached most cheaply. Raises NoRoom."""
    return down(target).whole


def from_dram(
    code: Code, address: int, targets: Sequence[Place], fill: float | None = None, once: bool = False
) -> BitMap:
    """Adds the lines that bring down what the host has laid out by `dram_map_for`, which is returned; address: of its
    first long word in DRAM. targets: places of the same map, in different banks.

    fill: what places that the map pads to powers of two are to hold, None for anything. The host writes it there too.
    Zeros need not be moved: then the tensor has a buffer of its own in L2BM, with zeros where nothing comes. So have
    tensors of MANY_LONGS and more. once: not in every step, which is not worth a buffer.
    """
    found = down(targets[0].map)
    path, own = found.path, list[int]()
    fewer = fewer_words(path[0])
    clean = fewer and fill == 0
    first, *others = path if fewer and fill is None else [padded(hop) for hop in path]
    longs = first.target.longs
    if first.target.memory == "L2BM" and not once and (clean or longs >= MANY_LONGS):
        key = code.nth(targets[0].map), targets[0].map
        own = list(own_buffers(code, key, longs, 1 << len(found.cut), clean))
        first = path[0] if own and clean else first
    source = Place("DRAM", address, found.whole)
    pieces = zip(found.of(source), *(found.of(place) for place in targets), strict=True)
    for number, (piece, *ends) in enumerate(pieces):
        buffer = own[number % len(own)] if own else None
        _along(code, (first, *others), piece, ends, buffer)
    return found.whole


def _along(code: Code, path: Path, source: Place, targets: Sequence[Place], buffer: int | None = None) -> None:
    """Adds the lines of a path, or where it has no room those of `emit`, which knows halves. buffer: in L2BM."""
    try:
        with code.scratch():
            code.add(*Serial(code, path, source, targets, buffer).lines())
    except NoRoom:
        emit(code, source, targets)


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
        _along(code, path, piece, [end])
    return found.whole


def cycles(source: BitMap, target: BitMap, combine: str = "") -> float:
    """What the hops of a move cost, one after another; infinite where there is no path."""
    return min(map(path_cycles, islice(paths(source, target, combine), 1)), default=inf)


def line_cycles(source: BitMap, target: BitMap, combine: str = "") -> float:
    """What the first path of a move costs as it is written, between any memories; infinite where there is none."""
    return min((written([hop.made for hop in path]) for path in islice(paths(source, target, combine), 1)), default=inf)


def price(source: BitMap, target: BitMap, combine: str = "") -> float:
    """Cycles of a move as `emit` writes it, by formula. Raises NoRoom where it cannot be written."""
    source, target = source.padded, target.padded
    for path in paths(source, target, combine):
        if all(hop.target.longs <= MOST_ON_THE_WAY[hop.target.memory] for hop in path[:-1]):
            return written([hop.made for hop in path])
    ends = halves(Place("LM1", 0, source), Place("LM0", 0, target))
    if ends is not None:
        return sum(price(first.map, last[0].map, combine) for first, last in ends)
    if PART in source.table.values():
        middle = joined_in_place(source)
        if target == middle:
            raise NoRoom(tr("there is no way from {source} to {target}", source, target))
        return price(source, middle, combine) + price(middle, target)
    found = up(source)
    return written([hop.made for hop in found.path]) * (1 << len(found.cut)) + price(found.whole, target)


MOST_ON_THE_WAY: Mapping[Memory, int] = {
    **MOST, "LM": isa.LM_WORDS // 2, "PDM": isa.PDM_LONGS, "DRAM": isa.DRAM_LONGS,
}  # fmt: skip
"""Long words of a tensor that has to pass through a memory."""


def alone(source: Place, *targets: Place, combine: str = "", padding: bool = True) -> Move:
    """A move as a program of its own, what it sets up included; its room does not touch the places. Raises NoRoom."""
    code = beside(source, *targets)
    emit(code, source, targets, combine, padding)
    found = of_lines([*code.setup, *code.lines], source, targets[0])
    return replace(found, also=targets[1:], combine=combine, scratch=True)


def beside(*places: Place) -> Code:
    """An empty program whose room does not touch the places."""
    code = Code()
    for place in places:
        first = place.address if place.memory in BANKS else -(-place.address // UNIT_LONGS) * UNIT_LONGS
        code.take(first + place.words, [place.memory]) if place.memory != "DRAM" else code.dram(first + place.words)
    return code


def of_lines(lines: Sequence[str], source: Place, target: Place) -> Move:
    """Lines without nops as a move."""
    text = fix_nops(assemble("\n".join(lines) + "\n"))
    program = assemble(text)
    return Move(source, target, text, program, cost_of(program))
