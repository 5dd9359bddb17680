"""The layouts that the planner considers for a value: few families, each with the choices that make a difference.

*near*: the last axis (columns) over the MABs, the others (rows) over the words and PEs within a MAB, then over cycles
and L1Bs. A MAB holds one column, so that sums along a row are sums over MABs, and an element-wise operator on 256x16
takes one step. *wide*: the last axis over words, PEs, MABs and L2Bs, rows over addresses and L1Bs: for large inputs and
what they are multiplied with. Both also with rows and columns exchanged. Across the L2Bs a value is copied, or dealt
out by its columns, or by its rows. *deep*, of four axes and more: the last axis, or the second (the channels of
images), within the PEs of a MAB, and all others over the units, so that a product that sums over the channels needs no
sums over units.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from haribote.stack.maps import COPY, Bit, BitMap, W, address, axis_bits, unit_bits

Across = Literal["copies", "columns", "rows"]
Split = tuple[tuple[int, ...], ...]
Layout = tuple[Split, BitMap]
"""How the axes of a value are split, and where what they are split into is."""

ACROSS: tuple[Across, ...] = ("copies", "columns", "rows")
PES = (W, Bit("PE", 0), Bit("PE", 1))
HALF_PES = (W, address(0), *PES[1:])
"""What the matrix unit sums over of halves."""
MABS = tuple(Bit("MAB", number) for number in range(4))
L1BS = tuple(Bit("L1B", number) for number in range(3))
L2BS = (Bit("L2B", 0), Bit("group", 0), Bit("group", 1))
CYCLES = 2
"""Address bits that the four cycles of a step run through."""
LONG = 128
"""Elements that words, PEs and MABs hold of an axis; a longer one that is no power of two is dealt out over the L2Bs
too."""
IMAGE_AXES = 4
"""Axes from which on a value counts as images."""


@lru_cache(maxsize=1 << 12)
def candidates(shape: tuple[int, ...]) -> tuple[Layout, ...]:
    """The layouts of a value of this shape, each with how its axes are split."""
    found: dict[tuple[Split, BitMap], None] = {}
    whole: Split = tuple((size,) for size in shape)
    for across in ACROSS:
        for turned in (False, True):
            rows, columns = _bits(shape, turned)
            found[whole, near(shape, rows, columns, across)] = None
            if across != "columns" or not (shape and _is_long(shape[-1]) and not turned):
                found[whole, wide(shape, rows, columns, across)] = None
    for axis in range(len(shape)):
        if _is_long(shape[axis]):
            others = [bit for number in reversed(range(len(shape))) if number != axis for bit in _axis(shape, number)]
            found[whole, dealt(shape, others, _axis(shape, axis))] = None
    if len(shape) >= IMAGE_AXES:
        for inner in (1, len(shape) - 1):
            found |= {(whole, deep(shape, inner, pooled)): None for pooled in (False, True)}
    return tuple(found)


@lru_cache(maxsize=1 << 12)
def half_candidates(shape: tuple[int, ...]) -> tuple[Layout, ...]:
    """Layouts for products of halves: *wide*, but with columns at the lowest address bit too."""
    found: dict[tuple[Split, BitMap], None] = {}
    for turned in (False, True):
        rows, columns = _bits(shape, turned)
        for across in ACROSS if len(columns) >= len(HALF_PES) else ():
            found[tuple((size,) for size in shape), wide(shape, rows, columns, across, HALF_PES)] = None
    return tuple(found)


def _axis(shape: Sequence[int], axis: int) -> list[int]:
    """The index bits of an axis, lowest first."""
    start = sum(axis_bits(size) for size in shape[axis + 1 :])
    return list(range(start, start + axis_bits(shape[axis])))


def _bits(shape: Sequence[int], turned: bool) -> tuple[list[int], list[int]]:
    """The index bits of rows and columns, lowest first. turned: the last axis is the rows."""
    last = _axis(shape, len(shape) - 1) if shape else []
    others = [bit for axis in reversed(range(len(shape) - 1)) for bit in _axis(shape, axis)]
    return (last, others) if turned else (others, last)


def near(shape: Sequence[int], rows: Sequence[int], columns: Sequence[int], across: Across) -> BitMap:
    """Columns over MABs; rows over words and PEs, two bits of cycles, L1Bs."""
    rows, columns, table = list(rows), list(columns), _copies()
    _lowest(table, MABS, columns)
    _lowest(table, PES, rows)
    _across(table, across, rows, columns)
    _l1bs(table, rows)
    _rest(table, [*rows[:CYCLES], *columns, *rows[CYCLES:]])
    return BitMap.of("LM", tuple(shape), table)


def wide(
    shape: Sequence[int], rows: Sequence[int], columns: Sequence[int], across: Across, inner: Sequence[Bit] = PES
) -> BitMap:
    """Columns over words, PEs, MABs and, dealt out, L2Bs; rows over addresses and L1Bs. inner: where the lowest bits of
    the columns stand."""
    rows, columns, table = list(rows), list(columns), _copies()
    _lowest(table, (*inner, *MABS), columns)
    _across(table, across, rows, columns)
    _l1bs(table, rows)
    _rest(table, [*rows, *columns], len(inner) - len(PES))
    return BitMap.of("LM", tuple(shape), table)


def _is_long(size: int) -> bool:
    """Whether an axis is dealt out over the L2Bs by low bits."""
    return size > LONG and size != 1 << axis_bits(size)


def dealt(shape: Sequence[int], rows: Sequence[int], columns: Sequence[int]) -> BitMap:
    """Columns over words and PEs, eight at a time over the groups, then over MABs and the L2Bs of a group, so that an
    axis that is no power of two fills all groups alike; rows over addresses and L1Bs.

    Where columns do not fill all of these, eight at a time over all L2Bs: else both L2Bs of a group would do the same.
    """
    fills = len(columns) >= len((*PES, *L2BS, *MABS))
    rows, columns, table = list(rows), list(columns), _copies()
    for places in (PES, L2BS[1:], MABS, L2BS[:1]) if fills else (PES, L2BS, MABS):
        _lowest(table, places, columns)
    _l1bs(table, rows)
    _rest(table, [*rows, *columns])
    return BitMap.of("LM", tuple(shape), table)


def deep(shape: Sequence[int], inner: int, pooled: bool) -> BitMap:
    """An axis over words, PEs and addresses; the others over as many whole levels of units as they fill, from the MABs
    up, the rest of them at addresses. pooled: the lowest bit of each among these.
    """
    axes = [_axis(shape, axis) for axis in reversed(range(len(shape))) if axis != inner]
    lowest = [bits.pop(0) for bits in axes if bits] if pooled else []
    columns, rows, table = _axis(shape, inner), [*lowest, *(bit for bits in axes for bit in bits)], _copies()
    _lowest(table, PES, columns)
    levels = [level for number, level in enumerate((MABS, L1BS, L2BS)) if len(rows) >= (4, 7, 10)[number]]
    for level in reversed(levels):
        _highest(table, level, rows)
    _rest(table, [*rows, *columns])
    return BitMap.of("LM", tuple(shape), table)


def _copies() -> dict[Bit, int]:
    return dict.fromkeys((*unit_bits("LM"), W), COPY)


def _lowest(table: dict[Bit, int], places: Sequence[Bit], left: list[int]) -> None:
    """The lowest bits that are left stand in these places."""
    for bit in places[: len(left)]:
        table[bit] = left.pop(0)


def _highest(table: dict[Bit, int], places: Sequence[Bit], left: list[int]) -> None:
    """The highest bits that are left stand in these places."""
    for bit in reversed(places[: len(left)]):
        table[bit] = left.pop()


def _across(table: dict[Bit, int], across: Across, rows: list[int], columns: list[int]) -> None:
    """Deal out over the L2Bs what fills them all and, of rows, the L1Bs too: a level that holds parts of a sum beside
    copies of them cannot be added up.
    """
    if across == "columns" and len(columns) >= len(L2BS):
        _highest(table, L2BS, columns)
    if across == "rows" and len(rows) >= len(L2BS) + len(L1BS):
        _highest(table, L2BS, rows)


def _l1bs(table: dict[Bit, int], rows: list[int]) -> None:
    """Rows over all L1Bs, or over none."""
    if len(rows) >= len(L1BS):
        _highest(table, L1BS, rows)


def _rest(table: dict[Bit, int], left: Sequence[int], first: int = 0) -> None:
    table |= {address(first + number): carry for number, carry in enumerate(left)}


@lru_cache(maxsize=1 << 12)
def projected(found: BitMap, shape: tuple[int, ...]) -> BitMap:
    """The map of an operand that is broadcast to `found.shape`: the same place, copies where its axes have size 1, and
    addresses closed up.
    """
    wide_axes = found.axes
    own = BitMap("LM", tuple(shape), ()).axes
    renamed: dict[int, int] = {}
    for bits, target in zip(reversed(wide_axes), reversed(own), strict=False):
        renamed |= dict(zip(bits, target, strict=False))
    table = {bit: renamed.get(c, COPY) if c >= 0 else c for bit, c in found.carries if bit.level != "address"}
    inside = [renamed[c] for _, c in found.addresses if c in renamed]
    return BitMap.of("LM", tuple(shape), table | {address(number): carry for number, carry in enumerate(inside)})


@lru_cache(maxsize=1 << 12)
def reduced(found: BitMap, axes: tuple[int, ...], mark: int) -> BitMap:
    """The map with some axes reduced to size 1: `mark` (PART or COPY) where their bits stood."""
    shape = tuple(1 if axis in axes else size for axis, size in enumerate(found.shape))
    own = BitMap(found.memory, shape, ()).axes
    renamed: dict[int, int] = {}
    for axis, bits in enumerate(found.axes):
        renamed |= dict(zip(bits, own[axis], strict=False)) if axis not in axes else dict.fromkeys(bits, mark)
    return found.renamed(shape, renamed)
