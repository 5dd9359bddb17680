"""Task 5.3: DL of a 256x16 matrix, layout A: each L1B gets its own rows by distribution at every level of the tree."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.3", "DL 256x16 A")
def dl_256x16_a(op: Op) -> Iterator[str]:
    """Bring a matrix of 256x16 elements from DRAM to LM, layout A.

    x: in DRAM, rows 64g to 64g+63 in group g, 512 long words each; the address is a multiple of 64 long words.
    y: in LM0 or LM1, layout ((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1)), 16 words per PE, in every copy: all MAB.
    y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 3 steps and 2 MV.
    """
    if op.x.shape != (256, 16):
        raise UnsupportedShape("DL 256x16 takes a matrix of 256x16", f"shape {op.x.shape}", "pad the batch to 256")
    ### BEGIN SOLUTION
    # Half of a group's rows go to each of its two L2BM; leaving the group out does so in all four groups at once.
    yield f"mvp/n256 {op.x.dram()} $lc0@.0"
    yield f"mvp/n256 {op.x.dram(256)} $lc0@.1"
    # Of 8 consecutive rows of 8 long words, row b goes to L1B b; 8 more follow in each cycle.
    yield "l2bmd $lc0 $lb0"
    yield "nop"
    # One row per cycle: PE p receives its long words p and 4+p.
    yield f"l1bmm $llb0 {op.y.double()}"
    ### END SOLUTION
