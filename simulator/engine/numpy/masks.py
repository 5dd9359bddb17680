"""Masks: which bits of a datum a mask entry lets through, and the zero-flush (isa.md, section 10.1)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simulator.engine.state.memories import Flags, Memories, Words
from simulator.isa.program import WriteMask, is_fixed

ALL_BITS = np.uint32(0xFFFFFFFF)
HIGH_HALF = np.uint32(0xFFFF0000)
LOW_HALF = np.uint32(0x0000FFFF)


def entry_flags(memories: Memories, entry: int) -> Flags:
    """The flags [cycle, flag, pe] of an entry; one PE stands for all where the entry is fixed."""
    flags: Flags = memories.omr[entry]
    return flags[:, :, :1] if is_fixed(entry) else flags


def lane_bits(flags: Flags, words: int, by_word: bool) -> Words:
    """The bits of a datum that flags let through: [cycle, words, pe], bit 1 = through.

    by_word (the `ll` form): flag i guards word i. Else the flags guard the four halves of long word 0, and long word 1
    is not masked.
    """
    if by_word:
        return flags[:, :words] * ALL_BITS
    first = flags[:, 0::2] * HIGH_HALF
    first |= flags[:, 1::2] * LOW_HALF
    if words <= 2:
        return first[:, :words]
    bits = np.full((4, words, flags.shape[2]), ALL_BITS, np.uint32)
    bits[:, :2] = first
    return bits


def write_bits(memories: Memories, mask: WriteMask, words: int) -> Words:
    """The bits of a destination of `words` words that its mask lets through."""
    return lane_bits(entry_flags(memories, mask.entry), words, mask.words == 4)


def blend(old: Words, new: Words, bits: Words) -> Words:
    """`new` where `bits` is 1, else `old`."""
    return old ^ ((old ^ new) & bits)


def flusher(entry: int | None, by_word: bool = False) -> Callable[[Memories, Words], Words]:
    """The zero-flush of an instruction: output elements whose flag is 0 become zero.

    A fixed entry flushes whole cycles. A written one guards the four halves of long word 0, or with `by_word` the four
    words (half-precision MAU results, which have one flag per single).
    """
    if entry is None:
        return lambda _, words: words
    number = entry

    def flush(memories: Memories, words: Words) -> Words:
        flags = entry_flags(memories, number)
        count = words.shape[1]
        return words & (flags[:, :1] * ALL_BITS if is_fixed(number) else lane_bits(flags, count, by_word))

    return flush
