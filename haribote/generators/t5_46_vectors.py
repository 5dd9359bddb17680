"""Task 5.46: vectors for the matrix unit.

It is taught in notebooks/05_mncore_ops/08_sums_and_products, section 2.
Check it with `grader check 5.46`; if you are stuck, `grader hint 5.46`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.generators.t5_40_down import operand_text
from haribote.generators.t5_45_reduce import local
from haribote.kernel import Operand
from haribote.layout import Digit

ZERO = 504
"""Two words of GRF0 that hold 0; 496 to 503 of GRF1 are for the unit matrix."""
UNIT_MATRIX = (
    f"zero $lr{ZERO}",
    "zero $t",
    'imm i"1" $t/0011',  # T = half of the row: 0 0 1 1
    'imm i"0x3f800000" $ls496v',  # 0.0 in a block with the exponent of 1.0
    "ixor $subpeid $t $omr1",
    'imm i"0x3fc00000" $s[496,499,500,503]/$imr1',  # 1.0 as a block float
    "gmwrite $ls496v $ly0",
    "msl $ls496v $nowrite",
    "msl $aluf $nowrite",  # rows 4 to 7 are rows 0 to 3, two PEs further on
    "gmwrite $aluf $ly4",
)
"""Lines that make `$ly` the unit matrix, and a zero in GRF0."""


def vectors(operand: Operand, free: int, start: int) -> tuple[Vectors, list[str]]:
    """One operand of a product as vectors, and the lines that make them, behind those of UNIT_MATRIX."""
    found = Vectors(operand, free, start)
    return found, [*found.fetch(), *found.split()]


class Vectors:
    """One operand of a product, as vectors of 8 along the common axis k; four of them, one per cycle, are a group.

    operand: a matrix in LM. free: the axis that is not k. start: the first register; there are 8 for each group.
    groups: by block of 8 indices k, then in the order of the free index: the first register of each group. sources: of
    each group, in the order of the registers, the text of its singles.
    """

    def __init__(self, operand: Operand, free: int, start: int) -> None:
        self.operand, self.free, self.start = operand, free, start
        self.groups: list[list[int]] = []
        self.sources: list[str] = []

    def fetch(self) -> list[str]:
        """Fill groups and sources, with the lines that this takes; none where k lies across the PEs of a MAB.

        Four neighbours along the free axis, at the same block of k, are a group: their long words, one per cycle.
        """
        layout, text = self.operand.layout, operand_text(self.operand)
        if any(digit.level == "PE" for digit in layout.axes[self.free]):
            return self.transposed()
        inner, outer = local(layout, self.free), local(layout, 1 - self.free)
        if len(inner) % 4:
            raise UnsupportedShape("a multiple of four rows in each PE", str(layout), "a larger batch")
        for k in outer:
            self.groups.append([])
            for first in range(0, len(inner), 4):
                # TODO: one line.
                raise NotWritten(
                    "task 5.46 (vectors for the matrix unit) is not written yet; check it with `grader check 5.46`"
                )
        return []

    def add(self, source: str) -> None:
        """One more group of the last block of k; `source` is the text of its singles."""
        self.groups[-1].append(self.next)
        self.sources.append(source)

    @property
    def next(self) -> int:
        """The first register that is free."""
        return self.start + 8 * len(self.sources)

    def transposed(self) -> list[str]:
        """The same where the free axis lies across the PEs, and k runs over the long words of a PE.

        `gmwrite` makes four long words rows of `$lx`, `$lx0` the first four, `$lx4` the others of 8 (of zeros, where
        there are only four); `gmread` takes four columns out of it, from column 0 or 4 on, to registers. Those are then
        the source.
        """
        layout, text = self.operand.layout, operand_text(self.operand)
        inner, outer = local(layout, self.free), local(layout, 1 - self.free)
        if len(outer) % 8 not in (0, 4):
            raise UnsupportedShape("a multiple of four rows in each PE", str(layout), "a larger batch")
        lines: list[str] = []
        for first in range(0, len(outer), 8):
            self.groups.append([])
            for column in inner:
                rows = [2 * (k + column) for k in outer[first : first + 8]]
                # TODO: about 5 lines.
                raise NotWritten(
                    "task 5.46 (vectors for the matrix unit) is not written yet; check it with `grader check 5.46`"
                )
        return lines

    def split(self) -> Iterator[str]:
        """Lines that make of every group two of 18 bits: the high part in GRF1, the low part in GRF0.

        `gbfn` cuts a single to 18 bits, as a block float. The low part is what it cut off: x - high, by `gmfma` with
        `$ly`, the unit matrix, and cut once more. All high parts first, so that no line has to wait for its own.
        """
        for number, source in enumerate(self.sources):
            yield f"gbfn {source} $ls{self.start + 8 * number}v"
        for number, source in enumerate(self.sources):
            yield f"gmfma $ly -$ls{self.start + 8 * number}v {source} $nowrite"
            yield f"gbfn $mauf $lr{self.start + 8 * number}v"

    def axis(self, stride: int, across: bool) -> tuple[Digit, ...]:
        """The digits of the free axis in the result. across: over PEs and words; else at long words, with a stride."""
        digits: list[Digit] = []
        count = 4 * len(self.groups[0])
        for digit in self.operand.layout.axes[self.free]:
            if digit.level in ("L2B", "L1B", "MAB"):
                digits.append(digit)
            elif count:  # all others together, where the first of them stands
                own = (Digit(count // 8, "", 1), Digit(4, "PE", 1), Digit(2, "W", 1))
                digits += own[count == 8 :] if across else (Digit(count, "", stride),)
                count = 0
        return tuple(digits)
