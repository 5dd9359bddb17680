"""Values that are others under another name: transposed, reshaped, squeezed. They cost nothing but bits renamed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

import onnx

from haribote.graph import Index, attributes
from haribote.stack.maps import BitMap
from haribote.stack.plan import Version

Shape = tuple[int, ...]


@dataclass(frozen=True)
class View:
    """A value as another. order: axis k of the view is axis order[k] of the root; -1 an axis of size 1."""

    root: str
    order: tuple[int, ...]

    @lru_cache(maxsize=1 << 12)  # noqa: B019 (views are few and live as long as their graph)
    def version(self, name: str, found: Version) -> Version:
        """The view's version that lies where a version of the root does."""
        sizes = [found.split[axis] if axis >= 0 else (1,) for axis in self.order]
        return replace(found, value=name, map=_permuted(found, sizes, self.order), split=tuple(sizes))

    def inverse(self, root_shape: Shape, wanted: Version) -> Version:
        """The root's version that lies where a version of the view does."""
        back = [self.order.index(axis) if axis in self.order else -1 for axis in range(len(root_shape))]
        sizes = [wanted.split[axis] if axis >= 0 else (1,) for axis in back]
        return replace(wanted, value=self.root, map=_permuted(wanted, sizes, back), split=tuple(sizes))


def _permuted(found: Version, split: list[Shape], order: tuple[int, ...] | list[int]) -> BitMap:
    """The map with its axes in another order."""
    starts: list[list[range]] = []
    number = 0
    for sizes in found.split:
        starts.append([found.map.axes[number + k] for k in range(len(sizes))])
        number += len(sizes)
    shape = tuple(size for sizes in split for size in sizes)
    target = BitMap(found.map.memory, shape, ()).axes
    renamed: dict[int, int] = {}
    place = 0
    for sizes, axis in zip(split, order, strict=True):
        for k in range(len(sizes)):
            if axis >= 0:
                renamed |= dict(zip(starts[axis][k], target[place + k], strict=True))
        place += len(sizes)
    table = {bit: renamed.get(carry, carry) for bit, carry in found.map.carries}
    return BitMap.of(found.map.memory, shape, table)


def view_of(node: onnx.NodeProto, index: Index) -> View | None:
    """What a node gives as a view of its first input; None where it moves elements or computes."""
    source, target = index.shape[node.input[0]], index.shape[node.output[0]]
    match node.op_type:
        case "Transpose":
            order = attributes(node).get("perm") or list(reversed(range(len(source))))
            return View(node.input[0], tuple(order))
        case "Identity":
            return View(node.input[0], tuple(range(len(source))))
        case "Reshape" | "Squeeze" | "Unsqueeze" | "Flatten":
            return _reshaped(node.input[0], source, target)
    return None


def _reshaped(name: str, source: Shape, target: Shape) -> View | None:
    """A reshape that only adds or drops axes of size 1."""
    large = [axis for axis, size in enumerate(source) if size != 1]
    if prod(source) != prod(target) or [source[axis] for axis in large] != [size for size in target if size != 1]:
        return None
    left = iter(large)
    return View(name, tuple(next(left) if size != 1 else -1 for size in target))


def views_of(model: onnx.ModelProto, index: Index) -> Mapping[str, View]:
    """All views of a graph, of values that are none themselves."""
    found: dict[str, View] = {}
    for node in model.graph.node:
        view = view_of(node, index) if node.input and node.input[0] else None
        if view is None:
            continue
        inner = found.get(view.root)
        if inner is not None:
            view = View(inner.root, tuple(inner.order[axis] if axis >= 0 else -1 for axis in view.order))
        found[node.output[0]] = view
    return found
