"""SVG written by hand: shapes and texts are added to a canvas, which becomes a picture that notebooks show.

Every text is English when it is given to a canvas, also to `width_of`, `cut` and `wrap`, and is measured and painted in
the language of the moment (simulator/messages.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from simulator.columns import full
from simulator.files import write_file
from simulator.lines import wrapped
from simulator.messages import shown, tr
from simulator.pictures.style import MONO_EM, SANS_EM, lang, style_sheet
from simulator.pictures.zoom import in_file, in_page

WIDTH = 840.0
"""Pixels: what a column of JupyterLab shows without shrinking."""
WIDEST = 1.3
"""Times its width that a picture takes on a wide page."""
MARGIN = 16.0
Point = tuple[float, float]
_CLASSES = re.compile(r'class="([^"]*)"')


class Picture:
    """A picture. The last expression of a notebook cell shows it; `text` is the SVG, `title` says it in words.

    zooms: there is more in it than a column shows, so that it is zoomed and dragged in pages and in its file.
    """

    def __init__(self, text: str, title: str, zooms: bool = False) -> None:
        self.text, self.title, self.zooms = text, title, zooms

    def _repr_html_(self) -> str:
        """The SVG within the page, where its tooltips work and it follows the page's theme."""
        return inline(self.text, self.zooms)

    def _repr_svg_(self) -> str:
        """What is stored in a notebook: without a kernel, and on a code host, it is all that there is."""
        return self.text

    def __repr__(self) -> str:
        return f"<picture: {self.title}>"

    def __str__(self) -> str:
        return self.text

    def save(self, path: str | Path, script: bool = True) -> None:
        """Write an .svg file, whole or not at all. script: it may have one, to be zoomed.

        Raises SimulatorError where it cannot be written.
        """
        write_file(Path(path), in_file(self.text) if self.zooms and script else self.text)


def inline(svg: str, zooms: bool = False) -> str:
    """An SVG for the output of a notebook: as wide as the page, up to WIDEST times its own width. One made to be wider
    than a column has a box that shows it in its own size, to be scrolled, if it is not zoomed. The classes keep MathJax
    from taking `$lm0 $lr0` for a formula.
    """
    found = re.match(r'<svg [^>]*?\bwidth="([0-9.]+)"', svg)
    width = float(found[1]) if found else WIDTH
    fitted = f'<div style="max-width: {WIDEST * width:.0f}px">{svg}</div>'
    if zooms:
        fitted = in_page(fitted)
    elif width > WIDTH:
        name = f"wide-{width:.0f}"
        rule = f".{name}:has(> label :checked) > div {{ overflow-x: auto; }} "
        rule += f".{name}:has(> label :checked) > div > div {{ min-width: {width:.0f}px; }}"
        box = '<label style="font-size: 13px" data-lm-suppress-shortcuts="true">'
        box += f'<input type="checkbox"> {escape(tr("full size, to scroll"))}</label>'
        fitted = f'<div class="{name}"><style>{rule}</style>{box}<div>{fitted}</div></div>'
    return f'<div class="mathjax_ignore tex2jax_ignore">{fitted}</div>'


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
        self.parts.append(shape + (f">{tooltip(title)}</rect>" if title else "/>"))

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
        name: bool = False,
    ) -> None:
        """A line of text whose baseline is y. anchor: start, middle or end. room: pixels it may take; a longer text is
        cut, and whole in its tooltip. turn: degrees. size: of the font in pixels, where it is not that of its style.
        name: it is one of a program or a graph, and no word: painted as it is.
        """
        if not text:
            return
        text = text if name else shown(text)
        said = _cut(text, room, style, size) if room else text
        title = f"<title>{escape(text)}</title>" if said != text else ""
        middle = f' text-anchor="{anchor}"' if anchor != "start" else ""
        turned = f' transform="rotate({turn:g} {_n(x)} {_n(y)})"' if turn else ""
        classes = f' class="{style}"' if style else ""
        classes += f' style="font-size: {size}px"' if size else ""
        space = ' xml:space="preserve"' if "  " in said else ""
        self.parts.append(f'<text{classes} x="{_n(x)}" y="{_n(y)}"{middle}{turned}{space}>{escape(said)}{title}</text>')

    def path(self, commands: str, style: str, *, title: str = "", more: str = "") -> None:
        """A path; more: further attributes."""
        inside = f">{tooltip(title)}</path>" if title else "/>"
        self.parts.append(f'<path class="{style}" d="{commands}"{" " + more if more else ""}{inside}')

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str = "rule") -> None:
        """A straight line."""
        self.path(f"M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}", style)

    def arrow(self, points: Sequence[Point], style: str = "", *, width: float = 1.5, sideways: bool = False) -> None:
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
        self.parts.append(f"<g{attributes}>{tooltip(title)}")
        yield
        self.parts.append("</g>")

    def begin(self, labels: list[str]) -> None:
        """What is drawn from here on happens after what was drawn before, where pictures move. labels: its cycles."""

    def lit(self, cycle: int, kind: str) -> str:
        """The class of what is read ("r"), written ("w") or at work ("u") in a cycle; "" on a picture that stands."""
        return ""

    def packet(
        self, cycle: int, start: Point, end: Point, style: str, *, label: str = "", flight: str = "g", data: str = ""
    ) -> None:
        """Words that travel in a cycle, where pictures move (`motion.Moving`). label: which; data: the same, exactly.
        flight: "g" through the whole cycle, "i" to a unit in its first half, "o" from a unit in its second.
        """

    def spread(
        self, cycle: int, one: Point, many: Sequence[Point], style: str, *, back: bool = False, data: str = ""
    ) -> None:
        """Words that travel from one place to many of one height, where pictures move; back: from the many to it."""

    def picture(self, title: str, height: float, width: float = WIDTH, zooms: bool = False) -> Picture:
        """The whole as a picture. title: what a reader who does not see it is told; zooms: as of Picture."""
        title = shown(title)
        return Picture(document("hbp", self.parts, width, height, title, style_sheet), title, zooms)


