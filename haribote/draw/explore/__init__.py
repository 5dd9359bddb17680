"""Pictures with sliders, for notebooks: `explore.layout()`, `explore.move()`, `explore.nops()`, `explore.pad(read)`.

What is shown is computed in Python with every change. Without a kernel the picture that was shown last stands still.
"""

from __future__ import annotations

from haribote.draw.explore.layouts import layout
from haribote.draw.explore.moves import move
from haribote.draw.explore.pads import pad
from haribote.draw.explore.waits import nops

__all__ = ["layout", "move", "nops", "pad"]
