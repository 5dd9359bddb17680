"""Elementary: the graph in the operators of the stack, which are element-wise ones, reductions, contractions and views.

OneHot(labels)              ->  Cast(Equal(labels as a column, 0 1 2 …))
GatherElements(x, column)   ->  ReduceSum(x * OneHot(column))     of one column
ReduceMean(x)               ->  ReduceSum(x) * 1/n
"""

from __future__ import annotations

from math import prod

import numpy as np
import onnx

from haribote.graph import Builder, Index, attributes, complete
from haribote.passes.cse import run as share
from haribote.passes.dead_code import remove_dead_code


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function; what has no rule here stays as it is."""
    writer = _Writer(model)
    for node in model.graph.node:
        writer.visit(node)
    remove_dead_code(writer.builder.model)
    return share(complete(writer.builder.model))


class _Writer:
    def __init__(self, model: onnx.ModelProto) -> None:
        self.index, self.builder = Index(model), Builder.like(model)

    def visit(self, node: onnx.NodeProto) -> None:
        """Write a node in elementary operators, or keep it."""
        rule = {"OneHot": self.one_hot, "GatherElements": self.pick_column, "ReduceMean": self.mean}.get(node.op_type)
        if rule is None or not rule(node):
            self.builder.keep(node)

    def one_hot(self, node: onnx.NodeProto) -> bool:
        """Ones and zeros along a new last axis."""
        shape, values = self.index.shape[node.output[0]], self.index.constants.get(node.input[2])
        last = attributes(node).get("axis", -1) in (-1, len(shape) - 1)
        if values is None or list(values) != [0, 1] or not last:
            return False
        self._compared(node.input[0], node.output[0], shape, self.index.dtype[node.output[0]])
        return True

    def _compared(self, labels: str, name: str, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> None:
        """1 where a column's number is the row's label, else 0."""
        op, classes = self.builder.op, shape[-1]
        numbers = self.builder.constant(np.arange(classes, dtype=self.index.dtype[labels]), f"numbers_{classes}")
        column = labels
        if self.index.shape[labels] != (*shape[:-1], 1):
            axes = self.builder.constant(np.array([len(shape) - 1], np.int64), f"axes_{len(shape) - 1}")
            column = op("Unsqueeze", labels, axes, name=f"{name}.labels")
        equal = op("Equal", column, numbers, name=f"{name}.equal")
        op("Cast", equal, name=name, reserved=True, to=onnx.helper.np_dtype_to_tensor_dtype(dtype))

    def pick_column(self, node: onnx.NodeProto) -> bool:
        """One element of every row, [n, 1], as a sum over the row in which the others are 0."""
        x, column, result = node.input[0], node.input[1], node.output[0]
        shape, asked = self.index.shape[x], self.index.shape[column]
        if len(shape) != 2 or attributes(node).get("axis", 0) not in (1, -1) or asked != (shape[0], 1):
            return False
        self._compared(column, f"{result}.onehot", shape, self.index.dtype[x])
        chosen = self.builder.op("Mul", x, f"{result}.onehot", name=f"{result}.chosen")
        axes = self.builder.constant(np.array([1], np.int64), "axes_1")
        self.builder.op("ReduceSum", chosen, axes, name=result, reserved=True, keepdims=1)
        return True

    def mean(self, node: onnx.NodeProto) -> bool:
        """A sum times 1/n."""
        x, result = node.input[0], node.output[0]
        count = prod(self.index.shape[x]) // max(prod(self.index.shape[result]), 1)
        total = self.builder.op("ReduceSum", *node.input, name=f"{result}.sum", **attributes(node))
        factor = self.builder.scalar(1 / count, self.index.dtype[x])
        self.builder.op("Mul", total, factor, name=result, reserved=True)
        return True
