"""Digits drawn by hand: strokes to an image as MNIST has it, and a pad to draw on in a notebook.

A stroke is a list of points (x, y), 0..1 each, x to the right and y down, as a pen goes without being lifted.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from haribote.errors import HariboteError
from simulator.language import language
from simulator.messages import shown, tr

Point = tuple[float, float]

SIDE, BOX, FINE = 28, 20, 16
"""Pixels of an image and of the box that a digit fills; a pixel is drawn FINE times larger, then averaged."""
WIDTH = 2.4
"""Of the pen, in pixels of the image."""


def image(strokes: Sequence[Sequence[Point]]) -> NDArray[np.uint8]:
    """The strokes as uint8 [28, 28], bright on dark, 20 pixels high or wide, the centre of its ink in the middle.

    Raises HariboteError where there is no stroke, or what is given are no points.
    """
    points = _points(strokes)
    low = np.min([p.min(axis=0) for p in points], axis=0)
    size = np.max([p.max(axis=0) for p in points], axis=0) - low
    scale = (BOX - WIDTH) * FINE / max(size.max(), 1e-3)
    page = Image.new("L", (SIDE * FINE, SIDE * FINE))
    pen, radius = ImageDraw.Draw(page), WIDTH * FINE / 2
    for stroke in points:
        at = (stroke - low) * scale + (SIDE * FINE - size * scale) / 2
        pen.line([(float(x), float(y)) for x, y in at], fill=255, width=round(2 * radius), joint="curve")
        for x, y in at:
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)
    grey = np.asarray(page, np.float64).reshape(SIDE, FINE, SIDE, FINE).mean(axis=(1, 3))
    return _centred(grey)


def _points(strokes: Sequence[Sequence[Point]]) -> list[NDArray[np.float64]]:
    try:
        points = [np.asarray(stroke, np.float64).reshape(-1, 2) for stroke in strokes if len(stroke)]
    except (TypeError, ValueError) as error:
        raise HariboteError(
            tr("strokes are lists of points (x, y): {error}", error), "[[(0.5, 0.1), (0.5, 0.9)]]"
        ) from error
    if not points:
        raise HariboteError(tr("there is no stroke to draw"), tr("[[(0.5, 0.1), (0.5, 0.9)]], or draw on the pad"))
    return points


def _centred(grey: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Moved by whole pixels so that the centre of the ink is the centre of the image, as in MNIST."""
    rows, columns = np.indices(grey.shape)
    move = [round((SIDE - 1) / 2 - float((axis * grey).sum() / grey.sum())) for axis in (rows, columns)]
    return np.asarray(np.rint(np.roll(grey, move, axis=(0, 1))), np.uint8)


class Pad:
    """A square to draw on with mouse or finger; below it stands the list of strokes, to be copied into a cell."""

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(_page())}" width="290" height="390" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return tr("a pad to draw on; it needs a notebook")


def _page() -> str:
    """The page of the pad, in the language of the moment."""
    page = f'<!doctype html><html lang="{language()}"><meta charset="utf-8">{_PAD}'
    for text in (tr("start again"), tr("copy this into the next cell:")):
        page = page.replace(text, html.escape(shown(text)))
    return page


_PAD = """<style>
body { margin: 4px; font: 13px system-ui, sans-serif; } @media (prefers-color-scheme: dark) { body { color: #ddd; } }
canvas { background: #111; border-radius: 6px; touch-action: none; cursor: crosshair; }
textarea { width: 256px; height: 60px; font: 11px monospace; }
</style>
<canvas width=260 height=260></canvas><br>
<button>start again</button> copy this into the next cell:<br>
<textarea readonly>strokes = []</textarea>
<script>
const canvas = document.querySelector("canvas"), pen = canvas.getContext("2d");
const text = document.querySelector("textarea");
let strokes = [], down = false;
pen.lineWidth = 22; pen.lineCap = pen.lineJoin = "round"; pen.strokeStyle = "white";
function show() {
  const points = s => "[" + s.map(p => "(" + p.map(v => (v / 260).toFixed(2)).join(", ") + ")").join(", ") + "]";
  text.value = "strokes = [" + strokes.map(points).join(", ") + "]";
  pen.clearRect(0, 0, 260, 260);
  for (const s of strokes) {
    pen.beginPath();
    pen.moveTo(s[0][0], s[0][1]);
    s.forEach(p => pen.lineTo(p[0] + 0.1, p[1]));
    pen.stroke();
  }
}
canvas.onpointerdown = e => { down = true; strokes.push([[e.offsetX, e.offsetY]]); show(); };
canvas.onpointermove = e => {
  if (!down) return;
  const s = strokes[strokes.length - 1], last = s[s.length - 1];
  if (Math.hypot(e.offsetX - last[0], e.offsetY - last[1]) > 6) { s.push([e.offsetX, e.offsetY]); show(); }
};
window.onpointerup = () => down = false;
text.onclick = () => text.select();
document.querySelector("button").onclick = () => { strokes = []; show(); };
</script>"""


def pad() -> Pad:
    """A pad to draw a digit on."""
    return Pad()
