"""Bars: a few numbers beside each other, the way times and sizes are compared."""

from __future__ import annotations

from collections.abc import Mapping

from haribote.errors import HariboteError
from simulator.messages import tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture, width_of

ROW, BAR, TOP = 24.0, 16.0, 52.0


def bars(values: Mapping[str, float], unit: str = "", title: str = "", most: int = 12) -> Picture:
    """A bar for each value, in the order given, all from 0; what lies behind the first `most` is summed into one.

    Raises HariboteError where there is no value or one that is negative.
    """
    if not values or min(values.values()) < 0:
        raise HariboteError(tr("bars need values that are not negative, received {values}", dict(values)))
    shown = dict(list(values.items())[:most])
    rest = list(values.items())[most:]
    if rest:
        shown[tr("{rest} others", len(rest))] = sum(value for _, value in rest)
    left = MARGIN + min(max(width_of(name, "m") for name in shown) + 12, 320)
    room = WIDTH - left - 110
    longest = max(shown.values()) or 1.0
    canvas = Canvas()
    canvas.text(MARGIN, 28, title, "head", room=WIDTH - 2 * MARGIN)
    for number, (name, value) in enumerate(shown.items()):
        y, length = TOP + number * ROW, max(room * value / longest, 1)
        text = f"{_number(value)} {unit}".rstrip()
        canvas.text(left - 10, y + BAR - 4, name, "m", anchor="end", room=left - MARGIN)
        canvas.rect(left, y, length, BAR, "h0", round_=2, title=f"{name}: {text}")
        canvas.text(left + length + 8, y + BAR - 4, text, "s")
    said = ", ".join(f"{name} {_number(value)} {unit}".rstrip() for name, value in shown.items())
    return canvas.picture(f"{title}: {said}", TOP + len(shown) * ROW + 12)


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
