"""Join moves: a chain of operators that only move elements becomes at most one Slice, Gathers along axes and one Pad.

Every element is followed to where it comes from: the numbers of the elements go through the chain in place of the
elements. Where they come from one value, and along each axis independently of the others, that is

    result[i, j, ...] = value[rows[i], columns[j], ...]

with a number in place of those rows and columns that are padding. Other chains stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.graph import Builder, Index, clone, complete
from haribote.operators.reference import Compute, operators
from haribote.passes.dead_code import remove_dead_code

Numbers = NDArray[np.int64]
MOVERS = frozenset(
    ("Concat", "Expand", "Gather", "Pad", "Reshape", "Slice", "Squeeze", "Tile", "Transpose", "Unsqueeze")
)
BEFORE_ALL = -(2**31)
"""Where a Slice ends that goes down to the first element."""
LARGEST = 1 << 20
"""Elements of the largest value that is followed."""


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function, with fewer operators that move elements."""
    index, builder = Index(model), Builder.like(model)
    origins = Origins(index, operators(model))
    renamed: dict[str, str] = {}
    for node in model.graph.node:
        copy = clone(node)
        copy.input[:] = [renamed.get(name, name) for name in node.input]
        name = node.output[0]
        if origins.follow(node) > 1 and any(other.op_type not in MOVERS for other in index.consumers[name]):
            written = _written(builder, origins, name)
            if written:
                renamed[name] = written
        builder.keep(copy)
    remove_dead_code(builder.model)
    return complete(builder.model)


@dataclass
class Origins:
    """Where the elements of values come from.

    Elements of the values that no mover makes are numbered from 0 on, one value behind the other. -1 - k is the number
    `fills[k]`, which padding has put there.
    """

    index: Index
    compute: Compute
    numbers: dict[str, Numbers] = field(default_factory=dict)
    length: dict[str, int] = field(default_factory=dict)
    starts: list[int] = field(default_factory=lambda: [0])
    roots: list[str] = field(default_factory=list)
    fills: list[Any] = field(default_factory=list)

    def follow(self, node: onnx.NodeProto) -> int:
        """How many movers are behind a node's result, its own included; 0 where it is none, or cannot be followed."""
        name, data = node.output[0], self._data(node)
        others = [value for value in node.input if value and value not in data]
        if node.op_type not in MOVERS or not all(value in self.index.constants for value in others):
            return 0
        if prod(self.index.shape[name]) > LARGEST or any(self.index.dtype[value] == np.int64 for value in data):
            return 0
        given = [self._of(value) if value in data else self._constant(node, value) for value in node.input]
        self.numbers[name] = np.asarray(self.compute(node, given)[0], np.int64)
        self.length[name] = 1 + sum(self.length.get(value, 0) for value in dict.fromkeys(data))
        return self.length[name]

    def _data(self, node: onnx.NodeProto) -> Sequence[str]:
        return list(node.input if node.op_type == "Concat" else node.input[:1])

    def _constant(self, node: onnx.NodeProto, name: str) -> NDArray[Any] | None:
        if node.op_type == "Pad" and len(node.input) > 2 and name == node.input[2]:
            return np.array(self._fill(self.index.constants[name].item()))
        return self.index.constants[name] if name else None

    def _fill(self, number: Any) -> int:
        if number not in self.fills:
            self.fills.append(number)
        return -1 - self.fills.index(number)

    def _of(self, name: str) -> Numbers:
        """The numbers of a value's elements; a value that no mover makes gets its own."""
        if name not in self.numbers:
            shape, constant = self.index.shape[name], self.index.constants.get(name)
            if constant is not None and constant.size and (constant == constant.flat[0]).all():
                self.numbers[name] = np.full(shape, self._fill(constant.flat[0].item()), np.int64)
                return self.numbers[name]
            self.roots.append(name)
            self.numbers[name] = np.arange(prod(shape), dtype=np.int64).reshape(shape) + self.starts[-1]
            self.starts.append(self.starts[-1] + prod(shape))
        return self.numbers[name]

    def single(self, name: str) -> tuple[str, Numbers, Any] | None:
        """The one value that a value's elements come from, their numbers in it (-1 for padding), and the padding."""
        numbers = self.numbers[name]
        inside, outside = numbers[numbers >= 0], np.unique(numbers[numbers < 0])
        if not inside.size or len(outside) > 1:
            return None
        root = int(np.searchsorted(self.starts, inside.min(), "right")) - 1
        if inside.max() >= self.starts[root + 1]:
            return None
        fill = self.fills[int(-1 - outside[0])] if len(outside) else 0
        return self.roots[root], np.where(numbers >= 0, numbers - self.starts[root], -1), fill


