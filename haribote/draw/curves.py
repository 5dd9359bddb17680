"""Loss curves, of finished runs and of one that is still going on."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.errors import HariboteError
from simulator.language import ipython_shell
from simulator.messages import tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture, width_of
from simulator.pictures.timeline import ticks

HUES = ("h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7")
DASHES = ("", "7 5", "2 4", "9 3 2 3", "14 4")
LEFT, RIGHT, TOP, HEIGHT = 66.0, WIDTH - 20, 66.0, 240.0
MOST = 700
"""Points that a curve is drawn with; of more, every pixel's smallest and largest value are kept."""

Values = NDArray[np.float64]


def loss(
    curves: Mapping[str, Iterable[Any]] | Iterable[Any],
    *,
    title: str = "Loss",
    steps: Mapping[str, Sequence[float]] | None = None,
    axis: str = "step",
) -> Picture:
    """Curves in one picture, e.g. `{"chip": [2.3, 1.9], "torch": [2.3, 1.9]}`; a list alone is one curve.

    Values: numbers or arrays and tensors of one element; NaN leaves a gap. steps: where the points of a curve stand, by
    its name; 0, 1, 2, … where not given. axis: what is counted to the right. Curves on top of each other stay visible:
    all but the first are dashed; for two of equal length we say how far they are apart. Raises HariboteError for
    values that are no numbers, or where there is none.
    """
    named = dict(curves.items()) if isinstance(curves, Mapping) else {"loss": curves}
    points = {name: _points(name, values, (steps or {}).get(name)) for name, values in named.items()}
    canvas = Canvas()
    canvas.text(MARGIN, 28, title, "head", room=WIDTH - 2 * MARGIN)
    x_range, y_range = _ranges(points.values())
    _axes(canvas, x_range, y_range, axis)
    x = LEFT
    for number, (name, (at, values)) in enumerate(points.items()):
        x = _curve(canvas, number, name, at, values, x_range, y_range, x)
    note = _apart(points)
    canvas.text(RIGHT, TOP - 12, note, "s f", anchor="end")
    ends = ", ".join(
        tr("{name} ends at {values:.4g}", name, _last(values)) for name, (_, values) in points.items() if len(values)
    )
    return canvas.picture(f"{title}: {ends}" if ends else title, TOP + HEIGHT + 46)


def _points(name: str, values: Iterable[Any], at: Sequence[float] | None) -> tuple[Values, Values]:
    try:
        y = np.array([_number(value) for value in values], np.float64)
        x = np.arange(len(y), dtype=np.float64) if at is None else np.array([float(value) for value in at])
    except (TypeError, ValueError) as error:
        raise HariboteError(
            tr("the curve {name!r} has a value that is no number: {error}", name, error), tr("numbers, one per step")
        ) from None
    if len(x) != len(y):
        raise HariboteError(
            tr("the curve {name!r} has {y} values but {x} steps", name, len(y), len(x)), tr("as many steps as values")
        )
    return x, y


def _number(value: Any) -> float:
    """A number, or the one in an array or tensor."""
    return float(value.detach() if hasattr(value, "detach") else value)


def _ranges(points: Iterable[tuple[Values, Values]]) -> tuple[tuple[float, float], tuple[float, float]]:
    """What the axes show: from the first to the last step; from 0, where no value is below, to the largest value."""
    pairs = list(points)
    x = np.concatenate([np.zeros(0), *(x for x, _ in pairs)])
    y = np.concatenate([np.zeros(0), *(y[np.isfinite(y)] for _, y in pairs)])
    low, high = (float(y.min()), float(y.max())) if len(y) else (0.0, 1.0)
    low = min(low, 0.0)
    high = high + 0.05 * (high - low) if high > low else low + 1
    left, right = (float(x.min()), float(x.max())) if len(x) else (0.0, 1.0)
    return (left, right if right > left else left + 1), (low, high)


def _axes(canvas: Canvas, x_range: tuple[float, float], y_range: tuple[float, float], axis: str) -> None:
    low, high = y_range
    step = ticks(high - low, 6)[1]
    for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        value = number * step
        y = TOP + HEIGHT * (1 - (value - low) / (high - low))
        canvas.path(f"M{LEFT} {y:.4g}H{RIGHT}", "rule", more='stroke-opacity="0.35"')
        canvas.text(LEFT - 8, y + 4, f"{value:.4g}", "s f", anchor="end")
    left, right = x_range
    for value in ticks(right - left, 9):
        x = LEFT + (RIGHT - LEFT) * value / (right - left)
        canvas.line(x, TOP + HEIGHT, x, TOP + HEIGHT + 5)
        canvas.text(x, TOP + HEIGHT + 18, f"{left + value:,.6g}", "s f", anchor="middle")
    canvas.line(LEFT, TOP + HEIGHT, RIGHT, TOP + HEIGHT)
    canvas.text((LEFT + RIGHT) / 2, TOP + HEIGHT + 36, axis, "s f", anchor="middle")


