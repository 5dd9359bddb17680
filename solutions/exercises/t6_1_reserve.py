"""Task 6.1: the address planner (one tensor behind the other, in whole moves of 64 long words)."""

from __future__ import annotations

from haribote.layout import dram_long_words


def reserve(end: int, shape: tuple[int, ...]) -> tuple[int, int]:
    """The address of a new tensor in DRAM behind what ends at `end`, and where its room ends.

    All in long words per group; a tensor has the same address in every group. Addresses and rooms are multiples of 64,
    since that is what a move transfers at least; `end` may be any number, and the address is the first multiple that is
    not below it. `haribote.layout.dram_long_words(shape)` says what the tensor takes in each group.
    """
    ### BEGIN SOLUTION
    address = -(-end // 64) * 64
    return address, address + -(-dram_long_words(shape) // 64) * 64
    ### END SOLUTION
