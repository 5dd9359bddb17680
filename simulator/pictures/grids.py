"""Grids of coloured cells: a matrix, and the machine with all its units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.messages import shown, tr
from simulator.pictures.canvas import Canvas, width_of

Styles = NDArray[np.str_]
"""Style classes of cells, "" for one that is not painted."""

L2BS, L1BS, MABS, PES = isa.TREE


def paint(canvas: Canvas, x: float, y: float, width: float, height: float, styles: Styles) -> None:
    """The cells of a matrix styles[row, column] over a rectangle; equal neighbours become one shape, a path per style.

    A style such as `h3 s5` is a hue and, from s0 (full) to s7, how faint it is.
    """
    rows, columns = styles.shape
    paths: dict[str, list[str]] = {}
    open_: dict[tuple[str, int, int], int] = {}  # style, first and last column -> the row where the run began
    for row in range(rows + 1):
        runs = set(_runs(styles[row])) if row < rows else set()
        for run in [run for run in open_ if run not in runs]:
            style, first, last = run
            top = open_.pop(run)
            paths.setdefault(style, []).append(f"M{first} {top}H{last}V{row}H{first}z")
        for run in runs:
            open_.setdefault(run, row)
    place = f'transform="translate({x:.6g} {y:.6g}) scale({width / columns:.6g} {height / rows:.6g})"'
    for style in sorted(paths):
        hue, _, shade = style.partition(" s")
        more = place + (f' fill-opacity="{1 - 0.105 * int(shade):.3g}"' if shade else "")
        canvas.path("".join(sorted(paths[style])), hue, more=more)


def _runs(row: Styles) -> list[tuple[str, int, int]]:
    """Style, first column and column after the last of every run of equal cells that is painted."""
    edges = np.flatnonzero(row[1:] != row[:-1]) + 1
    starts = [0, *edges.tolist()]
    ends = [*edges.tolist(), len(row)]
    return [(str(row[a]), a, b) for a, b in zip(starts, ends, strict=True) if row[a]]


def lines(canvas: Canvas, x: float, y: float, width: float, height: float, rows: int, columns: int) -> None:
    """Thin lines of the background's colour between the cells."""
    down = "".join(f"M{x + i * width / columns:.6g} {y:.6g}v{height:.6g}" for i in range(1, columns))
    across = "".join(f"M{x:.6g} {y + i * height / rows:.6g}h{width:.6g}" for i in range(1, rows))
    if down + across:
        canvas.path(down + across, "gap")


MOST_ROWS, MOST_COLUMNS = 128, 64
"""Of a larger tensor, neighbours are one cell."""


def pooled(matrix: NDArray[Any]) -> NDArray[Any]:
    """The largest number of every part where a matrix has more rows or columns than we draw; parts differ by one row or
    column at most, so they are drawn as equal.
    """
    for axis, most in ((0, MOST_ROWS), (1, MOST_COLUMNS)):
        if matrix.shape[axis] > most:
            starts = np.arange(most) * matrix.shape[axis] // most
            matrix = np.maximum.reduceat(matrix, starts, axis=axis)
    return matrix


