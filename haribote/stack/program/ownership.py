"""Whose is every word that a program reads or writes? Followed instruction by instruction, without running it.

An action may write the homes of what it makes, and room that belongs to nobody just then; it may read the homes of what
it reads, what the setup has left, and what it has written itself (an operand may be longer, but not all strange). The
accesses are the simulator's own (as the scheduler orders by them); who owns what follows from the plan's reads and
writes, not from the allocator's books.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from haribote.stack.code import FIXED_MASKS, Slot
from haribote.stack.places import BANKS, Place
from haribote.stack.plan import Version
from haribote.stack.program.builder import ActionCode, Built
from haribote.stack.program.emitters import Places
from haribote.stack.program.work import reads, writes
from simulator import assemble
from simulator.messages import tr
from simulator.schedule.nodes import nodes_of
from simulator.schedule.touches import BLOCK, touches

Cell = tuple[str, int]
ALL = -1
"""Stands for a memory that is touched as a whole: a matrix register that is read."""
OUTSIDE = ("dram",)
"""What the host writes too."""


class Life(NamedTuple):
    """A version in its homes: made by a piece (-1: before the first), and read up to another."""

    version: Version
    made: int
    last: int
    cells: frozenset[Cell]


@dataclass(frozen=True)
class Trespass:
    """A line of a piece that reads or writes what it must not. owner: the version that is harmed, "" for nobody."""

    piece: int
    line: str
    memory: str
    cells: tuple[int, ...]
    written: bool
    owner: str = ""

    def __str__(self) -> str:
        does = f"overwrites {self.owner!r}" if self.written else tr("reads what nobody has written")
        return f"action {self.piece}: {self.line!r} {does}: {self.memory} {', '.join(map(str, self.cells[:8]))}"


def trespasses(built: Built) -> list[Trespass]:
    """All of them, in the order of the program."""
    lives = list(_lives(built))
    fixed = frozenset(cell for slot in built.tables for cell in _words(slot))
    fixed |= {("omr", entry) for entry in FIXED_MASKS}
    found: list[Trespass] = []
    for number, piece in enumerate(built.pieces):
        found += _of_piece(number, piece, lives, fixed)
    return found


def cells_of(place: Place) -> frozenset[Cell]:
    """The words of a place, as the scheduler names them; none of DRAM, where nothing is used twice."""
    if place.memory not in BANKS:
        return frozenset()
    return frozenset((place.memory.lower(), place.address + k) for k in range(place.words))


def _lives(built: Built) -> Iterator[Life]:
    """Every version from each making of it to the last reading before the next."""
    made: dict[Version, int] = dict.fromkeys(built.plan.resident, -1)
    last: dict[Version, int] = {}
    cells: dict[Version, frozenset[Cell]] = {}

    def ended(version: Version) -> Iterator[Life]:
        if version in last:
            yield Life(version, made[version], last[version], cells[version])

    for number, piece in enumerate(built.pieces):
        for version in dict.fromkeys(reads(piece.action)):
            last[version] = number
            cells[version] = _cells(piece, version)
        for version in dict.fromkeys(writes(piece.action)):
            yield from ended(version)
            last.pop(version, None)
            made[version] = number
            cells[version] = _cells(piece, version)
    for version in made:
        if version in built.homes:
            last[version], cells[version] = len(built.pieces), _all_cells(built.homes[version])
        yield from ended(version)


def _cells(piece: ActionCode, version: Version) -> frozenset[Cell]:
    return _all_cells(piece.places.get(version, ()))  # a parameter without places stands in DRAM


def _all_cells(places: Places) -> frozenset[Cell]:
    return frozenset().union(*map(cells_of, places))


def _words(slot: Slot) -> Iterator[Cell]:
    """The cells of a table."""
    memory = slot.bank.lower()
    size = BLOCK.get(memory, 1)
    yield from ((memory, number) for number in range(slot.address // size, -(-(slot.address + slot.words) // size)))


def _of_piece(number: int, piece: ActionCode, lives: Sequence[Life], fixed: frozenset[Cell]) -> Iterator[Trespass]:
    owned: dict[Cell, str] = dict.fromkeys(fixed, tr("a table"))
    for life in lives:
        if life.made < number < life.last:
            owned |= dict.fromkeys(life.cells, str(life.version))
    known = set(fixed).union(*(_cells(piece, version) for version in dict.fromkeys(reads(piece.action))))
    for line in piece.lines:
        touched = list(_touched(line))
        for memory, cells, written in touched:
            if written:
                if memory == "l2bm" and line.startswith("mv"):
                    continue  # a load writes into room that the setup has cleared for it
                for owner in {owned[memory, cell] for cell in cells if (memory, cell) in owned}:
                    harmed = tuple(sorted(cell for cell in cells if owned.get((memory, cell)) == owner))
                    yield Trespass(number, line, memory, harmed, written, owner)
            elif memory not in OUTSIDE and not any((memory, cell) in known for cell in cells):
                yield Trespass(number, line, memory, tuple(sorted(cells)), written)
        for memory, cells, written in touched:
            if written:
                known |= {(memory, cell) for cell in cells} | {(memory, ALL)}


def _touched(line: str) -> Iterator[tuple[str, frozenset[int], bool]]:
    """What every operand of a line touches: memory, cells, whether they are written."""
    for node in nodes_of(assemble(line + "\n")):
        for touch in touches(node, frozenset()):
            cells = frozenset({ALL}) if touch.cells is None else touch.cells
            if touch.memory != "bar":
                yield touch.memory, cells, touch.written
