"""Axes that are the same: those that some operator runs along together."""

from __future__ import annotations

from collections.abc import Iterator

import onnx

from haribote.graph import Index
from haribote.stack.planner.letters import letters_of
from haribote.stack.planner.reductions import reduced_axes

Axis = tuple[str, int]
"""A value and the number of an axis."""


class SameAxes:
    """Sets of axes that are the same: each set is known by the first of its axes."""

    def __init__(self) -> None:
        self._before: dict[Axis, Axis] = {}

    def first(self, axis: Axis) -> Axis:
        """Of the set of an axis."""
        while axis in self._before:
            axis = self._before[axis]
        return axis

    def join(self, one: Axis, other: Axis) -> None:
        """Let two sets be one, known as that of `one` was."""
        first, second = self.first(one), self.first(other)
        if first != second:
            self._before[second] = first


def product_axes(index: Index, node: onnx.NodeProto) -> Iterator[tuple[Axis, Axis]]:
    """Pairs of axes of a product's operands and result that have the same letter. Raises NotPlanned."""
    seen: dict[str, Axis] = {}
    for side, name in zip(letters_of(index, node), (*node.input, *node.output), strict=True):
        for axis, letter in enumerate(side):
            yield seen.setdefault(letter, (name, axis)), (name, axis)


def reduction_axes(index: Index, node: onnx.NodeProto) -> Iterator[tuple[Axis, Axis]]:
    """Pairs of axes of a reduction's operand and result. Raises NotPlanned."""
    name, result = node.input[0], node.output[0]
    rank = len(index.shape[name])
    gone = reduced_axes(index, node, rank)
    kept = len(index.shape[result]) == rank
    left = [axis for axis in range(rank) if axis not in gone]
    yield from (((name, axis), (result, axis if kept else number)) for number, axis in enumerate(left))
