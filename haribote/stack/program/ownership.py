"""Whose is every word that a program reads or writes? Followed instruction by instruction, without running it.

An action may write the homes of what it makes, and room that belongs to nobody just then; it may read the homes of what
it reads, what the setup has left, and what it has written itself. The accesses are the simulator's own (as the
scheduler orders by them); who owns what follows from the plan's reads and writes, not from the allocator's books.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from haribote.stack.places import BANKS, Place
from haribote.stack.plan import Version, reads, writes
from haribote.stack.program.builder import Built, Piece, Spill
from haribote.stack.program.emitters import Places
from simulator import assemble
from simulator.isa import CYCLE_MASKS
from simulator.schedule.nodes import nodes_of
from simulator.schedule.touches import touches

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
        does = f"overwrites {self.owner!r}" if self.written else "reads what nobody has written"
        return f"action {self.piece}: {self.line!r} {does}: {self.memory} {', '.join(map(str, self.cells[:8]))}"


def trespasses(built: Built) -> list[Trespass]:
    """All of them, in the order of the program."""
    lives = list(_lives(built))
    fixed = {cell for cell, written in _touched(built.executable.setup.split("\n")) if written}
    found: list[Trespass] = []
    for number, piece in enumerate(built.pieces):
        found += _of_piece(number, piece, lives, fixed)
    return found


def cells_of(place: Place) -> frozenset[Cell]:
    """The words of a place, as the scheduler names them."""
    assert place.memory in BANKS
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
        for version in _read(piece):
            last[version] = number
            cells[version] = _cells(piece, version)
        for version in _written(piece):
            yield from ended(version)
            last.pop(version, None)
            made[version] = number
            cells[version] = _cells(piece, version)
    for version in made:
        if version in built.homes:
            last[version], cells[version] = len(built.pieces), _all_cells(built.homes[version])
        yield from ended(version)


def _cells(piece: Piece, version: Version) -> frozenset[Cell]:
    return _all_cells(piece.places[version])


def _all_cells(places: Places) -> frozenset[Cell]:
    return frozenset().union(*map(cells_of, places))


def _read(piece: Piece) -> Sequence[Version]:
    if isinstance(piece.action, Spill):
        return () if piece.action.back else (piece.action.version,)
    return tuple(dict.fromkeys(reads(piece.action)))


def _written(piece: Piece) -> Sequence[Version]:
    if isinstance(piece.action, Spill):
        return (piece.action.version,) if piece.action.back else ()
    return tuple(dict.fromkeys(writes(piece.action)))


def _of_piece(number: int, piece: Piece, lives: Sequence[Life], fixed: set[Cell]) -> Iterator[Trespass]:
    owned: dict[Cell, str] = dict.fromkeys(fixed, "a table")
    for life in lives:
        if life.made < number < life.last:
            owned |= dict.fromkeys(life.cells, life.version.value)
    known = set(fixed).union(*(_cells(piece, version) for version in _read(piece)))
    for line in piece.lines:
        strange: dict[tuple[str, bool, str], list[int]] = defaultdict(list)
        touched = list(_touched([line]))
        for (memory, cell), written in touched:
            if written and (memory, cell) in owned:
                strange[memory, True, owned[memory, cell]].append(cell)
            elif not written and memory not in OUTSIDE and (memory, cell) not in known:
                strange[memory, False, ""].append(cell)
        written_now = {cell for cell, written in touched if written}
        known |= written_now | {(memory, ALL) for memory, _ in written_now}
        for (memory, written, owner), cells in strange.items():
            yield Trespass(number, line, memory, tuple(sorted(cells)), written, owner)


def _touched(lines: Sequence[str]) -> Iterator[tuple[Cell, bool]]:
    """Every cell of the program and whether it is written; fixed mask entries are nobody's."""
    for node in nodes_of(assemble("\n".join(lines) + "\n")):
        for touch in touches(node, frozenset()):
            if touch.memory == "omr" and touch.cells and max(touch.cells) >= CYCLE_MASKS:
                continue
            if touch.memory.startswith("base of"):
                continue
            for cell in [ALL] if touch.cells is None else touch.cells:
                yield (touch.memory, cell), touch.written
