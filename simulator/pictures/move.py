"""What one instruction moves: from which words of which units to which."""

from __future__ import annotations

from simulator.explain import explain_line
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture
from simulator.pictures.source import program_of
from simulator.program import Move, Step


def move(line: str | Step | Move) -> Picture:
    """One line of assembly as a picture."""
    found = program_of(line).lines[0] if isinstance(line, str) else line
    canvas = Canvas()
    y = 28.0
    for text in explain_line(found):
        canvas.text(MARGIN, y, text, "m", room=WIDTH - 2 * MARGIN)
        y += 16
    return canvas.picture(found.text, y + 8)
