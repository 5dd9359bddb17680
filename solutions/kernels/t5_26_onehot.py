"""Task 5.26: OneHot (its rows are rows of the identity matrix: write that matrix once, then look rows up)."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel
from haribote.layout import LAYOUTS
from solutions.kernels._elsewhere import elsewhere, is_elsewhere


@kernel("5.26", "OneHot")
def onehot(op: Op) -> Iterator[str]:
    """y[i, k] = 1.0 where k = label[i], else 0.0; a label outside 0..15, such as -1, gives a row of zeros.

    label: [256] int32 in LM0, one word per row in every PE. y: [256, 16] in LM1, layout P, in every MAB and L1B.
    `op.scratch` may be used in both. Par: 288 steps.
    """
    label, y = op.x, op.y
    if label.layout != LAYOUTS["256"] or y.layout != LAYOUTS["256x16.P"]:
        raise UnsupportedShape("256 labels, 256x16 in layout P", f"{label.layout}, {y.layout}", "pad the batch to 256")
    ### BEGIN SOLUTION
    if is_elsewhere(op):
        yield from elsewhere(op, onehot.emit)
        return
    table = op.scratch(68, "LM0")  # 16 rows of the identity matrix and one of zeros, each 4 words per PE
    one, limit, shift, clipped = "$lr0", "$lr8v", "$lr16v", "$s0v"
    yield f'imm f"1.0" {one}'
    # PE p holds columns 2p, 2p+1, 8+2p and 9+2p. Flag of cycle c: p = c.
    for cycle, pattern in enumerate(("1111", "0100", "0010", "0001")):
        yield f'imm i"{cycle}" $t/{pattern}'
    for at in range(0, 64, 16):
        yield f"zero {table.double(at)}"
    yield f"zero {table.double(64, 0)}"
    yield "ixor $subpeid $t $omr1"
    # Rows 2c, 2c+1, 8+2c and 9+2c have their 1 in PE c, in words 0, 1, 2 and 3.
    for row, word in ((0, 0), (1, 1), (8, 2), (9, 3)):
        yield f"ipassa {one} {table.word(4 * row + word, 8)}/$imr1"
    yield f'imm i"16" {limit}'
    yield f'imm i"30" {shift}'
    # Four rows at a time. Clip: as an unsigned number a negative label is large, so everything outside becomes 16.
    # Address: the label is the high word of a long word; shifted right by 30, label * 4 stands in the low 12 bits that
    # T indirection adds. T and GRF1 may be read from the second step on; clipping the next four labels fills the gap.
    clips = [f"uimin {label.word(at)} {limit} {clipped}" for at in range(0, label.words, 4)]
    yield clips[0]
    yield "nop"
    for number, clip_next in enumerate([*clips[1:], "nop"]):
        yield f"ullsr {clipped} {shift} $t"
        yield clip_next
        yield f"lpassa $llmt{table.address} {y.double(16 * number)}"
    ### END SOLUTION