def _written(builder: Builder, origins: Origins, name: str) -> str | None:
    """Write a value as moves of the one value that it comes from; its name, or None where that cannot be."""
    found = origins.single(name)
    if found is None:
        return None
    root, numbers, fill = found
    shape = origins.index.shape[root]
    axes = separated(numbers, shape)
    if axes is None:
        return None
    if not all(_together(rows) for rows in axes):
        return None
    inside = {axis: rows[rows >= 0] for axis, rows in enumerate(axes)}
    kinds = {axis: _kind(rows, shape[axis]) for axis, rows in inside.items()}
    result = _sliced(builder, root, {axis: inside[axis] for axis in inside if kinds[axis] == "Slice"}, name)
    for axis, rows in inside.items():
        if kinds[axis] == "Gather":
            result = builder.op("Gather", result, _whole(builder, rows, name), name=name, axis=axis)
    before = [int(np.argmax(rows >= 0)) for rows in axes]
    behind = [int(np.argmax(rows[::-1] >= 0)) for rows in axes]
    if any(before + behind):
        value = builder.constant(np.array(fill, origins.index.dtype[root]), f"{name}.fill")
        result = builder.op("Pad", result, _whole(builder, before + behind, name), value, name=name)
    return result


def _sliced(builder: Builder, value: str, rows: Mapping[int, Numbers], name: str) -> str:
    """A value with these places, equally far apart, of some axes."""
    if not rows:
        return value
    steps = {axis: _step(places) for axis, places in rows.items()}
    ends = [int(places[-1]) + (1 if steps[axis] > 0 else -1) for axis, places in rows.items()]
    parts = (
        [int(places[0]) for places in rows.values()],
        [end if end >= 0 else BEFORE_ALL for end in ends],
        list(rows),
        list(steps.values()),
    )
    return builder.op("Slice", value, *(_whole(builder, part, name) for part in parts), name=name)


def _together(rows: Numbers) -> bool:
    """Whether there is no padding between elements."""
    places = np.flatnonzero(rows >= 0)
    return bool(places[-1] - places[0] + 1 == len(places))


def separated(numbers: Numbers, shape: Sequence[int]) -> list[Numbers] | None:
    """For every axis the places along it, -1 for padding, if numbers are those of a value of that shape, so moved."""
    if numbers.ndim != len(shape) or not numbers.size:
        return None
    inside = numbers >= 0
    places = np.unravel_index(np.where(inside, numbers, 0), shape)
    axes: list[Numbers] = []
    for axis, place in enumerate(places):
        others = tuple(k for k in range(numbers.ndim) if k != axis)
        rows = np.where(inside, place, -1).max(axis=others)
        axes.append(rows.astype(np.int64))
    whole = np.zeros(numbers.shape, np.int64)
    padding = np.zeros(numbers.shape, np.bool_)
    for axis, rows in enumerate(axes):
        along = rows.reshape([-1 if k == axis else 1 for k in range(numbers.ndim)])
        whole = whole + along * prod(shape[axis + 1 :])
        padding = padding | (along < 0)
    return axes if (np.where(padding, -1, whole) == numbers).all() else None


def _kind(rows: Numbers, size: int) -> str:
    """What takes these places of an axis: nothing, where it is all of them in order."""
    if len(rows) == size and (rows == np.arange(size)).all():
        return ""
    return "Slice" if len(rows) == 1 or (len(set(np.diff(rows))) == 1 and _step(rows)) else "Gather"


def _step(rows: Numbers) -> int:
    return int(rows[1] - rows[0]) if len(rows) > 1 else 1


def _whole(builder: Builder, numbers: Sequence[int] | Numbers, name: str) -> str:
    return builder.constant(np.asarray(numbers, np.int64), f"{name}.numbers")
