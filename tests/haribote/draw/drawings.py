"""What a drawing of a graph consists of."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from haribote import draw

SVG = "{http://www.w3.org/2000/svg}"


def tree(drawing: draw.Picture) -> ElementTree.Element:
    return ElementTree.fromstring(drawing.text)


def boxes(root: ElementTree.Element, kind: str) -> list[str]:
    """The names of the boxes of one kind."""
    return [g.attrib["data-name"] for g in root.iter(f"{SVG}g") if {"box", kind} <= set(g.get("class", "").split())]
