"""Where an error is, as a picture: over the tensor and over the machine, with the first wrong element beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.feedback.dependence_map import dependence_map
from grader.feedback.failure import Failure
from grader.feedback.pictures import value_text
from simulator.messages import tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture
from simulator.pictures.grids import MachineMap, Styles, TensorMap, pooled, ring
from simulator.pictures.style import HEAT_LIGHT

Array = NDArray[Any]

TOP = 84.0
TENSOR_LEFT, MACHINE_LEFT = MARGIN + 38, 392.0
RIGHT = MACHINE_LEFT + 44
CLASSES = len(HEAT_LIGHT)


def error_map(failure: Failure) -> Picture | None:
    """The picture of a failure; None where no result was received, or a single number, which words say as well."""
    error = failure.error
    if error is None or failure.expected is None or failure.received is None or not (error > 0).any():
        return None
    if error.size == 1 and failure.machine is None:
        return None
    index = tuple(int(number) for number in np.argwhere(error > 0)[0])
    scale = Scale(error, failure.expected.dtype == np.uint32)
    canvas = Canvas()
    wrong, size = int((error > 0).sum()), "x".join(map(str, error.shape)) or "1"
    head = tr("{wrong:,} of {size:,} elements {are} wrong", wrong, error.size, "is" if wrong == 1 else "are")
    canvas.text(MARGIN, 28, head, "head")
    canvas.text(MARGIN, 48, failure.case, "s f", room=WIDTH - 2 * MARGIN)
    left = _tensor(canvas, error, scale, index, size)
    right = TOP - 14
    if failure.machine is not None:
        draw = _groups if failure.machine.ndim == 1 else _machine
        right = draw(canvas, failure.machine, scale, failure.place) + 28
    right = _first(canvas, failure, index, right)
    end = max(left, scale.legend(canvas, RIGHT, right + 26))
    if failure.depends is not None and failure.depends.wrong:
        end = dependence_map(canvas, failure.depends, TENSOR_LEFT, end + 34)
    return canvas.picture(_summary(failure, head, index), end + MARGIN)


def _summary(failure: Failure, head: str, index: tuple[int, ...]) -> str:
    """The picture in one line. head: how many elements are wrong."""
    assert failure.expected is not None and failure.received is not None
    expected, received = value_text(failure.expected[index]), value_text(failure.received[index])
    if not index:
        return tr("{head}; expected {expected}, received {received}", head, expected, received)
    return tr(
        "{head}; the first at {index}: expected {expected}, received {received}", head, list(index), expected, received
    )


class Scale:
    """From errors to style classes: six steps, each a fixed factor larger than the one before."""

    def __init__(self, error: Array, bits: bool) -> None:
        """bits: elements are compared bit by bit, so that the size of an error means nothing."""
        finite = error[(error > 0) & np.isfinite(error)]
        self.bits = bits
        self.broken = bool(np.isinf(error).any()) and not bits
        self.low, self.high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
        self.single = bits or self.high <= self.low * 1.001

    def styles(self, error: Array) -> Styles:
        """The style of every error; "" for none."""
        finite = (error > 0) & np.isfinite(error)
        step = np.full(error.shape, CLASSES / 2)
        if not self.single:
            low, high = np.log(self.low), np.log(self.high)
            step = (np.log(np.where(finite, error, self.low)) - low) / (high - low) * CLASSES
        names = np.array([f"e{n}" for n in range(CLASSES)])
        found = names[np.clip(step, 0, CLASSES - 1).astype(int)]
        return np.where(finite | (self.bits & (error > 0)), found, np.where(error > 0, "ink", ""))

    def legend(self, canvas: Canvas, x: float, y: float) -> float:
        """What the colours mean; returns where it ends."""
        if self.bits or (self.single and self.high):
            canvas.rect(x, y - 10, 22, 12, "e3")
            text = tr("other bits than expected") if self.bits else tr("off by {high:.3g}", self.high)
            canvas.text(x + 30, y, text, "s f")
        elif self.high:
            for number in range(CLASSES):
                canvas.rect(x + 22 * number, y - 10, 22, 12, f"e{number}")
            canvas.text(x, y + 16, f"{self.low:.2g}", "s f")
            canvas.text(x + 22 * CLASSES, y + 16, f"{self.high:.2g}", "s f", anchor="end")
            canvas.text(x + 22 * CLASSES + 8, y, tr("absolute error"), "s f")
            y += 16
        if self.broken:
            y += 20 if self.high else 0
            canvas.rect(x, y - 10, 22, 12, "ink")
            canvas.text(x + 30, y, tr("not a number, or infinite"), "s f")
        canvas.rect(x + 200, y - 10, 22, 12, "empty")
        canvas.text(x + 230, y, tr("right, or not part of it"), "s f")
        return y


def _tensor(canvas: Canvas, error: Array, scale: Scale, index: tuple[int, ...], size: str) -> float:
    """The errors of all elements; returns where they end."""
    columns = error.shape[-1] if error.ndim else 1
    matrix = error.reshape(-1, columns)
    canvas.text(TENSOR_LEFT, TOP - 18, tr("over the tensor {size}", size), "b")
    tensor = TensorMap(TENSOR_LEFT, TOP, *matrix.shape)
    marked = divmod(int(np.ravel_multi_index(index, error.shape)) if error.ndim else 0, columns)
    tensor.draw(canvas, scale.styles(pooled(matrix)), marked)
    return TOP + tensor.height


def _machine(canvas: Canvas, machine: Array, scale: Scale, place: tuple[int, ...]) -> float:
    """The errors of all PEs; returns where they end."""
    canvas.text(RIGHT, TOP - 18, tr("over the machine: in each block 16 MABs with 4 PEs"), "b")
    grid = MachineMap(MACHINE_LEFT, TOP - 14)

    def tooltip(l2b: int, l1b: int) -> str:
        count = int((machine[l2b, l1b] > 0).sum())
        if count:
            return tr("errors in {count} of 64 PEs, the largest {max:.3g}", count, machine[l2b, l1b].max())
        return tr("no error")

    with canvas.group(data="machine"):
        grid.draw(canvas, scale.styles(machine), tooltip)
    for l2b, l1b in np.argwhere(machine.max(axis=(2, 3)) > 0).tolist():  # or single PEs would be overlooked
        x, y = grid.corner(l2b, l1b)
        canvas.rect(x - 1, y - 1, grid.block_width + 2, grid.block_height + 2, "bad-line")
    if len(place) == 4:
        grid.mark(canvas, *place)
    return grid.y + grid.height


def _groups(canvas: Canvas, machine: Array, scale: Scale, place: tuple[int, ...]) -> float:
    """The errors of the four DRAMs; returns where they end."""
    canvas.text(RIGHT, TOP - 18, tr("over the DRAMs of the four groups"), "b")
    for number, (style, error) in enumerate(zip(scale.styles(machine), machine, strict=True)):
        x = RIGHT + number * 98
        said = tr("group {number}: no error", number)
        if error:
            said = tr("group {number}: the largest error is {error:.3g}", number, error)
        with canvas.group(said):
            canvas.rect(x, TOP, 90, 34, str(style) or "empty", round_=3)
        canvas.text(x + 45, TOP + 50, tr("group {number}", number), "s f", anchor="middle")
        if place == (number,):
            ring(canvas, x, TOP, 90, 34)
    return TOP + 46


def _first(canvas: Canvas, failure: Failure, index: tuple[int, ...], y: float) -> float:
    """The first wrong element: where it is, what was expected and received; returns where it ends."""
    assert failure.expected is not None and failure.received is not None
    expected, received = failure.expected[index], failure.received[index]
    canvas.text(RIGHT, y, tr("the first wrong element: [{value}]", ", ".join(map(str, index))), "b")
    if failure.place:
        names = ("L2B", "L1B", "MAB", "PE") if len(failure.place) == 4 else ("DRAM group",)
        where = ", ".join(f"{name} {number}" for name, number in zip(names, failure.place, strict=True))
        y += 17
        canvas.text(RIGHT, y, tr("in {where}", where), "s f")
    for name, value, style in ((tr("expected"), expected, "m good b"), (tr("received"), received, "m bad b")):
        y += 17
        canvas.text(RIGHT, y, name, "s f")
        canvas.text(RIGHT + 62, y, value_text(value), style)
    return y
