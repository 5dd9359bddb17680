"""From a plan to a program: every version gets its homes, every action its lines, and all of them one schedule. How
often a plan is written until its tables are settled is `passes`; which of several it is, `shortest` decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from haribote.graph import Index, updates
from haribote.graphs.joins import join_table
from haribote.graphs.tiles import merged_shapes, tile_table
from haribote.progress import stage
from haribote.stack import moves
from haribote.stack.code import FIXED_MASKS, Code, Slot
from haribote.stack.maps import BitMap
from haribote.stack.places import BANKS, NoBuffer, NoDram, NoRoom, Place
from haribote.stack.plan import Alias, Become, Compute, Load, Plan, Store, Stream, Version, in_dram
from haribote.stack.products.pairs import pairs_of
from haribote.stack.program import emitters, loops
from haribote.stack.program.allocate import SPARE_FOR_GOOD, Homes, Lives, in_place, read_meanwhile
from haribote.stack.program.emitters import Context, Places
from haribote.stack.program.executable import Executable, Port
from haribote.stack.program.order import Effort, effort
from haribote.stack.program.scheduled import Segment, in_segments, mended
from haribote.stack.program.work import Spill, Work, joined, reads, writes
from simulator import Program, assemble
from simulator.isa.cost import cost_of
from simulator.messages import Text, tr
from simulator.schedule import Keep, overlapped

WORTH = 8
"""How many times smaller than what is asked for a version may be that makes room for it by going to DRAM."""


@dataclass(frozen=True, eq=False)
class ActionCode:
    """What became of an action. lines: without nops; places: where the versions that it reads and writes are."""

    action: Work
    lines: tuple[str, ...]
    places: Mapping[Version, Places]


@dataclass(frozen=True, eq=False)
class Built:
    """pieces: of the step, in the plan's order; plain: all of them with nops, one after another; homes: where the
    residents are before and after it; tables: the room of what the setup has written for it; first_put_away:
    cycles in which the first plan puts versions away, where that of another look at the graph gave a shorter program.
    """

    plan: Plan
    pieces: tuple[ActionCode, ...]
    plain: Program
    executable: Executable
    homes: Mapping[Version, Places]
    tables: tuple[Slot, ...]
    first_put_away: float = 0.0

    @property
    def put_away(self) -> float:
        """Cycles in which versions are put away and got back, or made once more."""
        return _put_away(self.plan, self.pieces)


def _put_away(plan: Plan, pieces: Sequence[ActionCode]) -> float:
    times = Counter(map(id, plan.actions))
    found = (piece for piece in pieces if isinstance(piece.action, Spill) or times[id(piece.action)] > 1)
    return cost_of(assemble("\n".join(line for piece in found for line in piece.lines))).cycles


def kept(homes: Mapping[Version, Places], tables: Sequence[Slot]) -> Keep:
    """What must be as it was, or as it is to become, when a step is over: residents, tables and masks."""
    found: dict[str, list[range]] = {"omr": [range(FIXED_MASKS.start, FIXED_MASKS.stop)]}
    for place in (place for places in homes.values() for place in places if place.memory in BANKS):
        found.setdefault(place.memory.lower(), []).append(range(place.address, place.address + place.words))
    for slot in tables:
        found.setdefault(slot.bank.lower(), []).append(range(slot.address, slot.address + slot.words))
    return found


class _Way(NamedTuple):
    """How a resident goes between the host's place in DRAM and its homes."""

    version: Version
    place: Place
    lines: tuple[str, ...]


