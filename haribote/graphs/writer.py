"""What a rule that writes ONNX works with: a lowering rule of the front end, a gradient rule of `autodiff`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from haribote.errors import GraphError
from haribote.graph import Builder, Shape
from simulator.messages import tr

R = TypeVar("R")


class NodeWriter:
    """Adds nodes to a graph under the name of the value that the rule computes.

    Attributes:
        builder: the graph so far.
        shapes: of the values that a rule may read.
        result: the name that the rule's last node takes.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.shapes: dict[str, Shape] = {}
        self.result = ""

    def op(self, op_type: str, *inputs: str, part: str = "", **attributes: Any) -> str:
        """Add an ONNX node. `part` names a value on the way to the result: `<result>.<part>`.

        Raises GraphError for an input that is no name.
        """
        for value in inputs:
            if not isinstance(value, str):
                what = tr(
                    "{op_type} reads values by name, received {name} {value!r}", op_type, type(value).__name__, value
                )
                raise GraphError(
                    what, tr("g.builder.scalar(0.5), or g.number(0.5, like) in a gradient, for a constant")
                )
        return self.builder.op(op_type, *inputs, name=f"{self.result}.{part}" if part else self.result, **attributes)

    def shaped(self, x: str, shape: Sequence[int], **named: Any) -> str:
        """The same elements in another shape. named: as `op` takes it, part=… for instance."""
        return self.op("Reshape", x, self.ints(list(shape), "shape"), **named, **empty_axes(shape))

    def expression(self, found: Any, names: Sequence[str], part: str = "") -> str:
        """Add the nodes of an expression, a `haribote.core.cells.Cell`.

        names: the values that are its arguments; part: of its last node, see `op`.
        """

        def write(cell: Any, operands: list[str]) -> str:
            if cell.op == "number":
                return self.builder.scalar(cell.value, cell.dtype)
            return self.op(cell.op, *operands, part=part if cell is found else cell.op.lower())

        return str(found.at(names, write))

    def ints(self, values: list[int], part: str) -> str:
        """An int64 constant (a shape, a list of axes)."""
        return self.builder.constant(np.array(values, np.int64), f"{part}_{'x'.join(map(str, values))}")


def empty_axes(shape: Sequence[int]) -> dict[str, Any]:
    """Attributes of a Reshape to this shape: without them a 0 in it is the size that the axis had before."""
    return {"allowzero": 1} if 0 in shape else {}


def registering(rules: dict[Any, R]) -> Callable[..., Callable[[R], R]]:
    """A decorator that enters a function in a register, under the names that the decorator is given."""

    def naming(*names: Any) -> Callable[[R], R]:
        def register(function: R) -> R:
            rules.update(dict.fromkeys(names, function))
            return function

        return register

    return naming


def without_leading_ones(shape: Shape) -> Shape:
    """A shape from its first axis of more than one element on, to which the whole one broadcasts."""
    return shape[next((axis for axis, size in enumerate(shape) if size != 1), len(shape)) :]


Emitter = NodeWriter  # as answers name it that were written for the first edition
