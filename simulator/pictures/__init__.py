"""Pictures of the machine and of programs: SVG for notebooks, light or dark, without network.

from simulator import pictures
pictures.move("l2bmd $lc0 $lb0")       # as the last line of a notebook cell
"""

from __future__ import annotations

from simulator.pictures.canvas import Picture
from simulator.pictures.chip import chip
from simulator.pictures.memory import memory
from simulator.pictures.move import animate, move
from simulator.pictures.timeline import timeline
from simulator.pictures.traffic import traffic

__all__ = ["Picture", "animate", "chip", "memory", "move", "timeline", "traffic"]
