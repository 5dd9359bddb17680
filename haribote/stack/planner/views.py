"""Values that are others under another name: transposed, reshaped, squeezed. They cost nothing but bits renamed.

A reshape is one where axes are cut, or joined, at bits of the index: 28 is 14x2 and 12x16 is 192, but 4x7 is not 28,
since the 7 is padded to 8 places before it is counted on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import NamedTuple

import onnx

from haribote.graph import Index, turned
from haribote.stack.maps import BitMap, axis_bits
from haribote.stack.plan import Version

Shape = tuple[int, ...]
Split = tuple[Shape, ...]


class Part(NamedTuple):
    """The index bits of an axis from `start` on that count to `size`."""

    axis: int
    start: int
    size: int

    @property
    def width(self) -> int:
        """How many bits."""
        return axis_bits(self.size)


Parts = tuple[Part, ...]


@dataclass(frozen=True)
class AxisView:
    """A value as another. shape: of the root. axes: of which parts of its axes each axis of the view is made, slowest
    first; none for an axis of size 1.
    """

    root: str
    shape: Shape
    axes: tuple[Parts, ...]

    @staticmethod
    def of(root: str, shape: Shape, order: Sequence[int]) -> AxisView:
        """Axis k of the view is axis order[k] of the root, -1 an axis of size 1."""
        return AxisView(root, shape, tuple((Part(axis, 0, shape[axis]),) if axis >= 0 else () for axis in order))

    @cached_property
    def whole(self) -> dict[int, int]:
        """The axes of the view that are an axis of the root, and which."""
        return {
            number: parts[0].axis
            for number, parts in enumerate(self.axes)
            if len(parts) == 1 and parts[0].size == self.shape[parts[0].axis]
        }

    @cached_property
    def _versions(self) -> dict[tuple[str, Version], Version | None]:
        return {}

    def version(self, name: str, found: Version) -> Version | None:
        """The view's version that lies where a version of the root does; None where that splits an axis otherwise. One
        object for each: the planner asks for them again and again."""
        key = name, found
        if key not in self._versions:
            self._versions[key] = self._version(name, found)
        return self._versions[key]

    def _version(self, name: str, found: Version) -> Version | None:
        cut = {part.axis for number, parts in enumerate(self.axes) if number not in self.whole for part in parts}
        if any(len(found.split[axis]) > 1 for axis in cut):
            return None
        own = _axis_bits(found)
        split: list[Shape] = []
        bits: list[list[int]] = []
        for number, parts in enumerate(self.axes):
            whole = self.whole.get(number)
            split.append((prod(part.size for part in parts),) if whole is None else found.split[whole])
            taken = [own[part.axis][part.start : part.start + part.width] for part in reversed(parts)]
            bits.append(own[whole] if whole is not None else [bit for part in taken for bit in part])
        return _renamed(found, name, tuple(split), bits)

    def inverse(self, wanted: Version) -> Version | None:
        """The root's version that lies where a version of the view does; None where that splits an axis otherwise."""
        if any(len(parts) > 1 for number, parts in enumerate(wanted.split) if number not in self.whole):
            return None
        own = _axis_bits(wanted)
        split: list[Shape] = [(size,) for size in self.shape]
        bits = [[-1] * axis_bits(size) for size in self.shape]
        for number, parts in enumerate(self.axes):
            whole = self.whole.get(number)
            if whole is not None:
                split[whole], bits[whole] = wanted.split[number], own[number]
                continue
            left = list(own[number])
            for part in reversed(parts):
                bits[part.axis][part.start : part.start + part.width] = left[: part.width]
                del left[: part.width]
        return _renamed(wanted, self.root, tuple(split), bits)

    def seen_through(self, inner: AxisView) -> AxisView:
        """The same as a view of what its root is a view of."""
        axes = []
        for parts in self.axes:
            found: list[Part] = []
            for part in parts:
                found += _slice(inner.axes[part.axis], part)
            axes.append(_joined(found))
        return AxisView(inner.root, inner.shape, tuple(axes))


def _axis_bits(version: Version) -> list[list[int]]:
    """The index bits of a version's map along every axis of the value, lowest first."""
    found, number = [], 0
    for sizes in version.split:
        parts = [version.map.axes[number + k] for k in range(len(sizes))]
        found.append([bit for part in reversed(parts) for bit in part])
        number += len(sizes)
    return found


def _renamed(version: Version, name: str, split: Split, bits: Sequence[Sequence[int]]) -> Version:
    """A version of another value in the same place; bits: of the map that stand for those of each axis."""
    shape = tuple(size for sizes in split for size in sizes)
    target = [bit for axis in reversed(BitMap(version.map.memory, shape, ()).axes) for bit in axis]
    source = [bit for axis in reversed(bits) for bit in axis]
    names = dict(zip(source, target, strict=True))
    return replace(version, value=name, map=version.map.renamed(shape, names), split=split)


def _slice(parts: Parts, wanted: Part) -> list[Part]:
    """The bits of an axis of these parts that a part of it has."""
    found: list[Part] = []
    low, end = 0, wanted.start + wanted.width
    for part in reversed(parts):
        first, last = max(wanted.start - low, 0), min(end - low, part.width)
        if first < last:
            size = part.size >> first if last == part.width else 1 << last - first
            found.insert(0, Part(part.axis, part.start + first, size))
        low += part.width
    return found


def _joined(parts: Sequence[Part]) -> Parts:
    """Neighbouring bits of one axis as one part."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if last is not None and last.axis == part.axis and last.start == part.start + part.width:
            found[-1] = Part(part.axis, part.start, last.size << part.width)
        else:
            found.append(part)
    return tuple(found)


def view_of(node: onnx.NodeProto, index: Index) -> AxisView | None:
    """What a node gives as a view of its first input; None where it moves elements or computes."""
    if not node.output[0] or not node.input or not node.input[0]:  # optional ones that are left out
        return None
    source, target = index.shape[node.input[0]], index.shape[node.output[0]]
    match node.op_type:
        case "Transpose":
            return AxisView.of(node.input[0], source, turned(node, len(source)))
        case "Identity":
            return AxisView.of(node.input[0], source, range(len(source)))
        case "Reshape" | "Squeeze" | "Unsqueeze" | "Flatten":
            return _reshaped(node.input[0], source, target)
    return None


def _reshaped(name: str, source: Shape, target: Shape) -> AxisView | None:
    """A reshape that cuts and joins axes at bits of the index; None for others."""
    if prod(source) != prod(target) or not prod(source):
        return None
    axes: list[list[Part]] = [[] for _ in target]
    left = [(axis, size) for axis, size in enumerate(source) if size != 1]
    start = 0
    for number in reversed(range(len(target))):
        size = target[number]
        while size != 1:
            axis, there = left[-1]
            both = min(size, there)
            if size % both or there % both or (size != there and both & (both - 1)):
                return None
            axes[number].insert(0, Part(axis, start, both))
            size, there, start = size // both, there // both, start + axis_bits(both)
            left[-1] = axis, there
            if there == 1:
                left.pop()
                start = 0
    return AxisView(name, source, tuple(_joined(parts) for parts in axes))


def views_of(model: onnx.ModelProto, index: Index) -> dict[str, AxisView]:
    """All views of a graph, of values that are none themselves."""
    found: dict[str, AxisView] = {}
    for node in model.graph.node:
        view = view_of(node, index)
        if view is None:
            continue
        inner = found.get(view.root)
        found[node.output[0]] = view if inner is None else view.seen_through(inner)
    return found
