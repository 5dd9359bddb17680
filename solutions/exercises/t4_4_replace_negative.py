"""Task 4.4: masks (one entry of the mask register says which words, another one which MAB)."""

from __future__ import annotations

from collections.abc import Iterator


def replace_negative(x: int, y: int, count: int, mab: int, value: float) -> Iterator[str]:
    """In MAB `mab` of every L1B: y = x where x >= 0, and `value` where x < 0. In all other MABs y stays as it is.

    x: `count` words per PE in LM0 from word x on, single precision, other numbers in every PE; count is a multiple of
    8, at most 64. y: as many words in LM1 from word y on. x and y are multiples of 4, mab is 0 to 15. `yield` one line
    of assembly after another. Where x >= 0 its bits arrive unchanged; a zero of either sign is not negative. `value` is
    written as Python prints it: `imm f"-1.5"`. LM0 may not change, nor may LM1 except y's words in MAB `mab`.
    GRF, T and the mask register are free; what they hold at first is not known. Par: 4 + 3 * (count / 8) steps.
    """
    ### BEGIN SOLUTION
    yield f'imm f"{value}" $t'
    # ixor gives 0, and with it the flag, where the MAB's number is the wanted one.
    yield f'imm i"{mab}" $nowrite'
    yield "ixor $mabid $aluf $omr1"
    # GRF1 gets the value everywhere, then x where the MAU's flag says that it is not negative.
    for at in range(0, count, 8):
        yield f"lpassa $t $ls{at}v ; fvpassa $lm{x + at}v $omr2"
        yield f"lpassa $lm{x + at}v $ls{at}v/$imr2"
    yield "nop"
    # Only one MAB may write LM1.
    for at in range(0, count, 8):
        yield f"lpassa $ls{at}v $ln{y + at}v/$imr1"
    ### END SOLUTION
