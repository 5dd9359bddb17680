"""Where the words of a program go: between which memories, and how many."""

from __future__ import annotations

from pathlib import Path

from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture
from simulator.pictures.source import program_of
from simulator.profile import profile_of
from simulator.program import Program


def traffic(source: Program | str | Path) -> Picture:
    """The words that pass between the memories of the whole chip; source: a program, its text or a .vsm file."""
    profile = profile_of(program_of(source))
    canvas = Canvas()
    canvas.text(MARGIN, 28, "Words moved", "head")
    y = 50.0
    for use in profile.paths:
        canvas.text(MARGIN, y, f"{use.path}: {use.words:,} words per {use.per}", room=WIDTH - 2 * MARGIN)
        y += 18
    return canvas.picture("Words moved", y + 8)