class ProgramBuilder:
    """The lines of a plan as they are written. away: residents that stay in DRAM; rooms: places there, the same in
    every pass."""

    def __init__(self, plan: Plan, code: Code, rooms: dict[object, Place], away: frozenset[Version]) -> None:
        self.plan, self.work, self.index = plan, joined(plan.actions), Index(plan.graph)
        self.away = away
        self.at_home = tuple(version for version in plan.resident if version not in away)
        self.lives = Lives(self.work, self.at_home)
        self.code, self.rooms = code, rooms
        self.homes = Homes(self.code)
        self.context = Context(self.code, self.homes, self.index, {})
        self.here = {key: to for key, to in in_place(self.work, self.lives).items() if to not in away}
        self.pieces: list[ActionCode] = []
        self.residents: list[tuple[_Way, _Way]] = []
        self.spilled: dict[Version, Place] = {}
        self.gone: dict[Version, int] = {}  # those that were spilled, and what reads them next
        self.alive: dict[Stream, Keep] = {}

    def emit(self) -> None:
        """All lines, with the programs that bring residents to their homes and back first: they share tables."""
        for version in self.at_home:
            self.homes.make(version, SPARE_FOR_GOOD)
        self.residents = [self._resident(version) for version in self.at_home]
        self.residents += [self._away(version) for version in self.plan.resident if version in self.away]
        with stage(Text("writing"), len(self.work)) as done:
            for number, action in enumerate(self.work):
                done(number)
                self._act(number, action)

    @property
    def put_away(self) -> float:
        """As of a `Built`."""
        return _put_away(self.plan, self.pieces)

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """The lines of every piece, without nops."""
        return tuple(assemble("\n".join(piece.lines)) for piece in self.pieces)

    def efforts(self) -> Iterator[Effort]:
        """Of every piece of work, in order."""
        for piece, program in zip(self.pieces, self.programs, strict=True):
            if not isinstance(piece.action, Spill):
                yield effort(program)

    @cached_property
    def plain(self) -> Program:
        """All lines as a program, one after another."""
        return mended(tuple(self.code.lines))

    def built(self, quick: bool = False, first: Program | None = None) -> Built:
        """What was emitted, as it is run. quick: as in `shortest.build`; first: as in `scheduled`."""
        plain = self.plain
        homes = {version: self.homes.of(version) for version in self.at_home}
        names = {version.value for version in self.plan.resident}
        loaded = tuple(self._loaded())
        read = {port.name for port in loaded} | names
        with stage(Text("scheduling")):
            step = in_segments(plain, list(self._segments(kept(homes, self.code.set_up))), quick, first)
        executable = Executable(
            setup=_text(self.code.setup),
            step=step.source,
            assembled=step,
            inputs=loaded,
            outputs=tuple(self._port(version, place) for version, place in self._exchanged(Store)),
            loads=tuple(self._port(*load) for load, _ in self.residents),
            stores=tuple(self._port(*store) for _, store in self.residents),
            uploads=tuple(self.code.uploads),
            updates=updates(self.plan.graph),
            constants={name: array for name, array in self.index.constants.items() if name in names},
            joins=join_table(self.plan.graph),
            tiles=tile_table(self.plan.graph),
            merged=merged_shapes(self.plan.graph),
            cost=replace(cost_of(step), overlapped=overlapped(step)),
            nodes=len(self.plan.graph.graph.node),
            unread={name: self.index.shape[name] for name in self.index.inputs if name not in read},
        )
        return Built(self.plan, tuple(self.pieces), plain, executable, homes, self.code.set_up)

    def _segments(self, at_end: Keep) -> Iterator[Segment]:
        """The lines of templates, and those between them."""
        lines: list[str] = []
        for piece in self.pieces:
            if isinstance(piece.action, Stream):
                if lines:
                    yield Segment(tuple(lines), self.alive[piece.action])
                yield Segment(piece.lines, None)
                lines = []
            else:
                lines += piece.lines
        if lines:
            yield Segment(tuple(lines), at_end)

    # --- what comes from DRAM and goes there --------------------------------------------------------------------------

    def _room(self, way: object, version: Version, found: BitMap) -> Place:
        """A place in DRAM that nothing else has; the same in every pass. Raises NoRoom."""
        if (way, version) not in self.rooms:
            try:
                self.rooms[way, version] = Place("DRAM", self.code.dram(found.longs), found)
            except NoRoom as problem:
                shape = "x".join(map(str, self.index.shape[version.value]))
                what = str(problem).splitlines()[0]
                raise NoDram(f"{version.value!r} ({shape}): {what}", tr("a smaller batch, or fewer weights")) from None
        return self.rooms[way, version]

    def _port(self, version: Version, place: Place, lines: Sequence[str] = ()) -> Port:
        name = version.value
        kind = np.dtype(self.index.dtype[name]).name
        return Port(version, place.map, place.address, self.index.shape[name], kind, _text(lines))

    def _resident(self, version: Version) -> tuple[_Way, _Way]:
        """How a resident comes to its homes, and how it comes back."""
        homes = self.homes.of(version)
        below = self._room("load", version, moves.dram_map_for(version.map))
        moves.from_dram(self.code, below.address, homes, version.fill, once=True)
        load, self.code.lines[:] = _Way(version, below, tuple(self.code.lines)), []
        below = self._room("store", version, moves.dram_map_of(version.map))
        moves.to_dram(self.code, homes[0], below.address)
        store, self.code.lines[:] = _Way(version, below, tuple(self.code.lines)), []
        return load, store

    def _away(self, version: Version) -> tuple[_Way, _Way]:
        """How the host finds a resident that stays in DRAM."""
        place = self._room("away", version, moves.dram_map_for(version.map))
        self.spilled[version] = place
        return _Way(version, place, ()), _Way(version, place, ())

    def _exchanged(self, kind: type[Load | Store]) -> Iterator[tuple[Version, Place]]:
        """What the step itself exchanges with the host, one way."""
        return ((version, place) for (way, version), place in self.context.dram.items() if way is kind)

    def _loaded(self) -> Iterator[Port]:
        """What the step brings down itself."""
        halves = {action.target for action in self.plan.actions if isinstance(action, Load) and action.half}
        for version, place in self._exchanged(Load):
            yield replace(self._port(version, place), half=version in halves)

    # --- actions ------------------------------------------------------------------------------------------------------

    def _act(self, number: int, action: Work) -> None:
        used = {*reads(action), *writes(action)}
        for version in reads(action):
            if version not in self.homes:
                self._piece(number, Spill(version, back=True), used, partial(self._return, version))
        if isinstance(action, Load) and (Load, action.target) not in self.context.dram:
            self.context.dram[Load, action.target] = self._loaded_from(action)
        if isinstance(action, Store) and (Store, action.source) not in self.context.dram:
            self.context.dram[Store, action.source] = self._stored_to(action)
        if isinstance(action, Stream):
            self.alive[action] = kept({version: self.homes.of(version) for version in self.homes}, self.code.set_up)
        self._piece(number, action, used, partial(self._emit, number, action))
        for version in dict.fromkeys((*reads(action), *writes(action))):  # in an order that no run changes
            if version in self.lives.resident:
                continue
            if version in self.homes and self.lives.next_use(version, number) is None:
                self.homes.give(version)

    def _loaded_from(self, action: Load) -> Place:
        """Where the host lays out what is loaded."""
        if in_dram(action.target):
            return self._room(Stream, action.target, action.target.map)
        below = pairs_of(action.target) if action.half else action.target
        assert below is not None, "what is loaded as halves has pairs"
        return self._room(Load, action.target, moves.dram_map_for(below.map))

    def _stored_to(self, action: Store) -> Place:
        """Where the host finds what is stored."""
        if in_dram(action.source):
            return self.homes.of(action.source)[0]
        return self._room(Store, action.source, moves.dram_map_of(action.source.map))

    def _emit(self, number: int, action: Work) -> None:
        if isinstance(action, Become) and action.parameter in self.away:
            moves.emit(self.code, self.homes.of(action.source)[0], self.spilled[action.parameter])
            return
        for version in writes(action):
            if version in self.homes:  # a parameter, or made once more
                continue
            if in_dram(version):
                self.homes.below(version, self._room(Stream, version, version.map))
            elif isinstance(action, Alias):
                self.homes.share(version, action.source)
            elif (number, version) in self.here:
                self.homes.share(version, self.here[number, version])
            elif (source := self._mended(number, action)) is not None:
                self.homes.share(version, source)
            else:
                self.homes.make(version, busy=read_meanwhile(action, version, self.homes))
        emitters.emit(action, self.context)

    def _mended(self, number: int, action: Work) -> Version | None:
        """The version of which an action mends the padding only, if nobody needs it any more, under any name."""
        source = loops.mended(action, self.index.constants) if isinstance(action, Compute) else None
        if source is None or source in self.lives.resident or not self.homes.alone(source):
            return None
        return source if self.lives.next_use(source, number) is None else None

    def _return(self, version: Version) -> None:
        homes = self.homes.make(version)
        if version in self.away:
            moves.from_dram(self.code, self.spilled[version].address, homes, version.fill)
        else:
            moves.emit(self.code, self.spilled[version], homes)

    def _piece(self, number: int, action: Work, used: set[Version], emit: Callable[[], None]) -> None:
        """Add the lines of an action; where there is no room, what is needed latest goes to DRAM first."""
        while True:
            marks = self.code.mark(), self.homes.mark()
            start = len(self.code.lines)
            try:
                emit()
                break
            except NoRoom as error:
                if self.code.own_buffers and isinstance(error, NoBuffer):
                    raise  # nothing of the PEs is in the way
                self.code.back(marks[0])
                self.homes.back(marks[1])
                latest = self._latest(number, used, error)
                if latest is None:
                    raise
                self.gone.setdefault(latest, self.lives.next_use(latest, number) or number)
                self._spill(latest)
        there = [version for version in (*reads(action), *writes(action)) if version in self.homes]
        places = {version: self.homes.of(version) for version in there}
        self.pieces.append(ActionCode(action, tuple(self.code.lines[start:]), places))

    def _latest(self, number: int, used: set[Version], asked: NoRoom) -> Version | None:
        """The version that is needed latest, of those that can go: where room is asked for, and not far too small, if
        there is any such."""
        there = (v for v in self.homes if not in_dram(v) and v not in used and v not in self.lives.resident)
        free = [v for v in there if self.homes.alone(v)]

        def key(version: Version) -> tuple[bool, bool, int]:
            here = not asked.banks or any(place.memory in asked.banks for place in self.homes.of(version))
            large = 2 * WORTH * version.map.longs >= asked.words
            return here, here and large, self.lives.next_use(version, number) or 0

        return max(free, key=key, default=None)

    def _spill(self, version: Version) -> None:
        start = len(self.code.lines)
        if version not in self.away:  # what is away is in DRAM too
            self.spilled[version] = self._room(Spill, version, moves.dram_map_of(version.map))
            moves.to_dram(self.code, self.homes.of(version)[0], self.spilled[version].address)
        self.pieces.append(
            ActionCode(Spill(version, back=False), tuple(self.code.lines[start:]), {version: self.homes.of(version)})
        )
        self.homes.give(version)


def _text(lines: Sequence[str]) -> str:
    """A program that runs once, beside the step: a shorter one would not be worth the search."""
    return mended(tuple(lines)).source if lines else ""
