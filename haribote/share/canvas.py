"""Drawing with Pillow: colours, and text that fits, in fonts that have its characters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from PIL import Image, ImageDraw, ImageFont

from haribote.draw.fonts import font_with

Colour = tuple[int, int, int]
Point = tuple[float, float]

PAGE, PAPER, EMPTY = (11, 14, 19), (18, 22, 28), (28, 34, 43)
INK, FAINT, LINE = (232, 236, 242), (166, 176, 190), (51, 60, 72)
GOOD, COURSE, CURVE = (111, 240, 200), (140, 150, 165), (116, 173, 255)
KINDS: dict[str, Colour] = {
    "down": (116, 173, 255), "up": (255, 171, 74), "product": (255, 122, 194), "elementwise": (95, 227, 161),
    "reduction": (185, 162, 255), "": FAINT,
}  # fmt: skip
"""The page's colours where it is dark."""
LATIN = "DejaVu Sans"


class Canvas:
    """A picture to draw on; sizes in pixels of it."""

    def __init__(self, width: int, height: int) -> None:
        """Empty, in the colour of the page."""
        self.image = Image.new("RGB", (width, height), PAGE)
        self._pen = ImageDraw.Draw(self.image)

    def box(self, x: float, y: float, width: float, height: float, colour: Colour, radius: float = 0) -> None:
        """A filled box, with round corners."""
        left, top, right, bottom = (round(place) for place in (x, y, x + width, y + height))
        if right > left and bottom > top:
            self._pen.rounded_rectangle((left, top, right - 1, bottom - 1), radius, fill=colour)

    def line(self, points: Sequence[Point], colour: Colour, width: int = 1) -> None:
        """From point to point."""
        if len(points) > 1:
            self._pen.line(list(points), fill=colour, width=width, joint="curve")

    def dot(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """A filled circle."""
        self._pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)

    def text(
        self, x: float, y: float, text: str, size: int, colour: Colour = INK, room: float = 0, bold: bool = False
    ) -> float:
        """A line of text whose middle is at height y; its width. room: it gets smaller, at last shorter, to fit."""
        while room and size > 13 and width_of(text, size, bold) > room:
            size -= 1
        while room and len(text) > 1 and width_of(text, size, bold) > room:
            text = text.rstrip("…")[:-1] + "…"
        font = _font(_family(text), size, bold)
        self._pen.text((x, y), text, font=font, fill=colour, anchor="lm")
        return float(font.getlength(text))


def width_of(text: str, size: int, bold: bool = False) -> float:
    """How wide a line of text is."""
    return float(_font(_family(text), size, bold).getlength(text))


def can_write(text: str) -> bool:
    """Whether some installed font has all characters of a text."""
    return not _latin_lacks(text) or bool(font_with(text))


def mixed(colour: Colour, share: float) -> Colour:
    """A colour over the empty cell, by how bright it is, 0 to 1."""
    red, green, blue = (round(low + (high - low) * share) for low, high in zip(EMPTY, colour, strict=True))
    return red, green, blue


@cache
def _family(text: str) -> str:
    return font_with(text) or LATIN if _latin_lacks(text) else LATIN


@cache
def _latin_lacks(text: str) -> bool:
    from matplotlib.font_manager import get_font

    font = get_font(_file(LATIN, False))
    return any(not font.get_char_index(ord(character)) for character in text)


@cache
def _font(family: str, size: int, bold: bool) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_file(family, bold and family == LATIN), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _file(family: str, bold: bool) -> str:
    from matplotlib.font_manager import FontProperties, findfont

    return str(findfont(FontProperties(family=[family], weight="bold" if bold else "normal")))
