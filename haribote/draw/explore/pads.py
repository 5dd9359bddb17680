"""explore.pad: draw a digit, and watch what a network makes of it while the pen moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.data import strokes as pen
from haribote.draw.explore.panel import widget_of
from haribote.errors import HariboteError
from simulator.messages import tr
from simulator.notebook.card import Card
from simulator.pictures import Picture
from simulator.pictures.canvas import MARGIN, Canvas
from simulator.pictures.grids import paint

Image = NDArray[np.uint8]
Scores = NDArray[Any]
SEVEN = [[(0.30, 0.20), (0.70, 0.20), (0.55, 0.50), (0.42, 0.90)]]
CELL, ROW, LEFT, TOP, ROOM = 8.0, 21.0, 300.0, 46.0, 220.0
PAGE = 600.0
SHADES = 8


class ReadingPad:
    """The last expression of a notebook's cell shows it. strokes: what is drawn; image: as the network gets it."""

    def __init__(self, read: Callable[[Image], Scores], strokes: Sequence[Sequence[pen.Point]]) -> None:
        self._read = read
        self._widget: Any = None
        self.strokes: list[list[pen.Point]] = [list(stroke) for stroke in strokes]
        self.image: Image = np.zeros((pen.SIDE, pen.SIDE), np.uint8)
        self.picture = self.draw()

    def draw(self) -> Picture:
        """Ask the network about the strokes. Raises HariboteError where it does not give ten scores."""
        if any(map(len, self.strokes)):
            self.image = pen.image(self.strokes)
        scores = np.asarray(self._read(self.image), np.float64).ravel()
        if len(scores) != 10:
            raise HariboteError(
                tr("a pad needs ten scores, one for each digit, not {scores}", len(scores)), "chip.logits(…)[0]"
            )
        return shares_picture(self.image, scores)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The pad, and where there is no kernel the picture of what was drawn last."""
        shown = self.widget()._repr_mimebundle_(**options)
        bundle: dict[str, Any] = dict(shown[0] if isinstance(shown, tuple) else shown or {})
        still = {"image/svg+xml": self.picture._repr_svg_(), "text/plain": repr(self.picture)}
        return bundle | {"text/html": self.picture._repr_html_()} | still

    def widget(self) -> Any:
        """The widget itself."""
        if self._widget is None:
            strokes = [[list(point) for point in stroke] for stroke in self.strokes]
            self._widget = widget_of("pad.js", strokes=strokes, html=self.picture._repr_html_())
            self._widget.observe(self._drawn, names="strokes")
        return self._widget

    def _drawn(self, change: Mapping[str, Any]) -> None:
        self.strokes = [[(float(x), float(y)) for x, y in stroke] for stroke in change["new"]]
        try:
            self.picture = self.draw()
            html = self.picture._repr_html_()
        except HariboteError as error:
            html = Card("bad", tr("the network cannot be asked"), str(error))._repr_html_()
        with self._widget.hold_sync():
            self._widget.html = html
            self._widget.answer += 1


def pad(read: Callable[[Image], Scores], strokes: Sequence[Sequence[pen.Point]] = SEVEN) -> ReadingPad:
    """A pad to draw on. read: from a uint8 image [28, 28], bright on dark, to ten scores (logits), largest for the
    digit it takes it for. strokes: what is on the pad at first.

    Raises HariboteError where `read` does not give ten scores.
    """
    return ReadingPad(read, strokes)


def shares_picture(image: Image, scores: Scores) -> Picture:
    """The image as the network sees it, and the share of each digit by softmax."""
    canvas = Canvas()
    canvas.text(MARGIN, 28, tr("what the network sees"), "b")
    canvas.text(LEFT, 28, tr("what it takes it for"), "b")
    canvas.rect(MARGIN, TOP, pen.SIDE * CELL, pen.SIDE * CELL, "empty")
    levels = np.ceil(image / 255 * SHADES).astype(int)
    names = np.array(["", *(f"ink s{SHADES - level}" for level in range(1, SHADES + 1))])
    paint(canvas, MARGIN, TOP, pen.SIDE * CELL, pen.SIDE * CELL, names[levels])
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    best = int(shares.argmax())
    for digit, share in enumerate(shares.tolist()):
        y = TOP + digit * (ROW + 1.5)
        canvas.text(LEFT + 8, y + 15, str(digit), "b" if digit == best else "f", anchor="middle")
        canvas.rect(LEFT + 24, y, max(1.0, ROOM * share), ROW - 3, "from" if digit == best else "h7", round_=2)
        canvas.text(LEFT + 30 + ROOM * share, y + 14, f"{share:.0%}", "s" if digit == best else "s f")
    return canvas.picture(
        tr("a drawn digit, taken for {best} ({shares:.0%})", best, shares[best]), TOP + pen.SIDE * CELL + MARGIN, PAGE
    )
