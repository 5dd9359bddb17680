"""Task 8.6: memory for values (each at the lowest place that is free as long as it is needed)."""

from __future__ import annotations

from collections.abc import Sequence

from haribote.cpp.arena import Buffer


def place(buffers: Sequence[Buffer]) -> list[int]:
    """Where each buffer begins in one block of memory, in bytes from its beginning.

    buffer.size: bytes, a multiple of 64; buffer.first: the number of the node that writes it; buffer.last: of the last
    node that reads it, at least `first`. The buffers are sorted by `first`. Two of them that are needed at the same
    time may have no byte in common; while a node runs, what it reads and what it writes are both needed. Offsets are
    multiples of 64. The block must not become larger than it does when each buffer, in the order given, gets the lowest
    offset that is free as long as it is needed.
    """
    ### BEGIN SOLUTION
    offsets: list[int] = []
    for buffer in buffers:
        start, placed = 0, zip(offsets, buffers, strict=False)
        alive = [(at, at + other.size) for at, other in placed if other.last >= buffer.first]
        for begin, end in sorted(alive):
            if start + buffer.size <= begin:
                break
            start = max(start, end)
        offsets.append(start)
    return offsets
    ### END SOLUTION
