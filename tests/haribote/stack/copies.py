"""Maps with fewer copies."""

from __future__ import annotations

from haribote.stack.maps import NOTHING, BitMap


def one_copy(found: BitMap) -> BitMap:
    """The same with copy 0 only: all that a kernel of -O0 owes."""
    carries = {bit: carry if carry >= 0 else NOTHING for bit, carry in found.carries}
    return BitMap.of(found.memory, found.shape, carries)
