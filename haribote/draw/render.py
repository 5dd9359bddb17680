"""Scenes as SVG text: self-contained, no scripts, nothing from elsewhere, light or dark as the reader's screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from haribote.draw.colours import MARKS, MEMORIES, PAINTS, style_sheet
from haribote.draw.layers import Point
from haribote.draw.picture import Box, Edge, Picture
from haribote.draw.scene import LINE_HEIGHT, MARK_ROOM, Curve, Rect, Scene, lay_out, pixels
from simulator.messages import shown, tr
from simulator.pictures import canvas

MARGIN = 24.0
HEADER = 78.0
"""Pixels above the graphs for captions and legend."""
TALL = 700.0
"""Pixels of a picture that is not seen at once."""
_CAPTION_CHARACTER, _KEY_CHARACTER = 9.6, 7.0
_CAPTION_EM, _KEY_EM = 16.0, 12.0


def render(*pictures: Picture) -> canvas.Picture:
    """The pictures side by side, a caption above each and one legend for all, in the language of the moment."""
    parts: list[str] = []
    left, bottom = MARGIN, 0.0
    pictures = tuple(picture.shown for picture in pictures)
    for picture in pictures:
        scene = lay_out(picture)
        width = max(scene.width, pixels(picture.caption, _CAPTION_CHARACTER, _CAPTION_EM))
        parts.append(f'<text class="caption" x="{left:g}" y="34">{escape(picture.caption)}</text>')
        parts += draw(scene, Point(left + round((width - scene.width) / 2), HEADER))
        left += width + 3 * MARGIN
        bottom = max(bottom, scene.height)
    legend, legend_width = _legend(pictures)
    title = " → ".join(picture.caption for picture in pictures)
    width = max(left - 2 * MARGIN, legend_width)
    height = HEADER + bottom + MARGIN
    zooms = width > canvas.WIDTH or height > TALL
    return canvas.Picture(page([*legend, *parts], width, height, title), title, zooms)


def page(parts: Iterable[str], width: float, height: float, title: str) -> str:
    """The SVG document around the parts."""
    return canvas.document("haribote", list(parts), width, height, title, style_sheet)


def draw(scene: Scene, corner: Point, scale: float = 1.0) -> Iterable[str]:
    """The scene with its top left corner there: wires first, then boxes, then labels."""
    shrink = f" scale({scale:g})" if scale != 1 else ""
    yield f'<g class="graph" transform="translate({corner.x:g} {corner.y:g}){shrink}">'
    for value, paths in zip(scene.picture.values, scene.paths, strict=True):
        yield _wires(value, paths, [scene.picture.boxes[path.target].name for path in paths])
    for box, rect in zip(scene.picture.boxes, scene.rects, strict=True):
        yield _box(box, rect)
    for value, rect in zip(scene.picture.values, scene.labels, strict=True):
        if value.label:
            yield _label(value, rect)
    yield "</g>"


def _wires(value: Edge, paths: Sequence[Curve], readers: Sequence[str]) -> str:
    """All wires of a value as one path, what they share drawn once, with an arrow head at every reader."""
    commands, tips = "", ""
    drawn: set[tuple[Point, Point]] = set()
    for path in paths:
        pen: Point | None = None
        for number, (start, end) in enumerate(pairwise(path.points)):
            if start != end and (start, end) not in drawn:
                commands += ("" if start == pen else f"M{_at(start)}") + _piece(start, end, curved=number % 2 == 1)
                drawn.add((start, end))
                pen = end
        tips += f"M{_at(path.points[-1])}l-4 -7h8z"
    paint = _classes(value.memory)
    names = f"data-value={quoteattr(value.name)} data-readers={quoteattr(' '.join(readers))}"
    return f'<path class="wire{paint}" {names} d="{commands}"/><path class="tip{paint}" d="{tips}"/>'


def _piece(start: Point, end: Point, curved: bool) -> str:
    if start.x == end.x or not curved:
        return f"V{end.y:g}"
    middle = (start.y + end.y) / 2
    return f"C{start.x:g} {middle:g} {end.x:g} {middle:g} {_at(end)}"


def _box(box: Box, rect: Rect) -> str:
    middle = rect.left + rect.width / 2
    round_ = rect.height / 2 if box.kind in ("input", "output") else 5
    shape = (
        f'<rect x="{rect.left:g}" y="{rect.top:g}" width="{rect.width:g}" height="{rect.height:g}" rx="{round_:g}"/>'
    )
    baseline = rect.top + (14 if box.kind == "transfer" else 15.5)
    mark = MARKS.get(box.paint, "")
    shift = MARK_ROOM / 2 if mark else 0
    texts = [f'<text class="title" x="{middle - shift:g}" y="{baseline:g}">{escape(box.title)}</text>']
    if mark:
        right = rect.left + rect.width - MARK_ROOM / 2 - 2
        texts.append(f'<text class="mark" x="{right:g}" y="{baseline:g}">{mark}</text>')
    for number, line in enumerate(box.lines, 1):
        kind = "name" if number == 1 else "detail"
        y = baseline + number * LINE_HEIGHT
        texts.append(f'<text class="{kind}" x="{middle:g}" y="{y:g}">{escape(line)}</text>')
    tooltip = f"<title>{escape(box.tooltip)}</title>"
    classes = _classes("box", box.kind, box.paint).strip()
    return f'<g class="{classes}" data-name={quoteattr(box.name)}>{tooltip}{shape}{"".join(texts)}</g>'


def _label(value: Edge, rect: Rect) -> str:
    return (
        f'<g class="label{_classes(value.memory)}">'
        f'<rect x="{rect.left:g}" y="{rect.top:g}" width="{rect.width:g}" height="{rect.height:g}" rx="3"/>'
        f'<text x="{rect.left + rect.width / 2:g}" y="{rect.top + 11:g}">{escape(value.label)}</text></g>'
    )


def _legend(pictures: Sequence[Picture]) -> tuple[list[str], float]:
    """The style classes and memories in use, in one row; the SVG and the width that it needs."""
    used = {paint for picture in pictures for paint in picture.paints}
    memories = {memory for picture in pictures for memory in picture.memories}
    parts, x = ['<g class="legend">'], MARGIN
    for paint in (paint for paint in PAINTS if paint in used):
        mark = f'<text class="mark" x="{x + 9:g}" y="56.5">{MARKS[paint]}</text>' if paint in MARKS else ""
        parts.append(f'<g class="{paint}"><rect x="{x:g}" y="46" width="18" height="13" rx="3"/>{mark}</g>')
        x = _key(parts, x + 24, PAINTS[paint][0])
    for memory in (memory for memory in MEMORIES if memory in memories):
        parts.append(f'<path class="wire {memory}" d="M{x:g} 52.5h18"/>')
        x = _key(parts, x + 24, tr("in {memory}", memory))
    return [*parts, "</g>"], x


def _key(parts: list[str], x: float, text: str) -> float:
    text = shown(text)
    parts.append(f'<text class="key" x="{x:g}" y="57">{escape(text)}</text>')
    return x + pixels(text, _KEY_CHARACTER, _KEY_EM) + 12


def _classes(*names: str) -> str:
    return "".join(f" {name}" for name in names if name)


def _at(point: Point) -> str:
    return f"{point.x:g} {point.y:g}"
