"""Copies from one place in LM to another, which the compiler writes itself."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.kernel import Operand
from simulator import isa

_WIDTHS = ((Operand.double, 16, "ll"), (Operand.long, 8, "l"), (Operand.word, 4, ""))
"""What takes a step's words from an operand, how many they are, and how GRF is written with them."""


def copy_lines(source: Operand, target: Operand) -> Iterator[str]:
    """A copy of every word of a tensor in every PE. Within one memory it goes through GRF0."""
    take, size, letters = next(width for width in _WIDTHS if source.words % width[1] == 0)
    if source.memory != target.memory:
        for at in range(0, source.words, size):
            yield f"lpassa {take(source, at)} {take(target, at)}"
        return
    for start in range(0, source.words, isa.GRF_WORDS):  # one memory is not read and written in the same step
        part = range(start, min(start + isa.GRF_WORDS, source.words), size)
        yield from (f"lpassa {take(source, at)} ${letters}r{at - start}v" for at in part)
        yield "nop"
        yield from (f"lpassa ${letters}r{at - start}v {take(target, at)}" for at in part)
        yield "nop/2"
