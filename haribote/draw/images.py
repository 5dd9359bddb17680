"""Rows of small grey images: the digits."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.errors import HariboteError
from simulator.messages import tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture, tooltip

SIDE, GAP, MOST = 58.0, 8.0, 40


def digits(images: Any, labels: Sequence[Any] | None = None, guesses: Sequence[Any] | None = None) -> Picture:
    """Images beside each other, with what they are and what was guessed; right guesses green, wrong ones red.

    images: [n, 28, 28], [n, 784] or one image; numbers of any range, the largest is white. At most 40 are drawn.
    Raises HariboteError for other shapes, or where labels or guesses are fewer than images.
    """
    pixels, total = _images(images)
    for name, texts in (("labels", labels), ("guesses", guesses)):
        if texts is not None and len(texts) < total:
            raise HariboteError(
                tr("there are {total} images but {texts} {name}", total, len(texts), name),
                tr("one of the {name} per image", name),
            )
    per_row = int((WIDTH - 2 * MARGIN + GAP) // (SIDE + GAP))
    height = SIDE + GAP + (16 if labels is not None else 0) + (16 if guesses is not None else 0)
    canvas = Canvas()
    for number, image in enumerate(pixels):
        x = MARGIN + number % per_row * (SIDE + GAP)
        y = MARGIN + number // per_row * height
        label = None if labels is None else str(_plain(labels[number]))
        guess = None if guesses is None else str(_plain(guesses[number]))
        _image(canvas, x, y, image, label, guess)
    rows = -(-len(pixels) // per_row)
    bottom = MARGIN + rows * height
    if total > len(pixels):
        canvas.text(MARGIN, bottom + 10, tr("the first {pixels} of {total:,} images", len(pixels), total), "s f")
        bottom += 18
    says = tr("{pixels} small images", len(pixels)) + (
        f": {', '.join(str(_plain(x)) for x in labels[:MOST])}" if labels is not None else ""
    )
    wide = WIDTH if len(pixels) >= per_row else 2 * MARGIN + len(pixels) * (SIDE + GAP) - GAP
    return canvas.picture(says, bottom + MARGIN - GAP, max(wide, 160))


def _images(images: Any) -> tuple[NDArray[np.uint8], int]:
    """The first images, [n, side, side] in 0..255, and how many there are in all."""
    array = np.asarray(images.detach() if hasattr(images, "detach") else images)
    if array.ndim == 4 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim in (1, 2) and array.shape[-1] in (784, 1024):
        side = 28 if array.shape[-1] == 784 else 32
        array = array.reshape(-1, side, side)
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3 or not array.size or array.shape[1] != array.shape[2] or array.dtype.kind not in "biuf":
        raise HariboteError(
            tr("these are no images: an array of shape {shape}", array.shape), tr("[n, 28, 28] or [n, 784]")
        )
    shown = array[:MOST].astype(np.float64)
    low, high = float(shown.min()), float(shown.max())
    if not np.isfinite(high - low):
        raise HariboteError(tr("an image has a pixel that is no number"), tr("finite numbers"))
    return np.asarray(np.rint((shown - low) * (255 / (high - low) if high > low else 0)), np.uint8), len(array)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _image(canvas: Canvas, x: float, y: float, image: NDArray[np.uint8], label: str | None, guess: str | None) -> None:
    words = tr("an image") if label is None else f"{tr('a ')}{label}"
    words += "" if guess is None else tr(", guessed {guess}", guess)
    canvas.parts.append(
        f'<image x="{x:g}" y="{y:g}" width="{SIDE:g}" height="{SIDE:g}" style="image-rendering: pixelated" '
        f'href="data:image/png;base64,{base64.b64encode(png(image)).decode()}">{tooltip(words)}</image>'
    )
    below = y + SIDE + 14
    if label is not None:
        canvas.text(x + SIDE / 2, below, label, "b", anchor="middle", room=SIDE + GAP)
        below += 16
    if guess is not None:
        right = label is None or guess == label
        style = "s f" if label is None else "s good" if right else "s bad b"
        sign = "" if label is None else " ✓" if right else " ✗"
        canvas.text(x + SIDE / 2, below, f"{tr('guess')} {guess}{sign}", style, anchor="middle", room=SIDE + GAP)
        if label is not None:
            canvas.rect(x - 1, y - 1, SIDE + 2, SIDE + 2, "good-line" if right else "bad-line")


def png(image: NDArray[np.uint8]) -> bytes:
    """A grey image [height, width] as a PNG file."""
    height, width = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(image))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
