"""Task 5.10: UL of a vector of 256: the matrix registers spread what one PE holds over the four PEs of its MAB."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.10", "UL 256")
def ul_256(op: Op) -> Iterator[str]:
    """Take a vector of 256 elements from LM to DRAM.

    x: in LM0 or LM1, layout ((4_L2B:2, 32:1, 2_W:1)), 64 words per PE; only copy 0 (PE 0 of MAB 0 of L1B 0 of L2B 0 of
    each group) is certain to be there. x's address is a multiple of 4 words; LM may not change.
    y: in DRAM, elements 64g to 64g+63 in group g, 32 long words each; the address is a multiple of 64 long words. The
    64 long words from there on belong to y in every group, what comes after does not. All bits arrive unchanged.
    Par: 38 steps and 1 MV.
    """
    if op.y.shape not in ((256,), (256, 1)):
        raise UnsupportedShape("UL 256 takes a vector of 256 elements", f"shape {op.y.shape}", "pad the batch to 256")
    ### BEGIN SOLUTION
    # All 32 long words lie in PE 0, but L1BM takes one from each of four PEs. dmwrite writes 4 of them as rows 0 to 3
    # of a matrix. PE 0 supplies column 0, so that column is the four long words, and dmread hands it out in cycle 0:
    # long word p to PE p. The other columns hold nothing of use and are masked off. Both are plain copies of bits.
    # Of the two matrix registers one is written while the other is read.
    for block in range(9):
        units = []
        if block < 8:
            units.append(f"dmwrite {op.x.long(8 * block)} {('$lx0', '$ly0')[block % 2]}")
        if block > 0:
            units.append(f"dmread {('$ly0', '$lx0')[block % 2]} $lr{2 * (block - 1)}/1000")
        yield "; ".join(units)
    # Now PE p holds long words p, 4+p, 8+p, ..., two per cycle, as l1bmm@0 wants them. It takes the last one in
    # cycle 3, late enough after the write in cycle 0 of the step before.
    yield "l1bmm@0 $llr0v $llb0"
    yield "nop/3"
    yield "l2bm@0 $lb0 $lc0"
    yield f"mvp/n64 $lc0@.0 {op.y.dram()}"
    ### END SOLUTION
