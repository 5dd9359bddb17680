"""The program of a streaming product.

All chunks of all rounds are one row of *windows*. While chunk i is multiplied, chunk i+1 goes down to the PEs, is split
into pseudo-singles and broadcast to the MABs, i+2 goes from L2BM to L1BM, and i+3 from DRAM to L2BM. At the end of a
round every group of columns goes up as soon as it is finished; its sum over the L1Bs, and the way to DRAM, run beside
the products of the next round.

Arithmetic: three products of pseudo-singles (`products.split`). The vectors are split in one MAB each, and both halves
are broadcast, so that splitting takes the matrix unit a few steps of a window and not a quarter of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from haribote.stack.code import Code
from haribote.stack.places import UNIT_LONGS
from haribote.stack.products.split import unit_matrix
from haribote.stack.products.stream.panels import Panels
from haribote.stack.products.stream.timetable import Timetable
from haribote.stack.tilings import CYCLES, MABS, Tile, Tiling

LINE = 8
"""Words of four cycles of a PE, two each: a quad, half a matrix, a group of sums."""
GROUP_LONGS = 256
"""Of the sums of four columns, in an L1BM before they are added up, and in an L2BM after."""
STORED = 8
"""Groups of columns that one MV takes to DRAM."""
DEPTHS, LEAST_WAITING = ((4, 4), (3, 3), (3, 2), (2, 2)), 16
"""Chunks of matrix and vectors that L2BM may hold; groups of sums that it has room for at least."""
MOST_SLOTS = 32
"""Groups of sums that wait in an L1BM."""
L1BM_ROOM, L2BM_ROOM = 8192, 32768


def emit_stream(code: Code, tiling: Tiling, matrix: int, vectors: int, result: int) -> None:
    """Add the lines of a product. matrix, vectors, result: addresses in DRAM, where panels of the tiling are.

    Takes GRF, LM, L1BM and L2BM from the code; leaves nothing there. Raises NoRoom.
    """
    with code.scratch():
        code.add(*_TimetableWriter(tiling, _room(code, tiling), matrix, vectors, result).lines())


@dataclass(frozen=True)
class _Room:
    """First words of LM0 and LM1 (vectors), of GRF0 (sums) and GRF1 (raw words, halves; the unit matrix), first long
    words of L1BM and L2BM, and how many groups of sums wait in L1BM."""

    vectors: tuple[int, int]
    sums: int
    blocks: int
    unit: int
    l1bm: int
    l1_slots: int
    l2bm: int


def _room(code: Code, tiling: Tiling) -> _Room:
    """What a program takes. Raises NoRoom."""
    unit = unit_matrix(code, "GRF1").address
    tile = tiling.tiles[0]  # no other is larger
    words = 4 * LINE * tile.pairs
    vectors = code.take(words, ("LM0",), 16).address, code.take(words, ("LM1",), 16).address
    sums = code.take(2 * tile.columns, ("GRF0",), LINE).address
    blocks = code.take(3 * LINE * (tile.quads + tile.halves), ("GRF1",), LINE).address
    low = _Low(tile).sums
    l1_slots = min(MOST_SLOTS, (L1BM_ROOM - low) // GROUP_LONGS)
    high = _High(tile)
    l1bm = code.buffer("L1BM", low + GROUP_LONGS * l1_slots)
    l2bm = code.buffer("L2BM", high.sums + GROUP_LONGS * high.slots)
    return _Room(vectors, sums, blocks, unit, l1bm, l1_slots, l2bm)


class _Low:
    """Where things are in L1BM: two chunks of raw vectors and matrix in turn, both halves of vectors, sums."""

    def __init__(self, tile: Tile) -> None:
        self.matrix = GROUP_LONGS * tile.quads
        self.buffer = self.matrix + GROUP_LONGS * tile.halves
        self.halves = 2 * self.buffer
        self.sums = self.halves + 2 * GROUP_LONGS * tile.quads


class _High:
    """Where things are in L2BM: chunks of the matrix and of the vectors in turn, each in so many buffers, and sums.

    Two buffers are enough for steps; with more, MVs go on while the last sums of a run are not ready for theirs.
    """

    def __init__(self, tile: Tile) -> None:
        groups = -(-tile.groups // STORED) * STORED
        least = min(2 * groups, LEAST_WAITING)
        for depth in DEPTHS:
            self.matrices, self.vectors = depth
            first = self.matrices * tile.matrix_longs
            self.sums = first + self.vectors * tile.vector_longs
            self.slots = min(2 * groups, (L2BM_ROOM - self.sums) // GROUP_LONGS // STORED * STORED)
            if self.slots >= least:
                break
        self.tile, self.first_vectors = tile, first

    def matrix(self, window: int) -> int:
        """Where the matrix of a window is."""
        return self.tile.matrix_longs * (window % self.matrices)

    def vector(self, window: int) -> int:
        """Where its vectors are."""
        return self.first_vectors + self.tile.vector_longs * (window % self.vectors)


@dataclass
class _TimetableWriter:
    """Puts the instructions into a timetable. summed: the last step in which each slot of L1BM is read; gone: the step
    after the sums of each group of columns have gone up."""

    tiling: Tiling
    room: _Room
    matrix: int
    vectors: int
    result: int
    table: Timetable = field(default_factory=Timetable)

    def __post_init__(self) -> None:
        largest = self.tiling.tiles[0]
        self.panels, self.low = Panels(self.tiling), _Low(largest)
        self.parts = 2 * LINE * largest.pairs
        self.blocks = largest.quads + largest.halves
        self.high = _High(largest)
        self.windows = [(tile, chunk) for tile in self.tiling.tiles for chunk in range(self.tiling.chunks)]
        self.summed: list[int] = []
        self.gone: dict[int, int] = {}
        self.up = self.sums = self.placed = 0

    def lines(self) -> Iterator[str]:
        """The program."""
        self._fetch(0, 0)
        self._fetch(1, 0)
        dealt = self._deal(0, 0)
        self._fetch(2, dealt)
        after = self._deal(1, dealt)
        turns = iter(range(dealt + 6 + self.blocks, dealt + 200, 3))
        for half in range(2):
            self.table.first(0, "mwrite", self._unit(half), "grf1")
        now = max(self._prepare(0, dealt + 2, turns), after + 1)
        for window in range(len(self.windows)):
            self._fetch(window + 3, after)
            after = self._deal(window + 2, now)
            now = max(self._multiply(window, now), after + 1)
        return self.table.lines()

    # --- down --------------------------------------------------------------------------------------------------------

    def _fetch(self, window: int, step: int) -> None:
        """A chunk of both operands from DRAM to L2BM."""
        if window >= len(self.windows):
            return
        tile, chunk = self.windows[window]
        for panel, start, number, longs, place in (
            (self.panels.matrix, self.matrix, tile.row, tile.matrix_longs, self.high.matrix(window)),
            (self.panels.vectors, self.vectors, tile.column, tile.vector_longs, self.high.vector(window)),
        ):
            at = self.room.l2bm + place
            self.table.move(step, f"{panel.move}/n{longs} $d{start + panel.offset((number,), chunk)} $lc{at}")

    def _deal(self, window: int, step: int) -> int:
        """A chunk of both operands from L2BM to the L1BMs, an eighth to each. The first step after it."""
        if window >= len(self.windows):
            return step
        tile, _ = self.windows[window]
        to = self.room.l1bm + self.low.buffer * (window % 2)
        for longs, source, target in (
            (tile.vector_longs, self.room.l2bm + self.high.vector(window), to),
            (tile.matrix_longs, self.room.l2bm + self.high.matrix(window), to + self.low.matrix),
        ):
            for number in range(-(-longs // 256)):
                line = f"l2bmd $lc{source + 256 * number} $lb{target + 32 * number}"
                step = self.table.first(step, "l2bm", line, direction="down") + 1
        return step

    def _prepare(self, window: int, start: int, turns: Iterator[int]) -> int:
        """A chunk that L1BM holds to the PEs: raw words down, split, the halves of the vectors up and down to all MABs.

        turns: steps at which the matrix unit is free, `$ly` holds the unit matrix, and three steps lie between two.
        Gives the first step at which the chunk can be multiplied.
        """
        if window >= len(self.windows):
            return start
        (tile, _), first, at = self.windows[window], self.table.first, self.room.l1bm + self.low.buffer * (window % 2)
        sources = [at + 256 * quad for quad in range(tile.quads)]
        sources += [at + self.low.matrix + 256 * half for half in range(tile.halves)]
        step, done = start, list[int]()
        for number, source in enumerate(sources):
            raw = f"$ls{self._block(number)}v"
            step = first(step, "l1bm", f"l1bmd $lb{source} {raw}", "grf1 write", direction="down")
            done.append(self._split(number, step + 2, turns))
        up, middle = step + 1, self.room.l1bm + self.low.halves
        for quad in range(tile.quads):
            for part in (1, 2):
                line = f"l1bmd $ls{self._block(quad, part)}v $lb{middle + 256 * (quad + tile.quads * (part - 1))}"
                up = first(max(up, done[quad]), "l1bm", line, "grf1", direction="up")
        down, bank = up + 3, window % 2
        for part in (0, 1):
            for number in range(tile.pairs):
                source = middle + 256 * tile.quads * part + 32 * number
                target = self.room.vectors[bank] + self.parts * part + 16 * number
                down = first(down, "l1bm", f"l1bmm $llb{source} $ll{'mn'[bank]}{target}v", direction="down")
        ready = done[-1]
        for half in range(tile.halves):
            block = self._block(tile.quads + half, 2)
            ready = first(ready, "mwrite", f"gmwrite $ls{block}v $ly{4 * half}", "grf1", "$ly") + 1
        return max(down + 3, ready)

    def _split(self, number: int, least: int, turns: Iterator[int]) -> int:
        """The rounded words and the rest of a block. The first step at which both can be read."""
        raw, high, low = (self._block(number, part) for part in range(3))
        turn = next(turn for turn in turns if turn > least and self._may_split(turn))
        self.table.put(turn - 1, "alu", f"gbfn $ls{raw}v $ls{high}v", "grf1", "grf1 write")
        self.table.put(turn, "mau", f"gmfma $ly -$aluf $ls{raw}v $nowrite", "grf1", "$ly")
        self.table.put(turn + 1, "alu", f"gbfn $mauf $ls{low}v", "grf1 write")
        return turn + 3

    def _may_split(self, turn: int) -> bool:
        """Whether the three instructions of a split find their units and ports."""
        free = self.table.free
        before = free(turn - 1, "alu", "grf1", "grf1 write")
        return before and free(turn, "mau", "grf1", "$ly") and free(turn + 1, "alu", "grf1 write")

    def _block(self, number: int, part: int = 0) -> int:
        """A block of GRF1: those of vectors, then those of the matrix; raw, rounded and rest of each."""
        return self.room.blocks + LINE * (number + part * self.blocks)

    def _unit(self, half: int) -> str:
        return f"gmwrite $ls{self.room.unit + LINE * half}v $ly{4 * half}"

    # --- products ----------------------------------------------------------------------------------------------------

    def _multiply(self, window: int, start: int) -> int:
        """A chunk: all columns by the rest of the matrix, then by the rounded matrix, in pairs, between which the next
        chunk is split. The first step after it.
        """
        tile, chunk = self.windows[window]
        high = start
        for half in range(tile.halves):
            block = self._block(tile.quads + half, 1)
            high = self.table.first(high, "mwrite", f"gmwrite $ls{block}v $lx{4 * half}", "grf1", "$lx") + 1
        if window == len(self.windows) - 1:
            self._finish(tile, list(self._at_once(window, start)))
            return start
        step = start
        for group in range(tile.groups):
            line, *ports = self._product(window, group, "ly", 0)
            step = self.table.first(max(step, self._ready(window, group)), "mau", line, *ports) + 1
        unit = step = max(step, high)
        for half in range(2):
            unit = self.table.first(unit, "mwrite", self._unit(half), "grf1", "$ly") + 1
        ended, turns = list[int](), list[int]()
        for group in range(tile.groups):
            first = self._product(window, group, "lx", 1, after="$nowrite")
            second = self._product(window, group, "lx", 0, before="$mauf")
            step = self.table.chain(step, "mau", (first, second))
            ended.append(step)
            if len(turns) < self.blocks and step > unit:
                turns.append(step)
                step += 1
        rest = range(max(step, unit) + 1, step + 10 * self.blocks, 3)
        ready = self._prepare(window + 1, start, iter([*turns, *rest]))
        if chunk == self.tiling.chunks - 1:
            self._finish(tile, ended)
        return max(step, ready)

    def _at_once(self, window: int, step: int) -> Iterator[int]:
        """The last chunk of all, after which nothing is to be split: the columns by both halves of the matrix, a group
        after another, so that the first sums go up early. Gives the step after each group."""
        for group in range(self.windows[window][0].groups):
            first = self._product(window, group, "ly", 0, after="$nowrite")
            second = self._product(window, group, "lx", 1, before="$mauf", after="$nowrite")
            third = self._product(window, group, "lx", 0, before="$mauf")
            step = self.table.chain(max(step, self._ready(window, group)), "mau", (first, second, third))
            yield step

    def _ready(self, window: int, group: int) -> int:
        """From when on a first chunk may overwrite the sums of a group: what stood there has gone up."""
        return self.gone.get(group, 0) if self.windows[window][1] == 0 else 0

    def _product(
        self, window: int, group: int, register: str, part: int, before: str = "", after: str = ""
    ) -> tuple[str, ...]:
        """A group of columns (part 0: rounded, 1: the rest) by the matrix in a register, with its ports. before, after:
        the addend and the destination, if not the sums; the first product of a round has no addend."""
        total = self._sum(group)
        end = f"$l{'mn'[window % 2]}{self._vectors(window, group, part)}v"
        if register == "ly" and self.windows[window][1] == 0:
            return f"gmmul $ly {end} {after or total}", "$ly"
        ports = (f"${register}",) if before else (f"${register}", "grf0")
        return f"gmfma ${register} {end} {before or total} {after or total}", *ports

    def _sum(self, group: int) -> str:
        return f"$lr{self.room.sums + LINE * group}v"

    def _vectors(self, window: int, group: int, part: int) -> int:
        """Where four columns are, rounded or the rest."""
        return self.room.vectors[window % 2] + LINE * group + self.parts * part

    # --- up ----------------------------------------------------------------------------------------------------------

    def _finish(self, tile: Tile, ended: Sequence[int]) -> None:
        """The sums of a round over the L1Bs, and to DRAM. ended: the step after the last product of each group."""
        stored = 0
        for group, end in enumerate(ended):
            slot = len(self.summed)
            at = self.room.l1bm + self.low.sums + GROUP_LONGS * (slot % self.room.l1_slots)
            free = self.summed[slot - self.room.l1_slots] + 1 if slot >= self.room.l1_slots else 0
            line = f"l1bmd {self._sum(group)} $lb{at}"
            self.up = self.table.first(max(end + 1, self.up + 1, free), "l1bm", line, "grf0", direction="up")
            self.gone[group] = self.up + 1
            self.sums = max(self.sums, self.up + 3)
            to = self._place(group)
            for part in range(CYCLES):
                line = f"l2bmrffadd $lb{at + 64 * part} $lc{to + 64 * part}"
                self.sums = self.table.first(self.sums + 1, "l2bm", line, direction="up")
            self.summed.append(self.sums)
            if (group + 1) % STORED == 0 or group + 1 == len(ended):
                self._store(tile, stored, group + 1 - stored)
                stored = group + 1
        self.placed += -(-tile.groups // STORED) * STORED  # so that what one MV takes lies together

    def _place(self, group: int) -> int:
        """Where in L2BM the sums of a group of columns are."""
        return self.room.l2bm + self.high.sums + GROUP_LONGS * ((self.placed + group) % self.high.slots)

    def _store(self, tile: Tile, first: int, count: int) -> None:
        """Some groups of columns to DRAM, as far as the result has room: it may have fewer than four columns."""
        source, panel = self._place(first), self.panels.result
        for l2b in range(2):
            offset = panel.offset((tile.row, tile.column), l2b) + GROUP_LONGS * first
            longs = min(GROUP_LONGS * count, -(-panel.map.longs // UNIT_LONGS) * UNIT_LONGS - offset)
            if longs > 0:
                self.table.move(self.sums + 1, f"mvp/n{longs} $lc{source}@.{l2b} $d{self.result + offset}")


assert GROUP_LONGS == CYCLES * MABS * 4
