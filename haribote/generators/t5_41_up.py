"""Task 5.41: the mover, up.

It is taught in notebooks/05_mncore_ops/06_the_mover, section 5.
Check it with `grader check 5.41`; if you are stuck, `grader hint 5.41`.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

import numpy as np
from numpy.typing import NDArray

from haribote.errors import NotWritten, UnsupportedShape
from haribote.generators.t5_36_place_nops import place_nops
from haribote.generators.t5_40_down import BLOCK, Text, everyone, move, operand_text
from haribote.kernel import Op, Operand
from haribote.layout import Digit, Layout

Image = NDArray[np.int64]


def up(op: Op) -> Iterator[str]:
    """UL: copy 0 of a tensor from LM to DRAM, whatever the layout. x: in either LM. y: in DRAM."""
    lines: list[str] = []
    layout, text = op.x.layout, operand_text(op.x)
    if not layout.names("PE"):
        lines, layout, text = spread_over_pes(op.x)
    yield from place_nops([*lines, *collect(op.y, layout, text)])


def collect(dram: Operand, layout: Layout, text: Text, sums: Set[str] = frozenset()) -> list[str]:
    """Lines from the PEs to DRAM, without nops. sums: the levels whose units hold summands instead of copies."""
    return move(mvs(dram, "L2B" in sums), layout, text, up=True, sums=sums - {"L2B"})


def mvs(dram: Operand, summed: bool) -> Iterator[tuple[list[str], Image]]:
    """Ways from L2BM to DRAM: lines, and which pair has to be at each address of L2BM, [L2B, address].

    summed: every L2B has summands of all, and `mvrffadd` adds them up, on the way to DRAM (16 long words to each group
    in turn), or to one PDM. An MV that moves more than a part goes before those that write what lies there.
    """
    pairs, d = int(np.prod(dram.shape)) // 2, dram.dram
    part = -(-pairs // 4)
    whole, size = (-(-count // BLOCK) * BLOCK for count in (part, pairs))
    small, mixable = pairs <= 8, part % 16 == 0
    in_order = everyone(np.arange(pairs))
    mixed = everyone(np.arange(pairs).reshape(4, -1, 16).transpose(1, 0, 2).ravel()) if mixable and not small else None
    if summed:
        if small:
            yield [f"mvrffadd/n{size} $lc0 {d()}"], in_order
            return
        if mixed is not None:
            yield [f"mvrffadd/n{size} $lc0 {d()}"], mixed
        yield [f"mvrffadd/n{size} $lc0 $p0@0", *(f"mvp/n{whole} $p{part * g}@0 {d()}@{g}" for g in range(4))], in_order
        return
    if not small:
        own = np.full((4, 2, part), -1)
        own[:, 0] = np.arange(pairs).reshape(4, part)
        yield [f"mvp/n{whole} $lc0@.0 {d()}"], own.reshape(8, part)
        if part % (2 * BLOCK) == 0:
            half = part // 2
            yield [f"mvp/n{half} $lc0@.{c} {d(half * c)}" for c in (0, 1)], np.arange(pairs).reshape(8, half)
    yield from one_l2b(dram, in_order, mixed)


def one_l2b(dram: Operand, in_order: Image, mixed: Image | None) -> Iterator[tuple[list[str], Image]]:
    """The ways to DRAM on which the first L2B of group 0, `@0.0`, has all pairs.

    Up to 8 pairs go to group 0 in one MV. More of them: in order, each group's part by an MV of its own; mixed, where
    that is not None, all to the PDM of group 0, from where `mvd` deals them to the groups.
    """
    pairs, d = int(np.prod(dram.shape)) // 2, dram.dram
    part = -(-pairs // 4)
    whole, size = (-(-count // BLOCK) * BLOCK for count in (part, pairs))  # in whole moves
    # TODO: about 6 lines.
    raise NotWritten("task 5.41 (the mover, up) is not written yet; check it with `grader check 5.41`")


def spread_over_pes(x: Operand) -> tuple[list[str], Layout, Text]:
    """Where one PE of a MAB has it all: lines that deal it to the four PEs, the layout then, and its text, in GRF0.

    L1BM takes a long word from each of the four PEs. dmwrite makes four long words of a PE rows of a matrix, whose
    column 0 is what PE 0 had; dmread hands out columns: PE p gets long word p of the four, in cycle 0.
    """
    count = x.layout.words // 8
    lines = []
    for number in range(count):
        lines += [f"dmwrite {x.long(8 * number)} $lx0", f"dmread $lx0 $lr{2 * number}/1000"]
    return lines, over_pes(x.layout), registers("r")


def over_pes(layout: Layout) -> Layout:
    """The layout with every four long words of a PE, from a multiple of four on, dealt to the four PEs of its MAB."""
    axes = []
    for axis in layout.axes:
        digits: list[Digit] = []
        for digit in axis:
            if digit.level:
                digits.append(digit)
            elif digit.stride == 1 and digit.size % 4 == 0:
                digits += [Digit(digit.size // 4, "", 1), Digit(4, "PE", 1)]
            elif digit.stride % 4 == 0:
                digits.append(Digit(digit.size, "", digit.stride // 4))
            else:
                raise UnsupportedShape("four long words of a PE that follow each other", str(layout), "another layout")
        axes.append(tuple(digits))
    return Layout(tuple(axes))


def registers(bank: str, start: int = 0) -> Text:
    """Texts of words of GRF0 (`r`) or GRF1 (`s`) from a register on."""
    return lambda length, offsets: f"${length}{bank}[{','.join(str(start + at) for at in offsets)}]"
