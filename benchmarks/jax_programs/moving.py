"""Moving pictures: an SVG whose frames are shown in turn, without a script.

Where the reader asks for less motion, and where styles are not animated, the last frame is shown.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.errors import HariboteError
from simulator.messages import shown
from simulator.pictures.canvas import Picture

SECONDS = 6.0
"""Of a round, by default."""
SIDE = 320.0
"""Pixels of a box."""
PAPER, INK, DISK, EDGE = "#ffffff", "#1b2330", "#2a6bc6", "#174a8c"
STOPS = ((12, 20, 48), (33, 82, 142), (36, 148, 142), (122, 199, 88), (250, 230, 90))
"""Colours of a field, from its least to its largest value, dark to light."""
SHADES = 64


def particles(frames: NDArray[Any], size: float, title: str, seconds: float = SECONDS) -> Picture:
    """Disks of diameter 1 in a periodic box. frames: positions [n, particles, 2]; size: of the box.

    Raises HariboteError for other shapes.
    """
    if frames.ndim != 3 or not len(frames) or frames.shape[2] != 2:
        raise HariboteError(f"frames are positions [n, particles, 2], received {list(frames.shape)}")
    scale = SIDE / size
    disk = (
        f'<marker id="hbm-disk" viewBox="-10 -10 20 20" markerUnits="userSpaceOnUse" markerWidth="{scale:.1f}" '
        f'markerHeight="{scale:.1f}"><circle r="9.2" fill="{DISK}" fill-opacity="0.35" stroke="{EDGE}"/></marker>'
    )
    ends = " ".join(f'marker-{where}="url(#hbm-disk)"' for where in ("start", "mid", "end"))
    drawn = [f'<polyline fill="none" {ends} points="{_places(frame, size)}"/>' for frame in frames]
    return _moving(drawn, SIDE, SIDE, title, seconds, disk)


def field(frames: NDArray[Any], title: str, scale: int = 8, seconds: float = SECONDS) -> Picture:
    """A field as colours, from the least to the largest value of all frames. frames: [n, along, across].

    Raises HariboteError for other shapes.
    """
    if frames.ndim != 3 or not len(frames):
        raise HariboteError(f"frames are numbers [n, along, across], received {list(frames.shape)}")
    low, high = float(frames.min()), float(frames.max())
    shades = np.round((frames - low) / ((high - low) or 1.0) * (SHADES - 1)).astype(np.uint8)
    width, height = frames.shape[1] * scale, frames.shape[2] * scale
    size = f'width="{width}" height="{height}" preserveAspectRatio="none" style="image-rendering: auto"'
    images = (base64.b64encode(_png(frame.T[::-1])).decode() for frame in shades)
    drawn = [f'<image {size} href="data:image/png;base64,{image}"/>' for image in images]
    return _moving(drawn, width, height, title, seconds)


def _places(frame: NDArray[Any], size: float) -> str:
    """The centres of disks in pixels; those that reach over an edge of the box come in at the other one too."""
    moves = np.array([[x, y] for x in (-size, 0, size) for y in (-size, 0, size)])
    centres = (np.mod(frame, size)[:, None] + moves).reshape(-1, 2)
    seen = centres[((centres > -0.5) & (centres < size + 0.5)).all(1)] * (SIDE / size)
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in seen)


def _moving(
    frames: Sequence[str], width: float, height: float, title: str, seconds: float, shapes: str = ""
) -> Picture:
    """The frames in turn, each shown for its share of the time. shapes: what the frames refer to."""
    title = shown(title)
    if len(frames) == 1:  # nothing moves
        frames = [*frames, *frames]
    share = 100 / len(frames)
    name = f"hbm{len(frames)}-{seconds * 1000:.0f}"  # pictures of one page share its style sheets
    rules = [
        f".{name} g {{ visibility: hidden; }} .{name} g:last-of-type {{ visibility: visible; }}",
        f"@keyframes {name} {{ 0%, {share:.3f}% {{ visibility: visible; }} "
        f"{share + 0.001:.3f}%, 100% {{ visibility: hidden; }} }}",
        f"@media (prefers-reduced-motion: no-preference) {{ .{name} g, .{name} g:last-of-type {{ visibility: hidden; "
        f"animation: {name} {seconds:g}s step-end infinite; }} }}",
    ]
    groups = [
        f'<g style="animation-delay: {number * seconds / len(frames):.3f}s">{frame}</g>'
        for number, frame in enumerate(frames)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" style="max-width: 100%; height: auto; background: {PAPER}" '
        f'role="img" aria-label="{title}">'
    )
    edge = f'<rect width="{width:g}" height="{height:g}" fill="none" stroke="{INK}"/>'
    return Picture(
        "\n".join([head, f"<style>{' '.join(rules)}</style><defs>{shapes}</defs>", *groups, edge, "</svg>\n"]), title
    )


def _png(shades: NDArray[np.uint8]) -> bytes:
    """A picture with a palette as a PNG. shades: [height, width], numbers of colours."""
    height, width = shades.shape
    places = np.linspace(0, SHADES - 1, len(STOPS))
    palette = np.stack([np.interp(np.arange(SHADES), places, channel) for channel in zip(*STOPS, strict=True)], 1)
    rows = b"".join(b"\0" + row.tobytes() for row in shades)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", palette.astype(np.uint8).tobytes()), (b"IDAT", zlib.compress(rows, 9)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in (*parts, (b"IEND", b"")))
