"""The overlapped cost of a program: MV instructions under way while the PEs work (isa.md, section 13).

It is a model, for no latency was ever published:

- Steps take 4 cycles each, in the order of the program. A step waits for MV instructions that write what it reads, and
  for those that still use what it overwrites.
- An MV instruction takes size / rate cycles, with the published rates and a latency of 0. Its program would have to
  issue it as soon as what it reads is there and what it overwrites has been used: where it stands does not matter.
- It keeps the groups busy whose memories it reads or writes; of those that could begin at once, the one of the earliest
  run goes first, then in program order. One is issued in 4 steps at most.
- The program runs again and again. The data of a run lies in DRAM when the run wants it, so an input may be fetched as
  soon as its buffer is free. Between two runs stand the nops that their waits ask for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from math import gcd
from typing import NamedTuple

from simulator import isa
from simulator.assembly.checks import boundary_nops
from simulator.effects.accesses import accesses
from simulator.isa.cost import move_rate
from simulator.isa.program import Move, Program, Step
from simulator.messages import Text, tr
from simulator.schedule.nodes import Node, nodes_of, steps_of
from simulator.schedule.touches import BLOCK, cells_of, moved_banks, touches

RUNS = 16
"""Runs of which the first half is not counted: what happens then is not steady yet."""
MANY, FEW_RUNS = 1 << 14, 4
"""Lines of a program that is long beside what is not steady: so many runs tell as much, within 0.5 %."""
ISSUED = 4 * isa.STEP_CYCLES
"""Cycles from the issue of one MV instruction to that of the next one at least."""

ASSUMED = Text(
    "MV beside steps wherever dependences allow, latency 0, published rates, one MV per group at a time and one issued "
    "in 4 steps; the program runs again and again, its inputs lie in DRAM in time"
)
"""What the figure rests on, in a sentence."""

Cell = tuple[str, int, int]
"""A block of a memory that MV instructions use: its name, its unit, its number."""
ANYWHERE: Cell = ("dram", 0, -1)
"""Stands for words of DRAM whose address is not known. Who uses them counts as writing it, all others as reading it: so
the others do not wait for each other here."""

NO_CELLS = frozenset[Cell](), frozenset[Cell]()
"""What a line reads and writes that uses none of these memories."""


@lru_cache(maxsize=2)  # whoever asks whether a schedule will do asks again what it costs
def overlapped(program: Program, runs: int = 0) -> float:
    """Cycles per run of a program that runs again and again; with one run: cycles from its start to its end."""
    runs = runs or (RUNS if len(program.lines) < MANY else FEW_RUNS)
    ends = _Machine(items_of(program), float(isa.STEP_CYCLES * boundary_nops([program], program))).ends(runs)
    half = runs // 2
    return (ends[-1] - ends[half - 1]) / (runs - half) if half else max(ends, default=0.0)


class Floors(NamedTuple):
    """What a run takes at least, in cycles: its steps, the MV instructions of the busiest group, their issue.

    The issue can be above the serial cost of a program of many small MV instructions: that cost does not ask for 4
    steps between two of them.
    """

    steps: float
    moves: float
    issue: float

    def __str__(self) -> str:
        return tr(
            "at least {steps:,.0f} for steps, {moves:,.0f} for MV, {issue:,.0f} to issue them",
            self.steps,
            self.moves,
            self.issue,
        )


def floors(program: Program) -> Floors:
    """Bounds of `overlapped` that need no dependences."""
    items = items_of(program)
    busy = [sum(item.cycles for item in items if group in item.groups) for group in range(isa.GROUPS)]
    steps = sum(item.cycles for item in items if not item.groups)
    return Floors(steps, max(busy), float(ISSUED * sum(bool(item.groups) for item in items)))


# --- dependences -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class Item:
    """A step, or an MV instruction, which keeps groups busy. needs: what must have ended before it begins, and how many
    runs earlier that is, 0 or 1; of two steps the order is clear."""

    cycles: float
    groups: tuple[int, ...]
    needs: tuple[tuple[int, int], ...]


@lru_cache(maxsize=2)
def items_of(program: Program) -> Sequence[Item]:
    """All steps and MV instructions in order. What they need is found by going through the program twice."""
    nodes = nodes_of(program)
    moved = moved_banks(nodes)
    by_line = {id(step[0].line): step for step in steps_of(nodes)}
    lines = [line for line in program.lines if isinstance(line, Step) or (isinstance(line, Move) and line.size)]
    blocks = Blocks(_alike(lines), _sizes(lines))
    cells = [_cells(line, by_line.get(id(line), []), moved, blocks) for line in lines]
    changed = {cell for _, written in cells for cell in written}
    users = [(number, read & changed, written) for number, (read, written) in enumerate(cells) if read or written]
    needs: list[dict[tuple[int, int], None]] = [{} for _ in lines]
    writers: dict[Cell, tuple[int, int]] = {}
    readers: dict[Cell, list[tuple[int, int]]] = defaultdict(list)  # MV instructions
    last: dict[Cell, tuple[int, int]] = {}  # the last step that reads: those before it have ended by then
    for run in range(2):
        for number, read, written in users:
            before = [writers[cell] for cell in read | written if cell in writers]
            before += [reader for cell in written for reader in readers.pop(cell, ())]
            before += [last.pop(cell) for cell in written if cell in last]
            before += [(run - 1, number)] * run  # an MV instruction comes after itself in the run before
            needs[number] |= dict.fromkeys((other, run - then) for then, other in before)
            writers |= dict.fromkeys(written, (run, number))
            if isinstance(lines[number], Step):
                last |= dict.fromkeys(read - written, (run, number))
                continue
            for cell in read - written:
                readers[cell].append((run, number))
    return [_item(line, found, lines) for line, found in zip(lines, needs, strict=True)]


def _item(line: Step | Move, needs: dict[tuple[int, int], None], lines: Sequence[Step | Move]) -> Item:
    if isinstance(line, Step):
        moves = tuple(need for need in needs if isinstance(lines[need[0]], Move))
        return Item(line.count * isa.STEP_CYCLES, (), moves)
    groups = {unit // isa.L2BS_PER_GROUP if a.memory == "l2bm" else unit for a in accesses(line) for unit in a.units}
    return Item(line.size / move_rate(line), tuple(sorted(groups)), tuple(needs))


Alike = Mapping[str, Sequence[int]]
"""For each unit of a memory the first one that is used by the same lines: no line tells them apart."""


def _alike(lines: Sequence[Step | Move]) -> Alike:
    sets: dict[str, set[tuple[int, ...]]] = defaultdict(set)
    for line in lines:
        for access in accesses(line) if isinstance(line, Move) else ():
            sets[access.memory].add(tuple(access.units))
    found = {}
    for memory, used in sets.items():
        first: dict[tuple[bool, ...], int] = {}
        units = range(isa.L2BS)  # no memory that MV instructions use has more
        found[memory] = [first.setdefault(tuple(unit in some for some in used), unit) for unit in units]
    return defaultdict(lambda: range(isa.L2BS), found)


def _sizes(lines: Sequence[Step | Move]) -> Mapping[str, int]:
    """For each memory how many cells make the largest block of which every MV instruction uses all or nothing: what
    steps do with a part of one orders MV instructions as if they did it with all."""
    found: dict[str, int] = {}
    for access in (access for line in lines if isinstance(line, Move) for access in accesses(line)):
        for start, end in (span for spans in access.words or () for span in spans):
            found[access.memory] = gcd(found.get(access.memory, 0), start, end)
    return {memory: max(size // BLOCK[memory], 1) if size % BLOCK[memory] == 0 else 1 for memory, size in found.items()}


class Blocks(NamedTuple):
    """What is not told apart: see `_alike` and `_sizes`."""

    alike: Alike
    sizes: Mapping[str, int]

    def of(self, memory: str, units: Iterable[int], cells: Iterable[int]) -> Iterator[Cell]:
        """The blocks of some cells."""
        size, alike = self.sizes.get(memory, 1), self.alike[memory]
        numbers = {cell // size for cell in cells}
        return ((memory, unit, number) for unit in {alike[unit] for unit in units} for number in numbers)


def _cells(
    line: Step | Move, nodes: Sequence[Node], moved: frozenset[str], blocks: Blocks
) -> tuple[frozenset[Cell], frozenset[Cell]]:
    """What a line reads and what it writes of the memories that MV instructions use; a step uses those of all L2Bs."""
    if isinstance(line, Move):
        return _moved_cells(line, blocks)
    if not any(node.uses_l2bm for node in nodes):
        return NO_CELLS
    found: tuple[set[Cell], set[Cell]] = set(), set()
    for touch in (touch for node in nodes if node.uses_l2bm for touch in touches(node, moved)):
        if touch.memory == "l2bm":
            found[touch.written].update(blocks.of("l2bm", range(isa.L2BS), touch.cells or ()))
        elif touch.memory == "dar":
            found[touch.written].add(("dar", 0, 0))
    return frozenset(found[False]), frozenset(found[True])


def _moved_cells(move: Move, blocks: Blocks) -> tuple[frozenset[Cell], frozenset[Cell]]:
    found = list(accesses(move))
    cells: tuple[set[Cell], set[Cell]] = set(), set()
    indirect = any(access.finds for access in found)
    if any(access.memory == "dram" for access in found):
        cells[indirect].add(ANYWHERE)
    if indirect:
        cells[False].add(("dar", 0, 0))
    for access in found:
        if access.words is not None:
            cells[access.written].update(blocks.of(access.memory, access.units, cells_of(access)))
    return frozenset(cells[False]), frozenset(cells[True])


# --- time ------------------------------------------------------------------------------------------------------------


def _watched(items: Sequence[Item]) -> Iterator[tuple[float, int]]:
    """The steps that wait for MV instructions or that one of these waits for, few of all, and the last one; each with
    the cycles of the steps between the one before and it."""
    asked = {number for item in items for number, _ in item.needs}
    steps = [number for number, item in enumerate(items) if not item.groups]
    before = 0.0
    for number in steps:
        if number in asked or items[number].needs or number == steps[-1]:
            yield before, number
            before = 0.0
        else:
            before += items[number].cycles


class _Machine:
    """One stream of steps, MV instructions beside it."""

    def __init__(self, items: Sequence[Item], between: float) -> None:
        """between: cycles of the nops between two runs."""
        self._items, self._between = items, between
        self._steps = list(_watched(items))  # each with the cycles before it
        self._moves = [number for number, item in enumerate(items) if item.groups]
        self._ended: dict[tuple[int, int], float] = {}  # number, run: when
        self._waiting: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)  # for the end of the first
        self._free = [0.0] * isa.GROUPS
        self._issued = -float(ISSUED)
        self._later: list[tuple[float, int, int]] = []  # not before this time: run, number
        self._ready = defaultdict[tuple[int, ...], list[tuple[int, int]]](list)  # run, number, by groups they wait for

    def ends(self, runs: int) -> list[float]:
        """When each of so many runs ends."""
        for number in self._moves:
            self._offer(number, 0)
        stream = self._stream(runs)
        next(stream, None)
        for _ in range(runs * len(self._moves)):
            begin, run, number = self._next()
            self._issued, end = begin, begin + self._items[number].cycles
            for group in self._items[number].groups:
                self._free[group] = end
            self._end(number, run, end)
            if run + 1 < runs:
                self._offer(number, run + 1)
            next(stream, None)
        told = [*self._moves, *(number for _, number in self._steps[-1:])]
        return [max((self._ended[number, run] for number in told), default=0.0) for run in range(runs)]

    def _next(self) -> tuple[float, int, int]:
        """Of the MV instructions that could begin first, the one of the earliest run that stands first: when it
        begins, its run, its number."""
        time = self._issued + ISSUED
        while True:
            while self._later and self._later[0][0] <= time:
                _, run, number = heappop(self._later)
                heappush(self._ready[self._items[number].groups], (run, number))
            free = {groups: max(map(self._free.__getitem__, groups)) for groups, queue in self._ready.items() if queue}
            groups = min((g for g in free if free[g] <= time), key=lambda g: self._ready[g][0], default=None)
            if groups is not None:
                return time, *heappop(self._ready[groups])
            time = min([*free.values(), *(ready for ready, _, _ in self._later[:1])])

    def _offer(self, number: int, run: int) -> None:
        """An MV instruction may begin once its needs have ended, of which the last unknown one will offer it again."""
        missing = self._missing(number, run)
        if missing is None:
            heappush(self._later, (self._met(number, run), run, number))
        else:
            self._waiting[missing].append((number, run))

    def _end(self, number: int, run: int, when: float) -> None:
        self._ended[number, run] = when
        for other in self._waiting.pop((number, run), ()):
            self._offer(*other)

    def _missing(self, number: int, run: int) -> tuple[int, int] | None:
        """A need of which the end is not known yet."""
        needs = ((other, run - back) for other, back in self._items[number].needs if run >= back)
        return next((need for need in needs if need not in self._ended), None)

    def _met(self, number: int, run: int) -> float:
        """When all that an item needs has ended."""
        needs = self._items[number].needs
        return max((self._ended[other, run - back] for other, back in needs if run >= back), default=0.0)

    def _stream(self, runs: int) -> Iterator[None]:
        """Run the steps as far as their times are known, then give way to the MV instructions."""
        now = 0.0
        for run in range(runs):
            now += self._between * (run > 0)
            for before, number in self._steps:
                now += before
                item = self._items[number]
                if item.needs:
                    while self._missing(number, run) is not None:
                        yield
                    now = max(now, self._met(number, run))
                now += item.cycles
                self._end(number, run, now)
