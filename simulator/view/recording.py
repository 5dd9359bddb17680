"""Run a program once and keep what every line read and wrote.

Units that went through the same values are kept once: an access has a table of distinct rows and, for every unit, the
number of its row. Where all of the chip does not fit into the budget, values are kept for a part of it only.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from simulator.effects.running import End, Touch, touches_of
from simulator.engine.machine import Machine
from simulator.engine.state.contents import KINDS, NOWHERE, UNITS, Addresses, contents, path_addresses
from simulator.isa import program as p
from simulator.isa.units import PATHS
from simulator.messages import tr
from simulator.view.memories import in_use, not_zero
from simulator.view.scope import Scope, narrower

Rows = NDArray[np.uint32]
Index = NDArray[np.uint16]
BUDGET = 6_000_000
"""Bytes of values after compression; base64 makes them a third longer in the page."""
MAX_PRINTED = 64
Junk = Sequence[int]
ABSENT, UNKNOWN = 0xFFFF, 0xFFFE
"""In an index: the unit takes no part; it does, but its values are not kept."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One memory read or written by a frame.

    addresses: the same for all units, or None where each row begins with its own (NOWHERE = takes no part).
    index: row of every unit, ABSENT or UNKNOWN; None = row 0 for all. rows: [row, word], addresses first, then the
    values after a write; no columns where there is nothing to keep. count: addresses per row. end: as in `Touch`.
    """

    memory: str
    write: bool
    addresses: Addresses | None
    index: Index | None
    rows: Rows
    count: int
    end: End | None = None


@dataclass(slots=True)
class Frame:
    """One stop of the page: the start, a step, an MV line, or a run of debug statements of one kind."""

    lines: tuple[p.Line, ...]
    accesses: list[Recorded] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)


class Recorder:
    """Collects frames; gives up values of distant units when the budget is spent."""

    def __init__(self, machine: Machine, scope: Scope, narrow: bool, budget: int, junk: Junk = (), pe: int = 0) -> None:
        """narrow: whether the scope may shrink. junk, pe: as in `record`."""
        self.machine, self.scope, self.narrow, self.budget = machine, scope, narrow, budget
        self.junk, self.pe = junk, pe
        self.frames: list[Frame] = []
        self._known: dict[str, Addresses] = {}
        self._seen: set[bytes] = set()
        self._size = 0

    def start(self) -> None:
        """The first frame: what the memories hold, but for junk; DRAM as far as the program uses it, see `meet`."""
        self.frames.append(Frame(()))
        for memory in KINDS:
            self._note(memory, in_use(self.machine, memory, self.junk))

    def meet(self, touches: Sequence[Touch]) -> None:
        """Note in the first frame what stands where a line is about to read or write for the first time."""
        for touch in touches:
            if touch.memory == "dram" or (self.junk and touch.memory != "turn"):
                addresses = np.unique(touch.addresses)
                self._note(touch.memory, addresses[addresses != NOWHERE])

    def _note(self, memory: str, addresses: Addresses) -> None:
        known = self._known.get(memory, addresses[:0])
        new = np.setdiff1d(addresses, known)
        if len(new):
            self._known[memory] = np.union1d(known, new)
            new = not_zero(self.machine, memory, new)
        if len(new):
            self._add(self.frames[0], Touch(memory, True, new))

    def finish(self, lines: tuple[p.Line, ...], touches: Sequence[Touch]) -> None:
        """A frame whose lines have just been executed; touches: what they were about to do."""
        frame = Frame(lines)
        self.frames.append(frame)
        for touch in touches:
            if touch.memory in PATHS and touch.write:
                touch = replace(touch, addresses=path_addresses(self.machine, touch.memory))
            if len(touch.addresses):
                self._add(frame, touch)

    def _add(self, frame: Frame, touch: Touch) -> None:
        access = _keep(access_of(touch, self.machine), self.scope)
        frame.accesses.append(access)
        self._measure(access)
        while self.narrow and self._size > self.budget:
            smaller = narrower(self.scope, self.pe)
            if smaller is None:
                break
            self.scope = smaller
            self._seen.clear()
            self._size = 0
            for kept in self.frames:
                kept.accesses = [_keep(access, smaller) for access in kept.accesses]
                for access in kept.accesses:
                    self._measure(access)

    def _measure(self, access: Recorded) -> None:
        for block in (access.rows, access.index):
            if block is not None and block.size:
                data = block.tobytes()
                key = blake2b(data, digest_size=16).digest()
                if key not in self._seen:
                    self._seen.add(key)
                    self._size += len(zlib.compress(data, 1))


def record(
    program: p.Program,
    machine: Machine,
    scope: Scope,
    narrow: bool = True,
    start: int | None = None,
    until: int | None = None,
    budget: int = BUDGET,
    junk: Junk = (),
    shown: Sequence[Touch] = (),
    pe: int = 0,
) -> Recorder:
    """Run the lines up to `until` on the machine and keep the frames from line `start` on.

    junk: what the highest 12 bits of words are that nobody has put into the machine; of these only what the program
    touches is kept. shown: more words that the page has to show. pe: where the chip does not fit into the budget, the
    part around this one is kept. Raises ExecutionError.
    """
    lines = [line for line in program.lines if until is None or line.line <= until]
    before = [line for line in lines if start is not None and line.line < start]
    if before:
        machine.run(replace(program, lines=tuple(before)))
    lines = lines[len(before) :]
    recorder = Recorder(machine, scope, narrow, budget, junk, pe)
    groups = list(_frames(lines))
    recorder.start()
    recorder.meet(shown)
    pending: list[list[Touch]] = []

    def prepare() -> None:
        if len(recorder.frames) <= len(groups):
            pending.append(touches_of(groups[len(recorder.frames) - 1], machine))
            recorder.meet(pending[-1])

    def observe(line: p.Line) -> None:
        group = groups[len(recorder.frames) - 1]
        if line is group[-1]:
            recorder.finish(group, pending.pop())
            prepare()

    if groups:
        prepare()
        result = machine.run(replace(program, lines=tuple(lines)), observer=observe)
        printed: dict[int, list[str]] = {}
        for entry in result.entries:
            printed.setdefault(entry.line, []).append(str(entry))
        for frame in recorder.frames:
            found = [text for line in frame.lines for text in printed.get(line.line, [])]
            more = [tr("… and {value} more lines", len(found) - MAX_PRINTED)] if len(found) > MAX_PRINTED else []
            frame.printed = found[:MAX_PRINTED] + more
    return recorder


def _frames(lines: Sequence[p.Line]) -> Iterator[tuple[p.Line, ...]]:
    """Steps and MV lines one by one; neighbouring debug statements of a kind together."""

    def key(item: tuple[int, p.Line]) -> tuple[str, int]:
        number, line = item
        if isinstance(line, p.DebugGet):
            return "get", 0
        return ("set", 0) if isinstance(line, p.DebugSet | p.DramPreset) else ("line", number)

    for _, group in groupby(enumerate(lines), key):
        yield tuple(line for _, line in group)


# --- from a touch to an access ---------------------------------------------------------------------------------------


def access_of(touch: Touch, machine: Machine) -> Recorded:
    """The access with the values that stand there now: those after the line, for a write."""
    units = UNITS[KINDS[touch.memory].level]
    own = touch.addresses.ndim == 2
    columns: list[Rows] = []
    if own:
        columns.append(touch.addresses.astype(np.int32).view(np.uint32))
    if touch.through is not None and touch.through.ndim == 2:
        own = True
        addresses = np.where(touch.through, touch.addresses[:, None], NOWHERE)
        columns.append(addresses.astype(np.int32).view(np.uint32))
    if touch.write:
        columns.append(contents(machine, touch.memory, touch.addresses))
    count = len(touch.addresses)
    if not columns:
        index = None if touch.through is None else np.where(touch.through, 0, ABSENT).astype(np.uint16)
        return Recorded(
            touch.memory, touch.write, touch.addresses, index, np.zeros((1, 0), np.uint32), count, touch.end
        )
    table = np.concatenate([np.broadcast_to(column, (len(column), units)) for column in columns])
    if own and touch.write:  # what stands where a unit takes no part is no business of this access
        words = len(table) // count - 1
        table[count:][np.repeat(table[:count] == np.uint32(2**32 - 1), words, axis=0)] = 0
    index, rows = distinct(table)
    if own:
        absent = (rows[:, :count] == np.uint32(2**32 - 1)).all(axis=1)
        index = np.where(absent[index], ABSENT, index).astype(np.uint16)
    elif touch.through is not None:
        index = np.where(touch.through, index, ABSENT).astype(np.uint16)
    same = None if not index.any() else index
    return Recorded(touch.memory, touch.write, None if own else touch.addresses, same, rows, count, touch.end)


def distinct(table: Rows) -> tuple[Index, Rows]:
    """The different columns of table[word, unit], as rows in the order of their first unit, and each unit's number."""
    if (table == table[:, :1]).all():
        return np.zeros(table.shape[1], np.uint16), np.ascontiguousarray(table[:, :1].T)
    weights = np.random.default_rng(2).integers(0, 2**63, len(table), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    digests = (table * weights[:, None]).sum(axis=0, dtype=np.uint64)
    _, first, inverse = np.unique(digests, return_index=True, return_inverse=True)
    if not (table[:, first[inverse]] == table).all():  # two different columns with one digest: compare them whole
        _, first, inverse = np.unique(table, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), np.uint16)
    number[order] = np.arange(len(order))
    return number[inverse.reshape(-1)], np.ascontiguousarray(table[:, first[order]].T)


def _keep(access: Recorded, scope: Scope) -> Recorded:
    """The access with the rows of units outside the scope left out."""
    inside = scope.units(KINDS[access.memory].level)
    if inside is None or not access.rows.shape[1]:
        return access
    old = np.zeros(len(inside), np.uint16) if access.index is None else access.index
    kept = inside & (old < UNKNOWN)
    used = np.unique(old[kept])
    outside = np.where(old == ABSENT, ABSENT, UNKNOWN)
    index = np.where(kept, np.searchsorted(used, old), outside).astype(np.uint16)
    return replace(access, index=index, rows=access.rows[used])
