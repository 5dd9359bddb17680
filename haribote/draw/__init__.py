"""Drawings of graphs: `svg(model)` for one, `diff(before, after)` for a graph before and after a pass."""

from __future__ import annotations

from collections import Counter

import onnx

from haribote.draw.compare import changes, compare
from haribote.draw.picture import picture
from haribote.draw.render import Svg, render

__all__ = ["Svg", "changes", "diff", "summary", "svg"]


def svg(model: onnx.ModelProto, caption: str = "") -> Svg:
    """The graph as a layered drawing; in a notebook, the last expression of a cell shows it.

    Operators are coloured by where they run (chip, host, loss value) once the layout pass has decided it, before that
    by what they do. Wires carry the shapes, and after the layout pass the colour of the memory that holds the value.
    """
    return render(picture(model, caption))


def diff(before: onnx.ModelProto, after: onnx.ModelProto, captions: tuple[str, str] = ("before", "after")) -> Svg:
    """Both graphs side by side; what is unchanged, changed, removed and added is seen by colour and sign."""
    return render(*compare(before, after, captions))


def summary(before: onnx.ModelProto, after: onnx.ModelProto) -> str:
    """One line: how many nodes are unchanged, changed, removed and added."""
    kinds = ("unchanged", "changed", "removed", "added")
    found = changes(before, after).values()
    count = Counter("unchanged" if not change else change if change in kinds else "changed" for change in found)
    return ", ".join(f"{count[kind]} {kind}" for kind in kinds)
