"""Which axes of which values are cut alike: those that some operator runs along together."""

from __future__ import annotations

from collections.abc import Iterator

import onnx

from haribote.core.elementwise import ELEMENTWISE
from haribote.graph import Index, updates
from haribote.stack.planner.rules import PRODUCTS, REDUCTIONS, letters_of, reduced_axes
from haribote.stack.planner.views import view_of

Axis = tuple[str, int]
"""A value and the number of one of its axes."""


class Axes:
    """Groups of axes. `of` gives a group's name, one of its axes; None for an axis that cannot be cut."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.index = Index(model)
        self._parent: dict[Axis, Axis] = {}
        self._fixed: set[Axis] = set()
        for node in model.graph.node:
            self._tie(node)
        for before, after in updates(model).items():
            self._all(zip(self._of(before), self._of(after), strict=True))
        self.whole = {self._root(axis) for axis in self._fixed}

    def of(self, name: str, axis: int) -> Axis | None:
        """The group of an axis."""
        root = self._root((name, axis))
        return None if root in self.whole or self.index.shape[name][axis] == 1 else root

    def groups(self, name: str) -> tuple[Axis | None, ...]:
        """The groups of all axes of a value."""
        return tuple(self.of(name, axis) for axis in range(len(self.index.shape[name])))

    def _root(self, axis: Axis) -> Axis:
        while (parent := self._parent.get(axis, axis)) != axis:
            axis = parent
        return axis

    def _of(self, name: str) -> list[Axis]:
        return [(name, axis) for axis in range(len(self.index.shape[name]))]

    def _all(self, pairs: Iterator[tuple[Axis, Axis]]) -> None:
        """Tie axes of the same length."""
        for one, other in pairs:
            if self.index.shape[one[0]][one[1]] == self.index.shape[other[0]][other[1]] != 1:
                self._parent[self._root(one)] = self._root(other)

    def _tie(self, node: onnx.NodeProto) -> None:
        result = node.output[0]
        view = view_of(node, self.index) if node.input and node.input[0] else None
        if view is not None:
            self._all(((view.root, axis), (result, number)) for number, axis in view.whole.items())
            self._fixed.update((result, number) for number in range(len(view.axes)) if number not in view.whole)
            seen = set(view.whole.values())
            self._fixed.update((view.root, axis) for axis in range(len(view.shape)) if axis not in seen)
        elif node.op_type in PRODUCTS:
            first: dict[str, Axis] = {}
            for name, letters in zip((*node.input, result), letters_of(self.index, node), strict=True):
                self._all((first.setdefault(c, (name, axis)), (name, axis)) for axis, c in enumerate(letters))
        elif node.op_type in REDUCTIONS:
            self._all(reduction_axes(self.index, node))
        elif node.op_type in ELEMENTWISE:
            for name in filter(None, node.input):
                self._all(zip(reversed(self._of(name)), reversed(self._of(result)), strict=False))
        else:
            names = [name for name in (*node.input, *node.output) if name]
            self._fixed.update(axis for name in names for axis in self._of(name))


def reduction_axes(index: Index, node: onnx.NodeProto) -> Iterator[tuple[Axis, Axis]]:
    """Pairs of axes of a reduction's operand and result."""
    name, result = node.input[0], node.output[0]
    rank = len(index.shape[name])
    gone = reduced_axes(index, node, rank)
    kept = len(index.shape[result]) == rank
    left = [axis for axis in range(rank) if axis not in gone]
    return (((name, axis), (result, axis if kept else number)) for number, axis in enumerate(left))