def document(
    name: str, parts: Sequence[str], width: float, height: float, title: str, sheet: Callable[[set[str]], str]
) -> str:
    """The SVG around some parts. name: its class; sheet: the CSS for the classes of its shapes."""
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" {size} style="width: 100%; height: auto" '
        f'role="img" aria-label={quoteattr(title)}{lang("lang", "xml:lang")}>'
    )
    paper = f'<rect class="paper" width="{width:g}" height="{height:g}"/>'
    used = {name for part in parts for found in _CLASSES.findall(part) for name in found.split()}
    return "\n".join([head, f"<style>\n{sheet({'paper', *used})}\n</style>", paper, *parts, "</svg>\n"])


def tooltip(title: str) -> str:
    """The element that is a shape's tooltip; "" without text."""
    return f"<title>{escape(shown(title))}</title>" if title else ""


def width_of(text: str, style: str = "", size: int = 0) -> float:
    """Pixels that a text may take up in the widest of its fonts. size: of the font, where it is not the style's."""
    return _width(shown(text), style, size)


def _width(text: str, style: str, size: int) -> float:
    """The same of a text as it is painted; a full-width character takes one em."""
    classes, wide = style.split(), full(text)
    size = size or (15 if "head" in classes else 11 if "s" in classes or "m" in classes else 12)
    return (len(text) - wide) * size * (MONO_EM if "m" in classes else SANS_EM) + wide * size


def cut(text: str, room: float, style: str = "", size: int = 0) -> str:
    """The text in the language of the moment, or its beginning and an ellipsis where it does not fit."""
    return _cut(shown(text), room, style, size)


def _cut(text: str, room: float, style: str, size: int) -> str:
    """The same of a text as it is painted."""
    if _width(text, style, size) <= room:
        return text
    keep = max(1, int(room / _width("x", style, size)) - 1)
    while keep > 1 and full(text[:keep]) and _width(text[:keep] + "…", style, size) > room:
        keep -= 1
    return text[:keep].rstrip() + "…"


def wrap(text: str, room: float, style: str = "") -> list[str]:
    """The text in the language of the moment, in lines that fit, broken at spaces and between full-width characters."""
    return wrapped(shown(text), room, lambda line: _width(line, style, 0))


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
