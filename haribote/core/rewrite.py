"""Rewriting: rules, each of which writes one node in other nodes, applied until none fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import ArrayLike, DTypeLike

from haribote.core import checker
from haribote.errors import HariboteError
from haribote.graph import Builder, Index, attributes, complete
from haribote.graphs.pruning import remove_dead_code
from haribote.graphs.writer import NodeWriter
from simulator.messages import tr


class Rewriter(NodeWriter):
    """What a rule works with: the node that it writes in others, the graph as it was, and the new one so far.

    Every method that adds a node gives the name of its value: `part` makes it one on the way, `<result>.<part>`, and
    `name` one of exactly this name; without either it is the result.

    Attributes:
        node, given: the node and its attributes.
        index, shapes, dtypes: of the graph as it was.
        result: the node's first output that is not left out.
    """

    def __init__(self, builder: Builder, index: Index, node: onnx.NodeProto) -> None:
        super().__init__(builder)
        self.index, self.shapes, self.dtypes = index, index.shape, index.dtype
        self.node, self.given = node, attributes(node)
        self.result = next(filter(None, node.output))

    def of(self, node: onnx.NodeProto) -> Rewriter:
        """The same for another node in this one's place."""
        return Rewriter(self.builder, self.index, node)

    def op(self, op_type: str, *inputs: str, part: str = "", name: str = "", **attributes: Any) -> str:
        """Add an ONNX node."""
        return self.builder.op(op_type, *inputs, name=self._name(part, name), reserved=True, **attributes)

    def cast(self, x: str, dtype: DTypeLike, part: str = "", name: str = "") -> str:
        """The elements in another type."""
        return self.op("Cast", x, part=part, name=name, to=onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def reduced(
        self, op_type: str, x: str, axes: Sequence[int], part: str = "", name: str = "", keepdims: int = 0
    ) -> str:
        """A reduction of axes."""
        return self.op(op_type, x, self.ints(list(axes), "axes"), part=part, name=name, keepdims=keepdims)

    def wide(self, x: str, axes: Sequence[int], part: str) -> str:
        """A value with further axes of size 1."""
        return self.op("Unsqueeze", x, self.ints(list(axes), "axes"), part=part)

    def pick(self, x: str, numbers: ArrayLike, part: str = "", name: str = "", fill: float = 0.0) -> str:
        """The elements of these flat numbers, `fill` for -1."""
        if float(np.float32(fill)) != fill:  # a large integer: the operator's own fill is a single
            there = self.constant(np.asarray(numbers) >= 0, "there")
            picked, number = self.pick(x, numbers, part="picked"), self.number(fill, self.node.output[0])
            return self.op("Where", there, picked, number, part=part, name=name)
        name = self._name(part, name)
        narrow = np.asarray(numbers, np.int32)  # no value has 2^31 elements (`model_file.ELEMENTS`)
        index = self.builder.constant(narrow, f"{name}.index")
        return self.builder.op("Pick", x, index, name=name, reserved=True, fill=float(fill))

    def constant(self, value: ArrayLike, part: str) -> str:
        """A constant."""
        return self.builder.constant(np.asarray(value), f"{self.result}.{part}")

    def number(self, value: float, like: str = "") -> str:
        """A constant of shape [] and the dtype of a value, by default a single."""
        return self.builder.scalar(value, self.dtypes[like] if like else np.float32)

    def numbers(self, count: int, axis: int, rank: int, dtype: DTypeLike) -> str:
        """A constant 0, 1, 2, … along an axis, so that it broadcasts along the others."""
        along = np.arange(count, dtype=dtype).reshape([-1 if k == axis else 1 for k in range(rank)])
        return self.constant(along, "numbers")

    def times(self, x: str, matrix: str, axis: int, rank: int, part: str = "") -> str:
        """The product of an axis of a value with a matrix [new, old]."""
        letters = "abcdefgh"[:rank]
        equation = f"{letters},z{letters[axis]}->{letters.replace(letters[axis], 'z')}"
        return self.op("Einsum", x, matrix, part=part, equation=equation)

    def input(self, position: int) -> str:
        """An input of the node, "" for one that is left out."""
        return self.node.input[position] if position < len(self.node.input) else ""

    def maker(self, value: str, *op_types: str) -> onnx.NodeProto | None:
        """The node that makes a value, if it is one of these operators."""
        node = self.index.producer.get(value)
        return node if node is not None and node.op_type in op_types else None

    def is_known(self, *positions: int) -> bool:
        """Whether these inputs of the node are constants, as far as there are any."""
        return all(name in self.index.constants for name in map(self.input, positions) if name)

    def is_constant(self, value: str, number: float) -> bool:
        """Whether all elements of a value are known to be this number."""
        array = self.index.constants.get(value)
        return array is not None and bool((array == number).all())

    def is_float(self, value: str) -> bool:
        """Whether a value has floats."""
        return bool(np.issubdtype(self.dtypes[value], np.floating))

    def _name(self, part: str, name: str) -> str:
        return name or (self.builder.fresh(f"{self.result}.{part}") if part else self.result)


Rule = Callable[[Rewriter], str | bool]
"""Something true where it has added nodes that give the node's outputs; False where it has added none, and the node
stays."""
Step = Callable[[onnx.ModelProto], onnx.ModelProto | None]
"""A graph -> the graph that it becomes, None where it stays as it is."""
ROUNDS = 100
"""More rounds than any graph needs: rules that go on for so long undo each other."""


def once(model: onnx.ModelProto, rule: Rule) -> onnx.ModelProto | None:
    """The graph with every node that the rule writes written so; None where it writes none."""
    builder, index, changed = Builder.like(model), Index(model), False
    for node in model.graph.node:
        if rule(Rewriter(builder, index, node)):
            changed = True
        else:
            builder.keep(node)
    if not changed:
        return None
    remove_dead_code(builder.model)
    found = complete(builder.model)
    if checker.asked():
        checker.same_values(index, Index(found))
    return found


def to_fixed_point(model: onnx.ModelProto, *steps: Step) -> onnx.ModelProto:
    """The graph that no step changes any more; each gives a changed graph, or None.

    Raises HariboteError where there is no end to it.
    """
    for _ in range(ROUNDS):
        changed = False
        for step in steps:
            found = step(model)
            if found is not None:
                model, changed = found, True
        if not changed:
            return model
    raise HariboteError(
        tr("rules write each other's nodes for ever"), tr("a rule that gives only nodes nearer to the core")
    )
