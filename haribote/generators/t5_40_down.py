"""Task 5.40: the mover, down.

It is taught in notebooks/05_mncore_ops/06_the_mover, section 4.
Check it with `grader check 5.40`; if you are stuck, `grader hint 5.40`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

import numpy as np
from numpy.typing import NDArray

from haribote.errors import NotWritten, UnsupportedShape
from haribote.generators.t5_36_place_nops import place_nops
from haribote.generators.t5_37_wanted import wanted
from haribote.generators.t5_38_addresses import Addresses, addresses
from haribote.generators.t5_39_ways import Way, ways
from haribote.kernel import Op, Operand
from haribote.layout import Layout

Image = NDArray[np.int64]
Text = Callable[[str, list[int]], str]
"""(length, offset in words of each cycle) → the text of an operand."""
BLOCK = 64
"""Long words: an MV moves a multiple of these."""


def down(op: Op) -> Iterator[str]:
    """DL: a tensor from DRAM to every copy in LM, whatever the layout. x: in DRAM. y: in either LM.

    UnsupportedShape is for a layout that no way reaches; `move` raises it.
    """
    yield from place_nops(move(mvs(op.x), op.y.layout, operand_text(op.y)))


def mvs(dram: Operand) -> Iterator[tuple[list[str], Image]]:
    """Ways from DRAM to L2BM: lines, and the pair at every address of L2BM, [L2B, address], -1 for nothing.

    Up to 8 pairs lie in group 0. More are in four parts, one in each group.
    """
    pairs, d = int(np.prod(dram.shape)) // 2, dram.dram
    part = -(-pairs // 4)
    whole = -(-part // BLOCK) * BLOCK
    if pairs <= 8:
        yield [f"mvp/n{BLOCK} {d()}@0 $p0@0", f"mvb/n{BLOCK} $p0@0 $lc0"], everyone(np.arange(pairs))
        return
    own = np.full((4, 2, part), -1)
    own[:, 0] = np.arange(pairs).reshape(4, part)
    yield [f"mvp/n{whole} {d()} $lc0@.0"], own.reshape(8, part)  # each group's part to the first of its L2Bs
    if part % (2 * BLOCK) == 0:  # or half of it to each of the two
        half = part // 2
        yield [f"mvp/n{half} {d(half * c)} $lc0@.{c}" for c in (0, 1)], np.arange(pairs).reshape(8, half)
    in_order = [f"mvp/n{whole} {d()} $p0", *(f"mvb/n{whole} $p0@{group} $lc{part * group}" for group in range(4))]
    yield in_order, everyone(np.arange(pairs))
    if part % 16 == 0:  # mvd takes 16 long words from each group in turn
        size = -(-pairs // BLOCK) * BLOCK
        mixed = np.arange(pairs).reshape(4, -1, 16).transpose(1, 0, 2).ravel()
        yield [f"mvd/n{size} {d()} $p0@0", f"mvb/n{size} $p0@0 $lc0"], everyone(mixed)


def everyone(pairs: Image) -> Image:
    """The same pairs in every L2B."""
    return np.tile(pairs, (8, 1))


def move(
    mvs: Iterable[tuple[list[str], Image]], layout: Layout, text: Text, up: bool = False, sums: Set[str] = frozenset()
) -> list[str]:
    """The fewest lines between DRAM and the PEs. mvs: ways between DRAM and L2BM. text: of the operand in the PEs.

    sums: the levels whose units hold summands of the result instead of copies (up only).

    Raises:
        UnsupportedShape: on no way do all PEs agree on addresses.
    """
    want = wanted(layout, everywhere=not up)
    best: list[str] = []
    for mv, image in mvs:
        for way in ways(image, up, sums):
            # TODO: about 5 lines.
            raise NotWritten("task 5.40 (the mover, down) is not written yet; check it with `grader check 5.40`")
    if not best:
        raise UnsupportedShape("a layout that MV, l2bm and l1bm reach in three parts", str(layout), "another layout")
    return best


def joined(mv: list[str], l2bm: list[str], l1bm: list[str], up: bool) -> list[str]:
    """The three parts of a way in the order of the move."""
    return [*l1bm, *l2bm, *mv] if up else [*mv, *l2bm, *l1bm]


def l1bm_lines(way: Way, found: Addresses, text: Text, up: bool) -> list[str]:
    """The lines between L1BM and the PEs: `l1bmm $llb32 $lln8v`, up `l1bmm@0 $lln8v $llb32`. found: by step and cycle.

    A step of which no cycle is of use has no line. A cycle that is None takes the address of a cycle that is not; down,
    a mask keeps it from being written: `/1000` lets cycle 0 alone write, `/ll1000` for the length "ll".
    """
    lines: list[str] = []
    letters = "ll" if way.length == "ll" else "l"  # of $llb and $lb
    for step, cycles in enumerate(found):
        in_l1bm = f"${letters}b{way.block * step}"
        used = [at for at in cycles if at is not None]
        if not used:
            continue
        operand = text(way.length, [2 * (used[0] if at is None else at) for at in cycles])
        if up:
            lines.append(f"{way.name} {operand} {in_l1bm}")
            continue
        pattern = "".join("0" if at is None else "1" for at in cycles)
        prefix = "ll" if way.length == "ll" else ""
        mask = "" if pattern == "1111" else f"/{prefix}{pattern}"
        lines.append(f"{way.name} {in_l1bm} {operand}{mask}")
    return lines


def operand_text(operand: Operand) -> Text:
    """Texts of an operand in LM: `$ln8v` where the offsets follow each other, else a list of addresses."""

    def text(length: str, offsets: list[int]) -> str:
        size = {"": 1, "l": 2, "ll": 4}[length]
        if offsets == [offsets[0] + size * cycle for cycle in range(4)]:
            return {"": operand.word, "l": operand.long, "ll": operand.double}[length](offsets[0])
        return operand.flat(length, offsets)  # type: ignore[arg-type]

    return text
