"""How a product is cut for the streaming template, and what that costs.

    L2B     every fourth or second row, every second or fourth column: the groups tell one apart, the two L2Bs of a
            group the other. One operand comes by `mvb2` (the same to both L2Bs of a group), the other by `mvb4` (the
            same to L2B l of every group): what an MV replicates costs nothing
    L1B     an eighth of each *chunk* of the depth, the axis that is summed over: 8 of 64
    MAB     up to 8 of the rows of a tile (`eights`), all its columns
    cycle   one column of a *group* of four
    PE, W   two and two of the eight along the depth (operands), or of the eight rows (result)

A *tile* is what an L2B computes of the result at once: up to 128 rows, up to 256 columns. All L2Bs do the same. An axis
of any length is cut like that, by the bits of its index: only the last tile along it is smaller. What lies beyond the
axis is zero in the operands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import ceil
from typing import Literal

from simulator import isa
from simulator.messages import tr

MABS, EIGHT, CYCLES = 16, 8, 4
TILE_ROWS = MABS * EIGHT
DEEP = 64
"""Of the depth, in a chunk: 8 in each of the 8 L1Bs."""
MOST_COLUMNS = 256
"""Of a tile: the sums of 8 rows take two words of GRF0 each."""
QUAD = 64
"""Columns that the PEs of an L1B split at once: one in each MAB and cycle."""
MV_RATE = 16
"""Long words per cycle, on the side of an L2BM."""
Along = Literal["rows", "columns"]


@dataclass(frozen=True)
class Tile:
    """row, column: its number along the rows and along the columns. eights: rows in each MAB. columns: a multiple of
    4."""

    row: int
    column: int
    eights: int
    columns: int

    @property
    def groups(self) -> int:
        """Of four columns."""
        return self.columns // CYCLES

    @property
    def quads(self) -> int:
        """Of 64 columns; the last one may be partly empty."""
        return ceil(self.columns / QUAD)

    @property
    def halves(self) -> int:
        """Of a matrix, four rows each, that hold anything."""
        return ceil(self.eights / 4)

    @property
    def pairs(self) -> int:
        """Steps in which the vectors of an eighth of a chunk go to all MABs, and in which they are dealt out."""
        return ceil(self.columns / 8)

    @property
    def matrix_longs(self) -> int:
        """Of a chunk of the matrix in an L2BM."""
        return self.eights * MABS * DEEP // 2

    @property
    def vector_longs(self) -> int:
        """Of a chunk of the vectors in an L2BM."""
        return self.columns * DEEP // 2

    @property
    def result_longs(self) -> int:
        """Of the sums in an L2BM, places of rows that there are not included."""
        return self.columns * TILE_ROWS // 2

    @property
    def dealt(self) -> int:
        """Steps in which a chunk goes to the L1BMs."""
        return 2 * self.eights + self.pairs

    @property
    def window(self) -> int:
        """Steps of a chunk: of the unit that has most to do, or of the chain from the raw words of the next chunk to
        its vectors in all MABs."""
        blocks = self.quads + self.halves
        matrix_unit = 3 * self.groups + blocks
        l1bm = blocks + 2 * self.quads + 2 * self.pairs + 4
        chain = self.groups + 4 + 3 * blocks + 2 * self.pairs + 8
        return max(matrix_unit, l1bm, self.dealt, chain)


@dataclass(frozen=True)
class Tiling:
    """rows, columns, depth: of the product as it is computed. by_group: what the groups tell apart. turned: the matrix
    is the second operand, and the result is computed transposed. most_columns: of a tile, a power of two."""

    rows: int
    columns: int
    depth: int
    by_group: Along
    turned: bool = False
    most_columns: int = MOST_COLUMNS

    @property
    def grid(self) -> tuple[int, int]:
        """L2Bs along rows and columns."""
        return (4, 2) if self.by_group == "rows" else (2, 4)

    @property
    def chunks(self) -> int:
        """Of the depth."""
        return ceil(self.depth / DEEP)

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """Of every L2B, in the order in which they are computed."""
        rows = [ceil(part / MABS) for part in _parts(self.rows, self.grid[0], TILE_ROWS)]
        columns = [CYCLES * ceil(part / CYCLES) for part in _parts(self.columns, self.grid[1], self.most_columns)]
        return tuple(Tile(i, j, *sizes) for (i, j), sizes in zip(
            product(range(len(rows)), range(len(columns))), product(rows, columns), strict=True
        ))  # fmt: skip

    # --- cost --------------------------------------------------------------------------------------------------------

    @cached_property
    def steps(self) -> int:
        """Of the program, about: all windows, the first chunk on its way down and the last sums on their way up. Where
        there are few chunks, the L2BMs bind: they give four steps to the sums of a group."""
        first, last = self.tiles[0], self.tiles[-1]
        down = 4 * first.eights + 2 * first.pairs + 4 * (first.quads + first.halves) + 24
        windows = sum(max(self.chunks * t.window, self.chunks * t.dealt + 4 * t.groups + 8) for t in self.tiles)
        return down + windows + 2 * last.groups + 12

    @cached_property
    def moved(self) -> float:
        """Cycles of the MVs."""
        operands = sum(tile.matrix_longs + tile.vector_longs for tile in self.tiles)
        results = isa.L2BS_PER_GROUP * sum(tile.result_longs for tile in self.tiles)
        return (self.chunks * operands + results) / MV_RATE

    @property
    def serial(self) -> float:
        """Cycles of steps and MVs, one after another."""
        return isa.STEP_CYCLES * self.steps + self.moved

    @property
    def overlapped(self) -> float:
        """Cycles where MVs run beside steps, about."""
        return max(isa.STEP_CYCLES * self.steps, self.moved)

    def __str__(self) -> str:
        across = " x ".join(map(str, self.grid))
        tile = self.tiles[0]
        size = f"{min(TILE_ROWS, MABS * tile.eights)} x {tile.columns}"
        return tr(
            "tiles of {size} on {across} L2Bs: {tiles} each, {chunks} chunks",
            size=size,
            across=across,
            tiles=len(self.tiles),
            chunks=self.chunks,
        )


def _parts(size: int, units: int, most: int) -> list[int]:
    """What a unit has of an axis that is dealt out element by element, in parts of `most` and a last one."""
    own = ceil(size / units)
    return [min(most, own - start) for start in range(0, own, most)]


@lru_cache(maxsize=1 << 10)
def tilings(m: int, k: int, n: int, most_columns: int = MOST_COLUMNS) -> tuple[Tiling, ...]:
    """The tilings of A [m, k] times B [k, n], the cheapest first; of those that cost the same, that of fewer steps."""
    found = _tilings(m, k, n, most_columns)
    return tuple(sorted(found, key=lambda tiling: (tiling.overlapped, tiling.steps)))


def _tilings(m: int, k: int, n: int, most_columns: int) -> Iterator[Tiling]:
    grids: tuple[Along, ...] = ("rows", "columns")
    for by_group, turned in product(grids, (False, True)):
        yield Tiling(*((n, m) if turned else (m, n)), k, by_group, turned, most_columns)
