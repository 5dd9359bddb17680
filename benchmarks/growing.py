"""A random graph as it grows, node by node, every value computed as it is added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.errors import GraphError
from haribote.graph import Builder, Index, evaluate

Array = NDArray[Any]
SIZES = (1, 2, 3, 4, 5, 7, 8, 10, 16, 16, 33, 64, 100)
MOST = 4096
"""Elements of a value at most."""
LARGEST = 1000.0
"""Largest absolute value."""
FLOAT, LABEL, COUNT, TRUTH = "float32", "int64", "int32", "bool"


@dataclass
class Grower:
    """A graph as it grows. values: of everything so far; exact: of which there is no rounding error."""

    random: Random
    builder: Builder = field(default_factory=lambda: Builder("g"))
    values: dict[str, Array] = field(default_factory=dict)
    feeds: dict[str, Array] = field(default_factory=dict)
    exact: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)

    def shape(self, rank: int | None = None, most: int = MOST) -> tuple[int, ...]:
        """A random shape."""
        rank = self.random.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)) if rank is None else rank
        while True:
            shape = tuple(self.random.choice(SIZES) for _ in range(rank))
            if np.prod(shape) <= most:
                return shape

    def input(self, shape: Sequence[int], dtype: str = FLOAT, below: int = 10, least: int = 0) -> str:
        """A new input, or a constant: multiples of 1/4 from -4 to 4, numbers from `least` to `below` - 1, or truths."""
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        if dtype == FLOAT:
            value: Array = (numbers.integers(-16, 17, shape) / 4).astype(np.float32)
        else:
            value = numbers.integers(*((0, 2) if dtype == TRUTH else (least, below)), shape).astype(dtype)
        return self.given(value)

    def given(self, value: Array) -> str:
        """A value from outside: mostly an input, now and then a constant."""
        known = self.random.random() < 0.2
        name = f"{'c' if known else 'x'}{len(self.values)}"
        self.values[name] = value
        self.exact.add(name)
        if known:
            return self.builder.constant(value, name)
        self.feeds[name] = value
        return self.builder.input(name, value.shape, value.dtype)

    def some(self, dtype: str = FLOAT, exact: bool = False, least: int = 0) -> str:
        """A value of this type with at least so many axes, a new one where there is none."""
        there = [name for name, value in self.values.items() if value.dtype == dtype and value.ndim >= least]
        there = [name for name in there if not exact or name in self.exact]
        if there and self.random.random() < 0.85:
            return self.random.choice(there[-3:])
        rank = max(least, self.random.choice((1, 2, 2, 3, 4)) if least else self.random.choice((0, 1, 2, 2, 3)))
        return self.input(self.shape(rank), dtype)

    def any(self, least: int = 0) -> str:
        """A value of any type, mostly a float."""
        return self.some(self.random.choice((FLOAT, FLOAT, FLOAT, FLOAT, LABEL, COUNT, TRUTH)), least=least)

    def beside(self, name: str, exact: bool = False) -> str:
        """A second operand that is broadcast with a value."""
        value = self.values[name]
        same = [n for n, v in self.values.items() if v.dtype == value.dtype and v.shape == value.shape]
        same = [n for n in same if not exact or n in self.exact]
        if same and self.random.random() < 0.5:
            return self.random.choice(same)
        shape = [size if self.random.random() < 0.7 else 1 for size in value.shape]
        shape = shape[self.random.choice((0, 0, 0, *range(len(shape) + 1))) :]
        return self.input(shape, value.dtype.name)

    def two(self, x: str, y: str) -> list[str]:
        """In either order."""
        return [x, y] if self.random.random() < 0.7 else [y, x]

    def axis(self, name: str) -> int:
        """An axis of a value."""
        return self.random.randrange(self.values[name].ndim)

    def said(self, name: str, axis: int) -> int:
        """An axis as it may be said: counted from either end."""
        return axis - self.random.choice((0, 0, self.values[name].ndim))

    def axes(self, name: str) -> list[int]:
        """Some axes of a value."""
        rank = self.values[name].ndim
        found = self.random.sample(range(rank), self.random.randint(1, rank))
        return [self.said(name, axis) for axis in found]

    def constant(self, *numbers: int) -> str:
        """A constant of whole numbers."""
        return self.builder.constant(np.array(numbers, np.int64), "k")

    def number(self, number: int) -> str:
        """A constant of rank 0."""
        return self.builder.constant(np.array(number, np.int64), "k")

    def add(self, op_type: str, *inputs: str, rounds: bool = False, outputs: int = 1, **given: Any) -> None:
        """A node. rounds: its results have a rounding error. Raises GraphError where they are not wanted."""
        first = f"v{len(self.values)}"
        names = [first, *(f"{first}_{number}" for number in range(1, outputs))]
        found = self._found(op_type, inputs, names, given)
        for value in found:
            if (
                value.size > MOST
                or value.size == 0
                or not np.isfinite(value).all()
                or np.abs(value * 1.0).max() > LARGEST
            ):
                raise GraphError("too large")
        self.builder.op(op_type, *inputs, name=first, reserved=True, **given)
        self.builder.model.graph.node[-1].output.extend(names[1:])
        self.values.update(zip(names, found, strict=True))
        self.read.update(inputs)
        own = {info.name for info in self.builder.model.graph.initializer}
        quarters = all(value.dtype.kind != "f" or (value * 64 == np.round(value * 64)).all() for value in found)
        if not rounds and quarters and all(operand in self.exact | own | {""} for operand in inputs):
            self.exact.update(names)

    def _found(self, op_type: str, inputs: Sequence[str], names: list[str], given: dict[str, Any]) -> list[Array]:
        """What a node gives."""
        trial = Builder(names[0])
        own = {info.name for info in self.builder.model.graph.initializer}
        trial.model.graph.initializer.extend(self.builder.model.graph.initializer)
        feeds = {operand: self.values[operand] for operand in inputs if operand and operand not in own}
        for operand, value in feeds.items():
            trial.input(operand, value.shape, value.dtype)
        trial.op(op_type, *inputs, name=names[0], **given)
        trial.model.graph.node[0].output.extend(names[1:])
        for name in names:
            trial.output(name)
        model = trial.finish()
        index = Index(model)
        try:
            found = evaluate(model, feeds)
        except (
            TypeError,
            ValueError,
            ArithmeticError,
            LookupError,
            AttributeError,
            RuntimeError,
            AssertionError,
        ) as error:
            raise GraphError("ONNX's reference cannot do it: scalars, axes of more than 64 elements") from error
        if any((index.shape[name], index.dtype[name]) != (found[name].shape, found[name].dtype) for name in names):
            raise GraphError("ONNX's reference gives another shape or type than ONNX's inference")
        return [found[name][()] for name in names]  # as they are between nodes, of rank 0 too
