"""SVG written by hand: shapes and texts are added to a canvas, which becomes a picture that notebooks show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from simulator.files import write_file
from simulator.pictures.style import MONO_EM, SANS_EM, style_sheet

WIDTH = 840.0
"""Pixels: what a column of JupyterLab shows without shrinking."""
MARGIN = 16.0


class Picture:
    """A picture. The last expression of a notebook cell shows it; `text` is the SVG, `title` says it in words."""

    def __init__(self, text: str, title: str) -> None:
        self.text, self.title = text, title

    def _repr_html_(self) -> str:
        """The SVG within the page, where its tooltips work and it follows the page's theme."""
        return inline(self.text)

    def __repr__(self) -> str:
        return f"<picture: {self.title}>"

    def __str__(self) -> str:
        return self.text

    def save(self, path: str | Path) -> None:
        """Write an .svg file, whole or not at all. Raises SimulatorError where it cannot be written."""
        write_file(Path(path), self.text)


def inline(svg: str) -> str:
    """An SVG for the output of a notebook; the classes keep MathJax from taking `$lm0 $lr0` for a formula."""
    return f'<div class="mathjax_ignore tex2jax_ignore" style="overflow-x: auto">{svg}</div>'


class Canvas:
    """The parts of a picture, in the order in which they are painted. All lengths in pixels, from the top left."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def rect(
        self, x: float, y: float, width: float, height: float, style: str, *, round_: float = 0, title: str = ""
    ) -> None:
        """A rectangle; style: classes of the style sheet. title: its tooltip."""
        corner = f' rx="{round_:g}"' if round_ else ""
        shape = f'<rect class="{style}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{corner}'
        self.parts.append(shape + (f"><title>{escape(title)}</title></rect>" if title else "/>"))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        style: str = "",
        *,
        anchor: str = "start",
        room: float = 0,
        turn: float = 0,
        size: int = 0,
    ) -> None:
        """A line of text whose baseline is y. anchor: start, middle or end. room: pixels it may take; a longer text is
        cut, and whole in its tooltip. turn: degrees. size: of the font in pixels, where it is not that of its style.
        """
        if not text:
            return
        shown = cut(text, room, style, size) if room else text
        title = f"<title>{escape(text)}</title>" if shown != text else ""
        middle = f' text-anchor="{anchor}"' if anchor != "start" else ""
        turned = f' transform="rotate({turn:g} {_n(x)} {_n(y)})"' if turn else ""
        classes = f' class="{style}"' if style else ""
        classes += f' style="font-size: {size}px"' if size else ""
        space = ' xml:space="preserve"' if "  " in shown else ""
        self.parts.append(
            f'<text{classes} x="{_n(x)}" y="{_n(y)}"{middle}{turned}{space}>{escape(shown)}{title}</text>'
        )

    def path(self, commands: str, style: str, *, title: str = "", more: str = "") -> None:
        """A path; more: further attributes."""
        inside = f"><title>{escape(title)}</title></path>" if title else "/>"
        self.parts.append(f'<path class="{style}" d="{commands}"{" " + more if more else ""}{inside}')

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str = "rule") -> None:
        """A straight line."""
        self.path(f"M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}", style)

    def arrow(
        self, points: Sequence[tuple[float, float]], style: str = "", *, width: float = 1.5, sideways: bool = False
    ) -> None:
        """An arrow along the points, curved where one is neither beside nor below the last; style: `from`, `to` or a
        hue, else grey. sideways: curves leave and arrive from the side, else from above and below.
        """
        (x0, y0), *rest = points
        commands = f"M{_n(x0)} {_n(y0)}"
        for x, y in rest:
            if abs(x - x0) < 0.5 or abs(y - y0) < 0.5:
                commands += f"L{_n(x)} {_n(y)}"
            elif sideways:
                half = (x0 + x) / 2
                commands += f"C{_n(half)} {_n(y0)} {_n(half)} {_n(y)} {_n(x)} {_n(y)}"
            else:
                half = (y0 + y) / 2
                commands += f"C{_n(x0)} {_n(half)} {_n(x)} {_n(half)} {_n(x)} {_n(y)}"
            x0, y0 = x, y
        self.path(commands, f"{style}-line" if style else "arrow", more=f'style="stroke-width: {width:g}"')
        before, size = points[-2], 3.2 + width
        if sideways or abs(before[1] - y0) < 0.5:
            sign = 1 if x0 > before[0] else -1
            tip = f"M{_n(x0)} {_n(y0)}l{_n(-sign * size * 1.6)} {_n(-size)}v{_n(2 * size)}z"
        else:
            sign = 1 if y0 > before[1] else -1
            tip = f"M{_n(x0)} {_n(y0)}l{_n(-size)} {_n(-sign * size * 1.6)}h{_n(2 * size)}z"
        self.path(tip, style or "tip")

    @contextmanager
    def group(self, title: str = "", *, style: str = "", data: str = "") -> Iterator[None]:
        """What is drawn within gets one tooltip. data: its `data-name`."""
        attributes = (f' class="{style}"' if style else "") + (f" data-name={quoteattr(data)}" if data else "")
        self.parts.append(f"<g{attributes}>" + (f"<title>{escape(title)}</title>" if title else ""))
        yield
        self.parts.append("</g>")

    def picture(self, title: str, height: float, width: float = WIDTH) -> Picture:
        """The whole as a picture. title: what a reader who does not see it is told."""
        size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="hbp" {size} style="max-width: 100%; height: auto" '
            f'role="img" aria-label={quoteattr(title)}>'
        )
        paper = f'<rect class="paper" width="{width:g}" height="{height:g}"/>'
        return Picture("\n".join([head, f"<style>\n{style_sheet()}\n</style>", paper, *self.parts, "</svg>\n"]), title)


def width_of(text: str, style: str = "", size: int = 0) -> float:
    """Pixels that a text may take up in the widest of its fonts. size: of the font, where it is not the style's."""
    classes = style.split()
    size = size or (15 if "head" in classes else 11 if "s" in classes or "m" in classes else 12)
    return len(text) * size * (MONO_EM if "m" in classes else SANS_EM)


def cut(text: str, room: float, style: str = "", size: int = 0) -> str:
    """The text, or its beginning and an ellipsis where it does not fit."""
    if width_of(text, style, size) <= room:
        return text
    keep = max(1, int(room / width_of("x", style, size)) - 1)
    return text[:keep].rstrip() + "…"


def wrap(text: str, room: float, style: str = "") -> list[str]:
    """The text in lines that fit, broken at spaces."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", style) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
