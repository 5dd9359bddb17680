"""Task 4.5: a sum over PEs (the way to L1BM adds the MABs up, three turns of msr add the PEs of a MAB)."""

from __future__ import annotations

from collections.abc import Iterator


def sum_pes(x: int, y: int, count: int) -> Iterator[str]:
    """In every L1B: word w of y, in each of its 64 PEs, is the sum of word w of x over these 64 PEs.

    x: `count` words per PE in LM0 from word x on, single precision, other numbers in every PE; count is 8, 16, 24 or
    32. y: as many words in LM1 from word y on, in all 64 PEs. x and y are multiples of 4. `yield` one line of assembly
    after another. Accuracy: |y - exact sum| <= 2^-18 * sum of |x|; the order of the additions is yours.
    LM0 may not change, nor may LM1 except y's words. L1BM, GRF and T are free; what they hold at first is not known.
    Par: 2 + 7 * (count / 8) steps.
    """
    ### BEGIN SOLUTION
    for at in range(0, count, 8):
        yield f"l1bmrffadd $lm{x + at}v $lb{2 * at}"
    yield "nop/2"
    for at in range(0, count, 8):
        yield f"l1bmm $lb{2 * at} $lr{at}v"  # PE p of every MAB: s[p], the sum over the PEs p of all 16 MABs
        yield "msr $lbf $nowrite"
        yield f"fvadd $aluf $lr{at}v $ls{at}v"  # s[p] + s[p+1]
        yield "msr $mauf $nowrite"
        yield "msr $aluf $nowrite"
        yield f"fvadd $aluf $ls{at}v $ln{y + at}v"  # and s[p+2] + s[p+3]
    ### END SOLUTION
