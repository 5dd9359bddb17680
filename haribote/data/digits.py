"""The synthetic digits: what we train on where MNIST cannot be had. Drawn with the fonts that matplotlib brings along.

Each digit of each font is drawn once, thin and thick; an image samples one of these drawings through a random affine
map and a smooth warp, then gets a random ink strength and noise. Like MNIST: 28x28, bright on dark, the digit about
20 pixels high. Same seed, same images.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray

FONTS = (
    "DejaVuSans",
    "DejaVuSans-Oblique",
    "DejaVuSansMono",
    "DejaVuSerif",
    "DejaVuSerif-Italic",
    "STIXGeneral",
    "STIXGeneralBol",
    "STIXGeneralItalic",
    "STIXGeneralBolIta",
    "cmr10",
    "cmss10",
    "cmtt10",
)
EDGES = (0.0, 3.5)  # width of the outline in points, at 72 per inch: thin and thick strokes
SIDE = 28  # pixels of an image, each way
TILE = 64  # pixels of a drawing, each way
ZOOM = 2.0  # pixels of a drawing per pixel of an image
CHUNK = 500  # images made at a time, to keep the memory small

Float = NDArray[np.float32]


def draw(count: int, seed: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """`count` images, uint8 [count, 28, 28], and their labels, int64 [count]; each digit equally often (±1)."""
    drawings = _drawings()
    random = np.random.Generator(np.random.PCG64(seed))
    labels = random.permutation(np.arange(count) % 10)
    images = np.empty((count, SIDE, SIDE), np.uint8)
    for start in range(0, count, CHUNK):
        some = labels[start : start + CHUNK]
        chosen = drawings[random.integers(len(drawings), size=len(some)), some]
        images[start : start + CHUNK] = _finish(_sample(chosen, _coordinates(len(some), random)), random)
    return images, labels


def _drawings() -> Float:
    """Every digit in every style, float32 [fonts * edges, 10, TILE, TILE] in 0..1, the digit upright and centred."""
    sheets = [_sheet(edge) for edge in EDGES]
    tiles = [sheet.reshape(len(FONTS), TILE, 10, TILE).swapaxes(1, 2) for sheet in sheets]
    return np.concatenate(tiles)


def _sheet(edge: float) -> Float:
    """All fonts (rows) and digits (columns) on one sheet, float32 [fonts * TILE, 10 * TILE]."""
    figure = Figure(figsize=(10 * TILE / 72, len(FONTS) * TILE / 72), dpi=72, facecolor="black")
    canvas = FigureCanvasAgg(figure)
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    for row, font in enumerate(FONTS):
        properties = FontProperties(fname=str(folder / f"{font}.ttf"))
        for digit in range(10):
            outline = TextPath((0, 0), str(digit), size=100, prop=properties)
            box = outline.get_extents()
            scale = min(ZOOM * 20 / box.height, ZOOM * 18 / box.width)
            middle = (box.x0 + box.width / 2, box.y0 + box.height / 2)
            place = ((digit + 0.5) * TILE, (len(FONTS) - row - 0.5) * TILE)
            where = Affine2D().translate(-middle[0], -middle[1]).scale(scale).translate(*place)
            figure.add_artist(
                PathPatch(where.transform_path(outline), transform=None, color="white", linewidth=edge, clip_on=False)
            )
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = np.asarray(canvas.buffer_rgba(), np.float32)  # type: ignore[no-untyped-call]
    return pixels[:, :, 0] / np.float32(255)


def _coordinates(count: int, random: np.random.Generator) -> Float:
    """Where each pixel of each image looks in its drawing, float32 [count, 2 (row, column), 28, 28]."""
    axis = np.arange(SIDE) - (SIDE - 1) / 2
    pixel = np.stack(np.meshgrid(axis, axis, indexing="ij"))  # [2, 28, 28]
    angle = random.normal(0.0, 0.12, count)  # radians
    stretch = random.uniform(0.9, 1.2, (count, 2))  # more than 1 makes the digit smaller
    slant = random.uniform(-0.25, 0.25, count)
    turn = np.stack([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])  # [2, 2, count]
    shear = np.stack([[np.ones(count), np.zeros(count)], [slant, np.ones(count)]])
    affine = np.einsum("ijn,jkn,nk->nik", shear, turn, stretch)
    moved = pixel + random.uniform(-1.3, 1.3, (count, 2, 1, 1))
    straight = np.einsum("nik,nkrc->nirc", affine, moved)

    wave = random.uniform(-1.6, 1.6, (count, 2, 2)) * 2 * np.pi / SIDE  # [image, axis moved, axis along which]
    phase = random.uniform(0, 2 * np.pi, (count, 2, 1, 1))
    size = random.uniform(0.0, 1.2, (count, 2, 1, 1))
    warp = size * np.sin(np.einsum("nik,krc->nirc", wave, pixel) + phase)
    return np.asarray((straight + warp) * ZOOM + (TILE - 1) / 2, np.float32)


def _sample(drawings: Float, where: Float) -> Float:
    """The drawings at the coordinates, bilinear, 0 outside: [n, TILE, TILE], [n, 2, 28, 28] -> [n, 28, 28]."""
    whole = np.clip(np.floor(where), 0, TILE - 2).astype(np.int64)
    part = np.clip(where - whole, 0, 1)
    row, column = whole[:, 0], whole[:, 1]
    down, right = part[:, 0], part[:, 1]
    image = np.arange(len(drawings))[:, None, None]
    upper = drawings[image, row, column] * (1 - right) + drawings[image, row, column + 1] * right
    lower = drawings[image, row + 1, column] * (1 - right) + drawings[image, row + 1, column + 1] * right
    return np.asarray(upper * (1 - down) + lower * down, np.float32)


def _finish(images: Float, random: np.random.Generator) -> NDArray[np.uint8]:
    """Random ink strength and noise, then 0..255."""
    ink = random.uniform(0.7, 1.0, (len(images), 1, 1))
    noisy = images * ink + random.normal(0.0, 0.05, images.shape)
    return np.asarray(np.rint(np.clip(noisy, 0, 1) * 255), np.uint8)