@dataclass(frozen=True)
class TensorMap:
    """A matrix as a rectangle at most so large, with the numbers of its first and last row and column."""

    x: float
    y: float
    rows: int
    columns: int
    room: tuple[float, float] = (300.0, 290.0)
    largest: float = 18.0
    """The side of a cell is not more than this."""

    @property
    def width(self) -> float:
        """Of the rectangle."""
        return min(self.room[0], self.columns * self.largest)

    @property
    def height(self) -> float:
        """Of the rectangle."""
        return min(self.room[1], self.rows * self.largest)

    def draw(self, canvas: Canvas, styles: Styles, marked: tuple[int, int] | None = None) -> None:
        """styles: of the elements, or of equal parts of rows and columns where there are fewer. marked: an element."""
        with canvas.group(tr("{rows} rows, {columns} columns", self.rows, self.columns), data="tensor"):
            canvas.rect(self.x, self.y, self.width, self.height, "empty")
            paint(canvas, self.x, self.y, self.width, self.height, styles)
        wide, high = self.width / self.columns, self.height / self.rows
        lines(canvas, self.x, self.y, self.width, self.height, self.rows * (high >= 6), self.columns * (wide >= 6))
        at_row, at_column = marked or (0, 0)
        style = "s b" if marked else "s f"
        for row in sorted({0, self.rows - 1, at_row}):
            if row == at_row or abs(row - at_row) * high > 14:
                y = self.y + (row + 0.5) * high + 4
                canvas.text(self.x - 6, y, str(row), style if row == at_row else "s f", anchor="end")
        for column in sorted({0, self.columns - 1, at_column}):
            if column == at_column or abs(column - at_column) * wide > 26:
                x = self.x + (column + 0.5) * wide
                canvas.text(x, self.y - 5, str(column), style if column == at_column else "s f", anchor="middle")
        if marked:
            ring(canvas, self.x + at_column * wide, self.y + at_row * high, wide, high)


class MachineMap:
    """All 4,096 PEs as cells: a row per L2B, in it a block per L1B, in that a column per MAB and a row per PE.

    cell: pixels of a PE, to the right and down.
    """

    def __init__(self, x: float, y: float, cell: tuple[float, float] = (2.55, 4.2)) -> None:
        self.x, self.y, self.cell = x, y, cell
        self.block_width, self.block_height = MABS * cell[0], PES * cell[1]
        self.left, self.top = x + width_of("L2B 7", "s") + 9, y + 16
        self.gap = 4.0

    @property
    def width(self) -> float:
        """Of everything, labels too."""
        return self.left - self.x + L1BS * (self.block_width + self.gap) - self.gap

    @property
    def height(self) -> float:
        """Of everything, labels too."""
        return self.top - self.y + L2BS * (self.block_height + self.gap) - self.gap

    def corner(self, l2b: int, l1b: int) -> tuple[float, float]:
        """The top left of an L1B's block."""
        return self.left + l1b * (self.block_width + self.gap), self.top + l2b * (self.block_height + self.gap)

    def draw(self, canvas: Canvas, styles: Styles, tooltip: Callable[[int, int], str] | None = None) -> None:
        """styles: [L2B, L1B, MAB, PE]. tooltip: text for an L1B, after its numbers."""
        for l1b in range(L1BS):
            x, _ = self.corner(0, l1b)
            name = "L1B 0" if l1b == 0 else f"{l1b}"
            canvas.text(x + self.block_width / 2, self.top - 5, name, "s f", anchor="middle")
        for l2b in range(L2BS):
            _, y = self.corner(l2b, 0)
            name = "L2B 0" if l2b == 0 else f"{l2b}"
            canvas.text(self.left - 9, y + self.block_height / 2 + 4, name, "s f", anchor="end")
            for l1b in range(L1BS):
                x, y = self.corner(l2b, l1b)
                more = tooltip(l2b, l1b) if tooltip else ""
                with canvas.group(f"L2B {l2b}, L1B {l1b}{': ' + shown(more) if more else ''}"):
                    canvas.rect(x, y, self.block_width, self.block_height, "empty")
                    paint(canvas, x, y, self.block_width, self.block_height, styles[l2b, l1b].T)

    def mark(self, canvas: Canvas, l2b: int, l1b: int, mab: int, pe: int) -> None:
        """A ring around a PE."""
        x, y = self.corner(l2b, l1b)
        width, height = self.cell
        ring(canvas, x + mab * width, y + pe * height, width, height)


def ring(canvas: Canvas, x: float, y: float, width: float, height: float) -> None:
    """A frame around a small rectangle that shows on any colour."""
    commands = f"M{x - 3:.6g} {y - 3:.6g}h{width + 6:.6g}v{height + 6:.6g}h{-width - 6:.6g}z"
    canvas.path(commands, "halo")
    canvas.path(commands, "mark")
