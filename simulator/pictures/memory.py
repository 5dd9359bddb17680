"""A memory as a grid: which units and words are filled, and what one unit holds."""

from __future__ import annotations

import numpy as np

from simulator.memories import ALL_PES, Memories
from simulator.pictures.canvas import MARGIN, Canvas, Picture
from simulator.pictures.grids import MachineMap


def memory(machine: Memories, name: str, unit: str = "n0c0b0m0p0", words: int = 64) -> Picture:
    """Who holds something in a memory of the PEs (lm0, lm1, grf0, grf1), and the first words of one PE."""
    array = getattr(machine, name)
    filled = (array != 0).any(axis=0).reshape(8, 8, 16, 4)
    canvas = Canvas()
    canvas.text(MARGIN, 28, f"{name.upper()}: {int(filled.sum()):,} of {ALL_PES:,} PEs hold something", "head")
    grid = MachineMap(MARGIN, 44)
    grid.draw(canvas, np.where(filled, "h0", ""))
    return canvas.picture(f"Who holds something in {name.upper()}", 44 + grid.height + 16)
