"""Which axes of which values are cut alike: those that some operator runs along together."""

from __future__ import annotations

from collections.abc import Iterator

import onnx

from haribote.core.elementwise import ELEMENTWISE
from haribote.graph import Index, updates
from haribote.stack.planner.letters import PRODUCTS
from haribote.stack.planner.reductions import REDUCTIONS
from haribote.stack.planner.same_axes import Axis, SameAxes, product_axes, reduction_axes
from haribote.stack.planner.views import view_of


class Axes:
    """Groups of axes. `of` gives a group's name, one of its axes; None for an axis that cannot be cut."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.index = Index(model)
        self._same = SameAxes()
        self._fixed: set[Axis] = set()
        for node in model.graph.node:
            self._tie(node)
        for before, after in updates(model).items():
            self._all(zip(self._of(before), self._of(after), strict=True))
        self.whole = {self._same.first(axis) for axis in self._fixed}

    def of(self, name: str, axis: int) -> Axis | None:
        """The group of an axis."""
        found = self._same.first((name, axis))
        return None if found in self.whole or self.index.shape[name][axis] == 1 else found

    def groups(self, name: str) -> tuple[Axis | None, ...]:
        """The groups of all axes of a value."""
        return tuple(self.of(name, axis) for axis in range(len(self.index.shape[name])))

    def _of(self, name: str) -> list[Axis]:
        return [(name, axis) for axis in range(len(self.index.shape[name]))]

    def _all(self, pairs: Iterator[tuple[Axis, Axis]]) -> None:
        """Tie axes of the same length."""
        for one, other in pairs:
            if self.index.shape[one[0]][one[1]] == self.index.shape[other[0]][other[1]] != 1:
                self._same.join(other, one)

    def _tie(self, node: onnx.NodeProto) -> None:
        result = node.output[0]
        view = view_of(node, self.index)
        if view is not None:
            self._all(((view.root, axis), (result, number)) for number, axis in view.whole.items())
            self._fixed.update((result, number) for number in range(len(view.axes)) if number not in view.whole)
            seen = set(view.whole.values())
            self._fixed.update((view.root, axis) for axis in range(len(view.shape)) if axis not in seen)
        elif node.op_type in PRODUCTS:
            self._all(product_axes(self.index, node))
        elif node.op_type in REDUCTIONS:
            self._all(reduction_axes(self.index, node))
        elif node.op_type in ELEMENTWISE:
            for name in filter(None, node.input):
                self._all(zip(reversed(self._of(name)), reversed(self._of(result)), strict=False))
        else:
            names = [name for name in (*node.input, *node.output) if name]
            self._fixed.update(axis for name in names for axis in self._of(name))
