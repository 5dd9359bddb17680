"""Task 5.47: the product.

It is taught in notebooks/05_mncore_ops/08_sums_and_products, section 3.
Check it with `grader check 5.47`; if you are stuck, `grader hint 5.47`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.generators.t5_36_place_nops import place_nops
from haribote.generators.t5_40_down import operand_text
from haribote.generators.t5_41_up import collect, registers
from haribote.generators.t5_46_vectors import UNIT_MATRIX, vectors
from haribote.kernel import Op
from haribote.layout import Layout

MOST = 496
"""Registers for operands and sums; the unit matrix has the others."""


def gemm(op: Op) -> Iterator[str]:
    """y = a b, with `transA` and `transB` as ONNX has them. a, b: matrices in one LM. y: in LM, or in DRAM.

    y[r, c] is the sum over k of a[r, k] b[c, k], so a vector of b along k gives a column of y. 8 of them are a matrix,
    which the matrix unit multiplies by four vectors of a in a step. Common indices in several MABs, L1Bs or L2Bs are
    added up on the way to DRAM.
    """
    first, second = op.inputs
    a, lines_of_a = vectors(first, 1 if op.attributes.get("transA") else 0, 0)
    b, lines_of_b = vectors(second, 0 if op.attributes.get("transB") else 1, a.next)
    lines = [*UNIT_MATRIX, *lines_of_a, *lines_of_b]
    wide = len(b.groups[0]) // 2  # vectors of 8 columns in a row of y
    sums, end = b.next, b.next + 8 * wide * len(a.groups[0])
    if end > MOST or len(b.groups[0]) % 2 or len(a.groups) != len(b.groups):
        raise UnsupportedShape(
            f"operands and sums that fit in {MOST} registers, columns by 8", f"{end}", "tile the product"
        )
    layout = Layout((a.axis(wide, across=False), b.axis(0, across=True)))
    if op.y.memory != "DRAM" and layout != op.y.layout:
        raise UnsupportedShape(f"a result in {layout}", str(op.y.layout), "that layout")
    for column in range(wide):
        for k in range(len(a.groups)):
            lines += matrices(b.groups[k][2 * column : 2 * column + 2])
            for number, group in enumerate(a.groups[k]):
                at = [2 * (wide * (4 * number + cycle) + column) for cycle in range(4)]
                so_far = registers("r", sums)("l", at)
                last = k == len(a.groups) - 1 and op.y.memory != "DRAM"
                lines += product(group, so_far if k else "", operand_text(op.y)("l", at) if last else so_far)
    if op.y.memory == "DRAM":
        common = {digit.level for digit in first.layout.axes[1 - a.free]} & {"MAB", "L1B", "L2B"}
        lines += collect(op.y, layout, registers("r", sums), common)
    yield from place_nops(lines)


def matrices(groups: list[int]) -> Iterator[str]:
    """Eight vectors of b, two groups, as rows 0 to 7 of a matrix: the low parts (GRF0) in `$lx`, the high in `$ly`."""
    # TODO: about 3 lines.
    raise NotWritten("task 5.47 (the product) is not written yet; check it with `grader check 5.47`")


def product(group: int, so_far: str, to: str) -> Iterator[str]:
    """Four vectors of a times the matrix, in three lines: low b high a, then high b low a, then high b high a.

    group: of a; high in GRF1, low in GRF0. so_far: the operand with the sums until now, "" at the beginning. to: where
    the new sums go. What a line gives is on `$mauf` in the next one.
    """
    # TODO: about 3 lines.
    raise NotWritten("task 5.47 (the product) is not written yet; check it with `grader check 5.47`")
