"""Task 4.3: place nops.

It is taught in notebooks/04_memory/03_time, section 4.
Check it with `grader check 4.3`; if you are stuck, `grader hint 4.3`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def place_nops(
    fetch: list[str], constant: list[str], square: list[str], scale: list[str], send: list[str], spread: list[str]
) -> Iterator[str]:
    """Yield the lines of all parts in this order, with as few nops in between as the machine allows.

    The parts, for n = 1 to 4 blocks of 8 words, k = 0 to n-1, at addresses B, C, X, Y, Z, for a MAB m and a number a:
    fetch: n lines `l1bmd $lb{B+256k} $lm{X+8k}v`. constant: one line `imm f"a" $ls0`.
    square: n lines `fvmul $lm{X+8k}v $lm{X+8k}v $lr{8k}v`. scale: n lines `fvmul $lr{8k}v $ls0 $ln{Y+8k}v`.
    send: n lines `l1bmm@m $ln{Y+8k}v $lb{C+16k}`. spread: n lines `l1bmm $lb{C+16k} $ln{Z+8k}v`.
    Lines of one part never wait for each other. Yield every line as it is, in this order; between them only lines
    `nop` or `nop/N` may stand. Too few nops are a mistake, and so is more than a quarter over par; less is right, but
    over par. Par, for n = 1, 2, 3, 4: 12, 16, 21 and 26 steps.
    """
    # TODO: about 11 lines.
    raise NotWritten("task 4.3 (place nops) is not written yet; check it with `grader check 4.3`")