def _curve(
    canvas: Canvas,
    number: int,
    name: str,
    at: Values,
    values: Values,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    key: float,
) -> float:
    """The curve and, from x = key on, its entry in the legend; returns where the next one begins."""
    hue, dash = HUES[number % len(HUES)], DASHES[number % len(DASHES)]
    at, values = _thinned(at, values)
    x = LEFT + (RIGHT - LEFT) * (at - x_range[0]) / (x_range[1] - x_range[0])
    y = TOP + HEIGHT * (1 - (values - y_range[0]) / (y_range[1] - y_range[0]))
    commands, pen = "", "M"
    for px, py in zip(x.tolist(), y.tolist(), strict=True):
        if math.isfinite(py):
            commands += f"{pen}{px:.1f} {py:.1f}"
            pen = "L"
        else:
            pen = "M"
    more = f'stroke-dasharray="{dash}" stroke-linejoin="round"' if dash else 'stroke-linejoin="round"'
    if commands:
        canvas.path(commands, f"{hue}-line", title=name, more=more)
    if np.isfinite(values).sum() == 1:
        place = int(np.flatnonzero(np.isfinite(values))[0])
        canvas.rect(float(x[place]) - 3, float(y[place]) - 3, 6, 6, hue, round_=3)
    canvas.path(f"M{key:g} {TOP - 16:g}h26", f"{hue}-line", more=more)
    canvas.text(key + 32, TOP - 12, name, "s", room=200)
    return key + 32 + min(200.0, width_of(name, "s")) + 20


def _thinned(at: Values, values: Values) -> tuple[Values, Values]:
    """At most about MOST points: of every piece the smallest and the largest, in order."""
    if len(values) <= MOST:
        return at, values
    keep: list[int] = []
    for piece in np.array_split(np.arange(len(values)), MOST // 2):
        real = piece[np.isfinite(values[piece])]
        keep += (
            sorted({int(real[values[real].argmin()]), int(real[values[real].argmax()])})
            if len(real)
            else [int(piece[0])]
        )
    return at[keep], values[keep]


def _apart(points: Mapping[str, tuple[Values, Values]]) -> str:
    """How far two curves are apart, or the last value of a single one."""
    found = list(points.values())
    if len(found) == 1 and len(found[0][1]):
        return tr("last: {found:.4g}", _last(found[0][1]))
    if len(found) != 2 or found[0][0].shape != found[1][0].shape or not np.array_equal(found[0][0], found[1][0]):
        return ""
    difference = np.abs(found[0][1] - found[1][1])
    difference = difference[np.isfinite(difference)]
    if not len(difference):
        return ""
    return tr("equal in every step") if not difference.any() else tr("largest difference {max:.2g}", difference.max())


def _last(values: Values) -> float:
    real = values[np.isfinite(values)]
    return float(real[-1]) if len(real) else math.nan


class LiveLoss:
    """A loss curve that redraws itself in place while a run goes on.

    In a notebook the picture appears with the first point. Elsewhere nothing is shown; `picture` gives it all the same.
    """

    def __init__(self, title: str = "Loss", seconds: float = 0.3) -> None:
        """seconds: the least time between two pictures."""
        self.title, self.seconds = title, seconds
        self.steps: dict[str, list[float]] = {}
        self.values: dict[str, list[float]] = {}
        self._handle: Any = None
        self._drawn = 0.0

    def add(self, step: float, loss: Any, name: str = "loss") -> None:
        """A point of the curve `name`; redraws unless the last picture is younger than `seconds`."""
        self.steps.setdefault(name, []).append(float(step))
        self.values.setdefault(name, []).append(_number(loss))
        if self._handle is None or time.monotonic() - self._drawn >= self.seconds:
            self.show()

    def show(self) -> None:
        """Redraw now; the end of a run calls it so that the last points are in the picture."""
        if not _in_notebook():
            return
        from IPython.display import display

        if self._handle is None:
            self._handle = display(self.picture, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(self.picture)
        self._drawn = time.monotonic()

    @property
    def picture(self) -> Picture:
        """The curves so far."""
        return loss(self.values, title=self.title, steps=self.steps)

    def __enter__(self) -> LiveLoss:
        return self

    def __exit__(self, *_: object) -> None:
        self.show()

    def __repr__(self) -> str:
        count = sum(map(len, self.values.values()))
        return tr("<loss curve with {count} points>", count)


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs us, which can redraw."""
    return hasattr(ipython_shell(), "kernel")


def live_loss(title: str = "Loss") -> LiveLoss:
    """`live = live_loss()`, then `live.add(step, loss)` in the loop; `live.show()` after it."""
    return LiveLoss(title)
