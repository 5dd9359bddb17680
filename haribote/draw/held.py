"""Who holds which element of a tensor: the tensor beside the machine, both coloured by unit."""

from __future__ import annotations

from collections.abc import Sequence

from haribote.errors import HariboteError
from haribote.layout import LAYOUTS, Layout
from simulator.pictures.canvas import MARGIN, Canvas, Picture


def layout_picture(
    what: Layout | str, shape: Sequence[int] | None = None, element: Sequence[int] | None = None, memory: str = "LM"
) -> Picture:
    """First version: the formula only."""
    layout = layout_of(what, shape)
    canvas = Canvas()
    canvas.text(MARGIN, 28, str(layout), "m")
    for number, line in enumerate(layout.formula().split("\n")):
        canvas.text(MARGIN, 50 + 16 * number, line, "m")
    return canvas.picture(str(layout), 140)


def layout_of(what: Layout | str, shape: Sequence[int] | None = None) -> Layout:
    """A layout, from itself, its notation, its tag (`256x16.A`), or a shape and the letter of a tag (`A`).

    Raises HariboteError.
    """
    if isinstance(what, Layout):
        return what
    text = str(what).strip()
    if text.startswith("("):
        return Layout.parse(text)
    size = "x".join(map(str, shape)) if shape is not None else ""
    for tag in (text, f"{size}.{text}", size if not text else ""):
        if tag in LAYOUTS:
            return LAYOUTS[tag]
    raise HariboteError(
        f"there is no layout {text!r}{f' for {size}' if size else ''}", f"one of {', '.join(LAYOUTS)}, or the notation"
    )
