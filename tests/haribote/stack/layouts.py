"""Layouts at random, and the test that a map agrees with one."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from haribote.layout import Layout, position
from haribote.stack.maps import COPY, UNIT_BITS, Bit, BitMap
from haribote.stack.notation import of_layout

NUMBERED = {"L2B": 3, "L1B": 3, "MAB": 4, "PE": 2, "W": 1, "": 8}


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """A random layout: every place bit is used once or not at all; the first digit may be any size."""
    free = {level: list(range(bits)) for level, bits in NUMBERED.items()}
    axes = []
    for _ in range(draw(st.integers(1, 3))):
        items = []
        for number in range(draw(st.integers(1, 4))):
            level = draw(st.sampled_from([level for level, bits in free.items() if bits]))
            start = draw(st.integers(0, len(free[level]) - 1))
            run = [free[level][start]]
            while len(run) < 3 and run[-1] + 1 in free[level] and draw(st.booleans()):
                run.append(run[-1] + 1)
            free[level] = [bit for bit in free[level] if bit not in run]
            size = 1 << len(run)
            if number == 0 and len(run) > 1 and draw(st.booleans()):
                size -= 1
            items.append(f"{size}{'_' + level if level else ''}:{1 << run[0]}")
        axes.append(f"({', '.join(items)})")
    return Layout.parse(f"({', '.join(axes)})")


def _agree(layout: Layout) -> BitMap:
    """Compare a map with the positions of its layout at every level."""
    found = of_layout(layout)
    assert found.shape == layout.shape
    for level in ("L1B", "MAB", "PE", "W"):
        assert np.array_equal(found.positions(level), position(layout, level)), level
    assert np.array_equal(2 * found.positions("group") + found.positions("L2B"), position(layout, "L2B"))
    assert np.array_equal(found.positions("address"), position(layout, ""))
    for level in ("L2B", "L1B", "MAB", "PE"):
        copied = {found[Bit(level, number)] for number in range(UNIT_BITS[level])} == {COPY}
        assert copied == (not layout.names(level))
    return found
