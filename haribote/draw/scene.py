"""A picture with coordinates: a rectangle for every box, a path for every wire, a place for every label."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from haribote.draw.colours import MARKS
from haribote.draw.layers import Arrangement, Point, Size, Wire, arrange
from haribote.draw.picture import Box, Picture
from simulator.columns import full

LINE_HEIGHT, PADDING = 15.0, 7.0
LABEL_HEIGHT, LABEL_DROP = 14.0, 5.0
"""Height of a wire's label, and how far below its box it begins."""
TITLE_CHARACTER, TEXT_CHARACTER, LABEL_CHARACTER = 8.4, 6.75, 6.75
"""Pixels per character, of the widest of the fonts that the style sheet names."""
TITLE_EM, TEXT_EM = 13.0, 11.0
"""Pixels of a full-width character: the sizes of the fonts."""
MARK_ROOM = 14.0
"""Pixels at the right of a box for its letter (`colours.MARKS`)."""
_PORT_STEP = 16.0
_SNAP = 6.0
"""A wire may miss its port by so much if that makes it straight."""
_TIP = 7.0
ROW_GAP = 50.0
"""Between two layers: room for labels, for the curve of a wire, and for its arrow head."""


class Rect(NamedTuple):
    """A rectangle, pixels from the top left corner of the picture."""

    left: float
    top: float
    width: float
    height: float


class Curve(NamedTuple):
    """A wire from a value to one reader: down from points[0] to points[1], in a curve to [2], down to [3], …"""

    target: int
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Scene:
    """A picture with the places of its boxes and labels and the paths of every value, in the order of the picture."""

    picture: Picture
    rects: list[Rect]
    paths: list[list[Curve]]
    labels: list[Rect]
    width: float
    height: float


def lay_out(picture: Picture) -> Scene:
    """Give everything in the picture a place."""
    labels = {value.source: value.label for value in picture.values}
    sizes = [_size(box) for box in picture.boxes]
    roomy = [  # a column is as wide as its box or the label below it
        Size(max(size.width, _label_width(labels.get(number, ""))), size.height) for number, size in enumerate(sizes)
    ]
    wires = [Wire(value.source, value.targets) for value in picture.values]
    place = arrange(roomy, wires, ROW_GAP if any(labels.values()) else ROW_GAP - LABEL_HEIGHT - LABEL_DROP)
    rects = [
        Rect(center.x - size.width / 2, center.y - size.height / 2, *size)
        for center, size in zip(place.centers, sizes, strict=True)
    ]
    exits = _exits(picture, rects)
    paths = _paths(picture, place, rects, exits)
    tags = [_label(value.label, x, rects[value.source]) for value, x in zip(picture.values, exits, strict=True)]
    return Scene(picture, rects, paths, tags, place.width, place.height)


def _size(box: Box) -> Size:
    mark = MARK_ROOM if box.paint in MARKS else 0.0
    if box.kind == "transfer":
        return Size(36.0 + mark, 20.0)
    title = pixels(box.title, TITLE_CHARACTER, TITLE_EM) + mark
    width = max([title, *(pixels(line, TEXT_CHARACTER, TEXT_EM) for line in box.lines)]) + 2 * PADDING + 6
    return Size(_even(width), LINE_HEIGHT * (1 + len(box.lines)) + PADDING)


def pixels(text: str, character: float, em: float) -> float:
    """The width of a text. character: of an ordinary character; em: of a full-width one."""
    wide = full(text)
    return character * (len(text) - wide) + em * wide


def _label_width(text: str) -> float:
    return _even(pixels(text, LABEL_CHARACTER, TEXT_EM) + 6)


def _even(pixels: float) -> float:
    """Rounded up to an even number, whose half is a whole pixel."""
    return 2.0 * math.ceil(pixels / 2)


def _label(text: str, x: float, box: Rect) -> Rect:
    """Below its box, where the value leaves it."""
    width = _label_width(text)
    return Rect(x - width / 2, box.top + box.height + LABEL_DROP, width, LABEL_HEIGHT)


def _exits(picture: Picture, rects: list[Rect]) -> list[float]:
    """Where each value leaves its box: in the middle, or side by side where a box makes several."""
    made: dict[int, list[int]] = defaultdict(list)
    for number, value in enumerate(picture.values):
        made[value.source].append(number)
    result = [0.0] * len(picture.values)
    for box, numbers in made.items():
        for number, x in zip(numbers, _ports(rects[box], len(numbers)), strict=True):
            result[number] = x
    return result


def _paths(picture: Picture, place: Arrangement, rects: list[Rect], exits: list[float]) -> list[list[Curve]]:
    """The wires of each value; those that end at the same box enter it in the order in which they arrive."""
    arriving: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for (number, target), bends in place.routes.items():
        arriving[target].append((bends[-1].x if bends else exits[number], number))
    result: list[list[Curve]] = [[] for _ in picture.values]
    for target, wires in arriving.items():
        row_start = place.rows[place.row_of[target]][0]
        for (before, number), port in zip(sorted(wires), _ports(rects[target], len(wires)), strict=True):
            source = picture.values[number].source
            x = before if abs(before - port) <= _SNAP else port
            row_end = place.rows[place.row_of[source]][1]
            if picture.values[number].label:
                row_end += LABEL_DROP + LABEL_HEIGHT
            start = Point(exits[number], rects[source].top + rects[source].height)
            bends = place.routes[number, target]
            ends = Point(x, row_start - _TIP), Point(x, rects[target].top)
            result[number].append(Curve(target, (start, Point(start.x, row_end), *bends, *ends)))
    return result


def _ports(rect: Rect, count: int) -> list[float]:
    """The places of `count` wires along the edge of a box, about its middle."""
    step = min(_PORT_STEP, rect.width / (count + 1))
    middle = rect.left + rect.width / 2
    return [middle + step * (number - (count - 1) / 2) for number in range(count)]
