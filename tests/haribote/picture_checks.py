"""What every picture must be: valid, self-contained, small, the same each time, with no text beyond its edge."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

from simulator.pictures import Picture
from simulator.pictures.canvas import width_of

SVG = "{http://www.w3.org/2000/svg}"
Element = ElementTree.Element


def tree(picture: Picture) -> Element:
    return ElementTree.fromstring(picture.text)


def texts(picture: Picture) -> list[str]:
    """What is written in the picture, in order."""
    return [element.text or "" for element in tree(picture).iter(f"{SVG}text")]


def named(root: Element, name: str) -> Element:
    """The one group with this data-name."""
    (found,) = [element for element in root.iter() if element.get("data-name") == name]
    return found


def check_picture(make: Callable[[], Picture]) -> Picture:
    picture = make()
    assert picture.text == make().text
    assert len(picture.text.encode()) < 200_000
    assert "http" not in picture.text.replace("http://www.w3.org/2000/svg", "") and "<script" not in picture.text
    assert picture.text in picture._repr_html_() and 'class="mathjax_ignore' in picture._repr_html_()
    root = tree(picture)
    assert root.get("role") == "img" and root.get("aria-label") == picture.title
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    assert 100 < width <= 840 and 60 < height < 2500
    for element in root.iter(f"{SVG}text"):
        x, y = float(element.get("x", 0)), float(element.get("y", 0))
        room = 0.93 * width_of(element.text or "", element.get("class", ""))  # the estimate is of the widest font
        left = x - {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "start")] * room
        assert left >= 0 and left + room <= width and 0 < y <= height, element.text
    return picture


def cells(group: Element, rows: int, columns: int) -> list[list[str]]:
    """The styles of a painted grid, `h3 0.79` with its opacity, from its paths."""
    found = [[""] * columns for _ in range(rows)]
    for path in group.iter(f"{SVG}path"):
        if path.get("transform") is None:
            continue
        style = f"{path.get('class')} {path.get('fill-opacity', '1')}"
        for first, top, last, bottom in re.findall(r"M(\d+) (\d+)H(\d+)V(\d+)H\d+z", path.get("d", "")):
            for row in range(int(top), int(bottom)):
                for column in range(int(first), int(last)):
                    assert not found[row][column]
                    found[row][column] = style
    return found
