"""Two graphs compared node by node, for a drawing of what a pass did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import onnx

from haribote.draw import words
from haribote.draw.picture import Box, Picture, picture
from haribote.graph import Index, metadata
from haribote.words import word
from simulator.messages import tr


def compare(
    before: onnx.ModelProto, after: onnx.ModelProto, captions: tuple[str, str] = ("before", "after")
) -> tuple[Picture, Picture]:
    """The pictures of both graphs, their boxes painted "same", "changed", "removed" (left) or "added" (right).

    Nodes are the same by name, which passes keep; graph inputs and outputs too. A changed node says on the right what
    has changed.
    """
    old, new = picture(before, word(captions[0])), picture(after, word(captions[1]))
    old_nodes, new_nodes = _Nodes(before), _Nodes(after)
    left = [_painted(box, "removed", "−", old_nodes, new_nodes) for box in old.boxes]
    right = [_painted(box, "added", "+", old_nodes, new_nodes) for box in new.boxes]
    return replace(old, boxes=left), replace(new, boxes=right)


def changes(before: onnx.ModelProto, after: onnx.ModelProto) -> dict[str, str]:
    """Node name to what has changed, "" for nothing; "removed" and "added" for those in one graph only."""
    old, new = _Nodes(before), _Nodes(after)
    result = {name: new.change(old, name) if name in new.node else "removed" for name in old.node}
    return result | {name: "added" for name in new.node if name not in old.node}


class _Nodes:
    """The nodes, inputs and outputs of one graph, by name."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.index = Index(model)
        self.node = self.index.node

    def change(self, old: _Nodes, name: str) -> str:
        """How the node of that name differs from the old graph's, in a few words; "" if it does not."""
        mine, theirs = self.node[name], old.node[name]
        if words.title(mine) != words.title(theirs):
            return tr("was {theirs}", words.title(theirs))
        if self.shapes(mine) != old.shapes(theirs):
            return tr("was {theirs}", old.shapes(theirs))
        for what, view in _VIEWS.items():
            if view(mine, self.index) != view(theirs, old.index):
                return tr("other {what}", what)
        return ""

    def shapes(self, node: onnx.NodeProto) -> str:
        """The shapes and dtypes of the node's outputs."""
        return ", ".join(map(self.type_of, node.output))

    def type_of(self, value: str) -> str:
        """Shape and dtype of a value, as its label says them."""
        return words.shape_text(self.index.shape.get(value), self.index.dtype.get(value))

    def has(self, box: Box) -> bool:
        """Whether the graph has what the box shows."""
        names = {"input": self.index.inputs, "output": self.index.outputs}.get(box.kind, self.node)
        return box.name in names


def _inputs(node: onnx.NodeProto, index: Index) -> list[object]:
    """The inputs; a constant by its value, whatever its name."""
    constants = index.constants
    return [
        (constants[n].dtype, constants[n].shape, constants[n].tobytes()) if n in constants else n for n in node.input
    ]


def _placing(*keys: str) -> Callable[[onnx.NodeProto, Index], object]:
    slots = ("in0", "in1", "in2", "out")
    return lambda node, index: [metadata(node).get(f"haribote.{slot}.{key}") for key in keys for slot in slots]


_VIEWS: dict[str, Callable[[onnx.NodeProto, Index], object]] = {
    "attributes": lambda node, index: sorted(words.attribute_texts(node)),
    "inputs": _inputs,
    "outputs": lambda node, index: list(node.output),
    "kernel": lambda node, index: metadata(node).get("haribote.kernel"),
    "layouts": _placing("layout", "memory"),
    "addresses": _placing("address"),
}
"""What can change about a node besides operator and shapes, in the order in which we tell it."""


def _painted(box: Box, missing: str, sign: str, old: _Nodes, new: _Nodes) -> Box:
    """The box with the paint of what happened to it; `missing` for one that the other graph does not have."""
    if not (old.has(box) and new.has(box)):
        return replace(box, paint=missing, title=f"{sign} {box.title}")
    if box.kind in ("input", "output"):
        if old.type_of(box.name) == new.type_of(box.name):
            return replace(box, paint="same")
        return replace(box, paint="changed", title=f"~ {box.title}")
    change = new.change(old, box.name)
    if not change:
        return replace(box, paint="same")
    lines = (*box.lines, words.short(change)) if missing == "added" and box.kind == "node" else box.lines
    return replace(
        box,
        paint="changed",
        title=f"~ {box.title}",
        lines=lines,
        tooltip="\n".join([box.tooltip, tr("changed: {change}", change)]),
    )
