"""What an element of a wrong result depends on, as a picture over the operand of which it takes the wrong elements."""

from __future__ import annotations

import numpy as np

from grader.feedback.dependence import Dependence
from simulator.messages import Text, tr
from simulator.pictures.canvas import Canvas
from simulator.pictures.grids import TensorMap, pooled

STYLES = np.array(["", "good", "to", "bad"])
WORDS = (
    ("good", Text("counts, as it should")),
    ("to", Text("should count, but does not")),
    ("bad", Text("counts, but should not")),
)


def dependence_map(canvas: Canvas, depends: Dependence, x: float, y: float) -> float:
    """Draw it with its upper left corner here; returns where it ends."""
    moves = depends.wrong[0]
    matrix = np.where(moves.extra, 3, np.where(moves.missing, 2, moves.should & moves.counts))
    matrix = matrix.reshape(-1, matrix.shape[-1])
    index = ", ".join(map(str, depends.index))
    size = "x".join(map(str, moves.should.shape))
    canvas.text(x, y, tr("what [{index}] of the result depends on: {name}, {size}", index, moves.name, size), "b")
    tensor = TensorMap(x, y + 22, *matrix.shape)
    row, column = np.argwhere(matrix > 1)[0]  # the first that is wrong: a cell may be a pixel high
    tensor.draw(canvas, STYLES[pooled(matrix)], (int(row), int(column)))
    right = y + 22
    for style, words in WORDS:
        canvas.rect(x + tensor.width + 24, right, 22, 12, style)
        canvas.text(x + tensor.width + 54, right + 10, words, "s f")
        right += 20
    return max(right, y + 22 + tensor.height)
