"""Random maps, in LM and in DRAM, and places for them."""

from __future__ import annotations

from hypothesis import strategies as st

from haribote.stack.maps import COPY, NOTHING, BitMap, W, address, axis_bits, dram, unit_bits
from haribote.stack.places import Place

SHAPES = ((16,), (4, 8), (16, 16), (64, 4), (10,), (5, 8), (12, 16), (3, 4, 8), (128, 8), (256,))


@st.composite
def maps(draw: st.DrawFn, shape: tuple[int, ...]) -> BitMap:
    """Index bits at any bits of the place; what is left holds copies or nothing."""
    if draw(st.integers(0, 4)) == 0 and all(size & (size - 1) == 0 for size in shape):
        return dram(shape)
    order = draw(st.permutations(range(sum(map(axis_bits, shape)))))
    free = draw(st.permutations([*unit_bits("LM"), *map(address, range(7))]))
    carries = dict(zip(free, order[1:], strict=False)) | {free[-1] if draw(st.integers(0, 6)) == 0 else W: order[0]}
    for bit in free:
        if bit not in carries and (bit.level != "address" or draw(st.integers(0, 20)) == 0):
            carries[bit] = draw(st.sampled_from((COPY, COPY, NOTHING)))
    return BitMap.of("LM", shape, carries)


@st.composite
def changes(draw: st.DrawFn) -> tuple[BitMap, BitMap]:
    """Two maps of the same tensor, not both in DRAM."""
    shape = draw(st.sampled_from(SHAPES))
    before = draw(maps(shape))
    return before, draw(maps(shape).filter(lambda after: "LM" in (before.memory, after.memory)))


def source_of(found: BitMap) -> Place:
    """A place to move from."""
    return Place("DRAM", 1024, found) if found.memory == "DRAM" else Place("LM0", 16, found)


def target_of(found: BitMap) -> Place:
    """A place to move to, which is none of `source_of`."""
    return Place("DRAM", 1 << 15, found) if found.memory == "DRAM" else Place("LM1", 32, found)
