"""Where operands and result of the streaming template are in DRAM: maps on bits, from the lowest of an axis upwards

    rows      L2Bs (4 or 2), MABs, rows of a MAB, tiles
    columns   L2Bs (2 or 4), columns of a tile, tiles
    depth     word, PEs, L1Bs, chunks

A chunk of a tile is one MV, whole: small operands have lines and depth up to it, which the host fills up. In L2BM
(`l2bmd` deals it out to the L1Bs, `l1bmd` to the MABs) the address of a long word has two of the depth's bits for the
PEs lowest, then one of the MABs or columns, three of the depth for the L1Bs, and the others. The result stands as it
leaves the L2BMs, a column of a tile after another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count

from haribote.stack.maps import NOTHING, Bit, BitMap, W, address, axis_bits
from haribote.stack.tilings import CYCLES, TILE_ROWS, Tiling

WORD, PES, L1BS = 1, 2, 3
"""Bits of the depth below the chunks, lowest first."""
CHUNK = WORD + PES + L1BS
"""Bits of the depth in a chunk."""
MABS, EIGHTS = 4, 3
"""Bits of the rows of a tile."""
COLUMN = 6
"""Bits of a long word's place in L2BM below the columns of a result."""


@dataclass(frozen=True)
class Panel:
    """map: in DRAM, its axes in the order of the value's. tile_bits, chunk_bit: the lowest bits of an address that tell
    apart the tiles along its one axis (the result's: along its rows, its columns), and chunks (the result's: L2Bs)."""

    map: BitMap
    move: str
    tile_bits: tuple[int, ...]
    chunk_bit: int

    def offset(self, tiles: tuple[int, ...], chunk: int) -> int:
        """Where a chunk of a tile begins, in long words of a group's DRAM."""
        at = zip(tiles, self.tile_bits, strict=True)
        return sum(number << bit for number, bit in at) + (chunk << self.chunk_bit)


@dataclass(frozen=True)
class Panels:
    """The panels of a tiling. depth_first: whether the depth is the first axis of the matrix, and of the vectors.
    columns_first: the same for the columns of the result."""

    tiling: Tiling
    depth_first: tuple[bool, bool] = (False, False)
    columns_first: bool = False

    @cached_property
    def matrix(self) -> Panel:
        """Of the operand whose rows are the rows of the result."""
        tiling = self.tiling
        lines = max(tiling.rows, tiling.grid[0] << MABS)
        return self._operand(lines, 0, self.depth_first[0], TILE_ROWS, tiling.by_group == "rows")

    @cached_property
    def vectors(self) -> Panel:
        """Of the operand that gives the columns."""
        tiling = self.tiling
        lines = max(tiling.columns, tiling.grid[1] * CYCLES)
        return self._operand(lines, 1, self.depth_first[1], tiling.most_columns, tiling.by_group == "columns")

    def _operand(self, lines: int, side: int, depth_first: bool, tile: int, own: bool) -> Panel:
        """lines: at least what one chunk of a tile takes; own: each group has its own lines; otherwise all groups bring
        those of both L2Bs, a quarter each."""
        depth = max(self.tiling.depth, 1 << CHUNK)
        shape = (depth, lines) if depth_first else (lines, depth)
        line, deep = _axes(shape, depth_first)
        grid, inner = axis_bits(self.tiling.grid[side]), axis_bits(tile)
        pes, l1bs = _row(deep, WORD, PES), _row(deep, WORD + PES, L1BS)
        own_lines = _row(line, grid, inner)
        near = [*pes, own_lines[0], *l1bs, *own_lines[1:]]
        groups = _row(line, 0, grid) if own else near[4:6]
        order = near if own else [*near[:4], line[0], *near[6:]]
        chunks = [deep[bit] for bit in range(CHUNK, len(deep))]
        tiles = [line[bit] for bit in range(grid + inner, len(line))]
        table = {W: deep[0]} | {Bit("group", number): bit for number, bit in enumerate(groups)}
        table |= {address(number): bit for number, bit in enumerate([*order, *chunks, *tiles])}
        found = BitMap.of("DRAM", shape, table)
        return Panel(found, "mvb2" if own else "mvb4", (len(order) + len(chunks),), len(order))

    @cached_property
    def result(self) -> Panel:
        """Of the result as it is computed, rows by columns."""
        tiling = self.tiling
        shape = (tiling.columns, tiling.rows) if self.columns_first else (tiling.rows, tiling.columns)
        row, column = _axes(shape, self.columns_first)
        along, across = (axis_bits(size) for size in tiling.grid)
        mabs, eights = _row(row, along, MABS), _row(row, along + MABS, EIGHTS)
        inner = axis_bits(tiling.most_columns)
        groups, l2bs = _row(row, 0, along), _row(column, 0, across)
        if tiling.by_group == "columns":
            groups, l2bs = l2bs, groups
        columns = [column[bit] for bit in range(across + inner, len(column))]
        rows = [row[bit] for bit in range(along + MABS + EIGHTS, len(row))]
        table = {W: eights[0]} | {Bit("group", number): bit for number, bit in enumerate(groups)}
        order = [*eights[1:], *mabs, *_row(column, across, inner)]
        table |= {address(number): bit for number, bit in enumerate([*order, *l2bs, *columns, *rows])}
        top = len(order) + len(l2bs)
        return Panel(BitMap.of("DRAM", shape, table), "mvp", (top + len(columns), top), len(order))


def _axes(shape: tuple[int, int], turned: bool) -> tuple[dict[int, int], dict[int, int]]:
    """The index bits of the first axis by their number along it, and of the second; turned: the other way round."""
    low, high = axis_bits(shape[1]), axis_bits(shape[0])
    second, first = dict(zip(range(low), count(), strict=False)), dict(zip(range(high), count(low), strict=False))
    return (second, first) if turned else (first, second)


def _row(bits: dict[int, int], start: int, length: int) -> list[int]:
    """Some bits of an axis, NOTHING for those that it has not."""
    return [bits.get(number, NOTHING) for number in range(start, start + length)]
