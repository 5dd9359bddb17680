"""Pad: every dimension grows to the machine's sizes, and the meaning stays (design.md, section 4, "Padding").

    dimension         padded to
    batch             a multiple of 256
    features          16, 1024, or a multiple of 1024
    hidden, classes   a multiple of 16

Padded inputs and weights are 0, the bias of a padded class is so low that its probability is exactly 0, and a padded
row has weight 0 in the loss and its gradient, while a real row keeps 1/N of the real N. So the gradient of a padded
entry is exactly 0, and a padded entry stays what it was for ever. Values of more than two axes stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from haribote.errors import GraphError
from haribote.graph import (
    PADDING,
    Array,
    Builder,
    Index,
    Shape,
    attributes,
    complete,
    metadata,
    set_metadata,
    tensor_info,
    updates,
)
from haribote.network import CLASS_BIAS
from haribote.passes.pad_sizes import ELEMENTWISE, Dimension, Sizes, same_dimensions
from simulator.messages import tr


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The padded graph. Its metadata `haribote.padding` tells how to pad the inputs and crop the outputs:
    {tensor: {"shape": [...], "padded": [...], "fill": v}} for every graph input and output.

    Args:
        model: a simplified training step or inference graph, before `decompose`.

    An operator without a rule, and one that would make padded entries other than 0, is computed on the values without
    their padding; the host does that.

    Raises:
        GraphError: inputs `x` and `labels` of other ranks than 2 and 1.
    """
    pad = _Padder(model)
    for node in model.graph.node:
        pad.visit(node)
    padded = complete(pad.builder.model)
    set_metadata(padded, padding=json.dumps(pad.metadata(padded)))
    return padded


def pad_inputs(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> dict[str, Array]:
    """The feeds of the unpadded graph, padded and cast for this one. A model without padding only casts.

    Raises:
        GraphError: an array has not the shape that the graph had before padding.
    """
    index, entries = Index(model), padding(model)
    return {name: pad_one(name, array, entries.get(name), index.dtype[name]) for name, array in feeds.items()}


def pad_one(name: str, array: Array, entry: dict[str, Any] | None, dtype: np.dtype[Any]) -> Array:
    """One input, padded by its entry of `padding` (None: only cast). Raises GraphError for another shape."""
    if entry is None:
        return array.astype(dtype, copy=False)
    if list(array.shape) != entry["shape"]:
        raise GraphError(
            tr("input {name!r} must have shape {entry}, received {shape}", name, entry["shape"], list(array.shape))
        )
    return _extend(array.astype(dtype, copy=False), entry["padded"], entry["fill"])


def crop_one(array: Array, entry: dict[str, Any] | None) -> Array:
    """One output, cut to the shape it had before padding; a view."""
    return array if entry is None else array[tuple(map(slice, entry["shape"]))]


def padding(model: onnx.ModelProto) -> dict[str, dict[str, Any]]:
    """The model's `haribote.padding`; empty for a graph that is not padded."""
    entries: dict[str, dict[str, Any]] = json.loads(metadata(model).get(PADDING, "{}"))
    return entries


class _Padder:
    """Copies a graph node by node, padded. empty: values whose padded rows, if they have any, are 0."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.sizes = Sizes(model)
        self.index = self.sizes.index
        self.updates = updates(model)
        self.builder = Builder.like(model)
        self.fill: dict[str, float] = {}
        self.empty = {*self.index.inputs, *self.index.constants}
        graph = self.builder.model.graph
        for info in graph.input:
            info.CopyFrom(tensor_info(info.name, self.sizes.padded(info.name), self.index.dtype[info.name]))
        for init in graph.initializer:
            value = self.index.constants[init.name]
            if value.shape != self.sizes.padded(init.name):
                init.CopyFrom(numpy_helper.from_array(_extend(value, self.sizes.padded(init.name), 0), init.name))

    def visit(self, node: onnx.NodeProto) -> None:
        """Write the node for the padded shapes."""
        if not self.has_rule(node):
            self.on_real_values(node)
            self.empty.update(node.output)
            return
        if self.leaves_rows_empty(node):
            self.empty.update(node.output)
        match node.op_type:
            case "LogSoftmax":
                self.log_softmax(node)
            case "NegativeLogLikelihoodLoss":
                self.loss(node)
            case "NLLLossGrad":
                self.loss_grad(node)
            case _:
                self.builder.keep(node)

    def has_rule(self, node: onnx.NodeProto) -> bool:
        """Whether the node may work on padded values."""
        same = same_dimensions(node, self.index)
        if same is None or not all(self.fits(a, b) for a, b in same):
            return False
        match node.op_type:
            case "LogSoftmax":
                shape, axis = self.index.shape[node.input[0]], attributes(node).get("axis", -1)
                return len(shape) == 2 and axis in (-1, 1) and self.is_only_for_the_loss(node.output[0])
            case "LogSoftmaxGrad" if self.sizes.grows((node.input[1], 1)):  # padded classes must be improbable
                maker = self.index.producer.get(node.input[1])
                return maker is not None and maker.op_type == "LogSoftmax" and self.has_rule(maker)
            case "Gemm":
                inner, _ = same[0]
                return not self.sizes.is_batch(inner) or not self.empty.isdisjoint(node.input)
            case "NLLLossGrad" if self.sizes.grows((node.output[0], 0)):
                scale = self.index.constants.get(node.input[0])
                return scale is not None and not scale.shape
            case "ReduceSum":
                x, y = node.input[0], node.output[0]
                return x in self.empty or not self.sizes.has_rows(x) or self.sizes.has_rows(y)
        return self.repeats(node) and self.keeps_zeros(node)

    def fits(self, a: Dimension, b: Dimension) -> bool:
        """Whether two dimensions that are the same one are padded alike."""
        return self.sizes.padded(a[0])[a[1]] == self.sizes.padded(b[0])[b[1]]

    def is_only_for_the_loss(self, log_p: str) -> bool:
        """Whether nothing sees the padded classes' log probabilities but what takes them for that."""
        if not self.sizes.grows((log_p, 1)):
            return True
        readers = {reader.op_type for reader in self.index.consumers[log_p]}
        return log_p not in self.index.outputs and readers <= {"NegativeLogLikelihoodLoss", "LogSoftmaxGrad"}

    def repeats(self, node: onnx.NodeProto) -> bool:
        """Whether what an element-wise node repeats along an axis is still one element there: padded, it is several, of
        which all but the first are 0."""
        if node.op_type not in ELEMENTWISE:
            return True
        shape, y = self.index.shape, node.output[0]
        ones = ((x, axis) for x in node.input for axis, size in enumerate(shape[x]) if size == 1)
        return not any(self.sizes.grows((x, axis)) and shape[y][axis - len(shape[x])] != 1 for x, axis in ones)

    def leaves_rows_empty(self, node: onnx.NodeProto) -> bool:
        """Whether the padded rows of what the node makes are 0."""
        constants = self.index.constants
        empty = [x in self.empty and self.sizes.has_rows(x) for x in node.input]
        match node.op_type:
            case "LogSoftmax":
                return False
            case "NLLLossGrad" | "NegativeLogLikelihoodLoss":
                return True
            case "LogSoftmaxGrad" | "ReduceSum":
                return empty[0]
            case "Mul" | "Gemm":
                return any(empty)
        zero = (x in constants and not constants[x].any() for x in node.input)
        return all(a or b for a, b in zip(empty, zero, strict=True))  # of zeros all of these make 0

    def keeps_zeros(self, node: onnx.NodeProto) -> bool:
        """Whether padded entries (of real rows) stay 0: not where a broadcast number is added or compared."""
        y = node.output[0]
        if node.op_type not in ("Add", "Sub", "Greater"):
            return True
        for name in node.input:
            if name in self.index.constants and not self.index.constants[name].any():
                continue
            own = {self.sizes.find((name, axis)) for axis in range(len(self.index.shape[name]))}
            for dimension in ((y, axis) for axis in range(len(self.index.shape[y]))):
                wider = self.sizes.grows(dimension) and not self.sizes.is_batch(dimension)
                if wider and self.sizes.find(dimension) not in own:
                    return False
        return True

    def on_real_values(self, node: onnx.NodeProto) -> None:
        """The node as it was, between Slices that take the padding off its operands and Pads that put it back."""
        inputs = [self.real(name) for name in node.input]
        kept = self.builder.keep(node, inputs)
        for position, name in enumerate(node.output):
            if not name:
                continue
            shape, padded = self.index.shape[name], self.sizes.padded(name)
            if shape != padded:
                kept.output[position] = kept.name = self.builder.fresh(f"{name}.real")
                behind = [after - before for before, after in zip(shape, padded, strict=True)]
                amounts = self.builder.constant(np.array([0] * len(shape) + behind, np.int64), f"{name}.pads")
                zero = self.builder.scalar(0, self.index.dtype[name])
                self.builder.op("Pad", kept.output[position], amounts, zero, name=name, reserved=True)

    def real(self, name: str) -> str:
        """An operand without its padding."""
        if not name or self.sizes.padded(name) == self.index.shape[name]:
            return name
        if name in self.index.constants:
            return self.builder.constant(self.index.constants[name], f"{name}.real")
        ends = self.builder.constant(np.array(self.index.shape[name], np.int64), f"{name}.shape")
        starts = self.builder.constant(np.zeros(len(self.index.shape[name]), np.int64), f"{name}.origin")
        return self.builder.op("Slice", name, starts, ends, name=f"{name}.cut")

    def log_softmax(self, node: onnx.NodeProto) -> None:
        """Give padded classes probability 0: by the last layer's bias, or by a constant that is added."""
        logits = node.input[0]
        if not self.sizes.grows((logits, 1)):
            self.builder.keep(node)
            return
        bias = self.class_bias(logits)
        if bias is not None:
            self.fill[bias] = self.fill[self.updates.get(bias, bias)] = CLASS_BIAS
            self.builder.keep(node)
            return
        real, padded = self.index.shape[logits][1], self.sizes.padded(logits)[1]
        mask = self.builder.constant(_extend(np.zeros(real, np.float32), (padded,), CLASS_BIAS), f"{logits}.class_bias")
        masked = self.builder.op("Add", logits, mask, name=f"{logits}.masked")
        self.builder.op("LogSoftmax", masked, name=node.output[0], reserved=True, axis=1)

    def class_bias(self, logits: str) -> str | None:
        """The bias parameter whose padded entries reach the padded classes, if they reach nothing else."""
        add = self.index.producer.get(logits)
        if add is None or add.op_type != "Add" or len(self.index.consumers[logits]) != 1 or not self.has_rule(add):
            return None
        for bias in add.input:
            others = [reader for reader in self.index.consumers[bias] if reader.name != add.name]
            is_update = all(o.op_type == "Sub" and o.output[0] == self.updates.get(bias) for o in others)
            if bias in self.index.inputs and self.index.shape[bias] == self.index.shape[logits][1:] and is_update:
                return str(bias)
        return None

    def loss(self, node: onnx.NodeProto) -> None:
        """The sum of the rows' losses, each with its weight: 1/N (or 1, for a sum), and 0 for a padded row."""
        labels, loss = node.input[1], node.output[0]
        if not self.sizes.grows((labels, 0)):
            self.builder.keep(node)
            return
        rows = self.index.shape[labels][0]
        weight = 1 / rows if attributes(node).get("reduction", b"mean") == b"mean" else 1.0
        weights = _extend(np.full(rows, weight, np.float32), self.sizes.padded(labels), 0)
        each = self.builder.op(node.op_type, *node.input, name=f"{loss}.each", reduction="none")
        weights_name = self.builder.constant(weights, f"{loss}.weights")
        weighted = self.builder.op("Mul", each, weights_name, name=f"{loss}.weighted")
        self.builder.op("ReduceSum", weighted, name=loss, reserved=True, keepdims=0)
        return None

    def loss_grad(self, node: onnx.NodeProto) -> None:
        """The scale of a padded row is 0."""
        (scale, labels), y = node.input, node.output[0]
        shape, padded = self.index.shape[y], self.sizes.padded(y)
        if padded[0] != shape[0]:
            rows = np.full((shape[0], padded[1]), self.index.constants[scale], np.float32)
            scale = self.builder.constant(_extend(rows, padded, 0), f"{scale}.rows")
        self.builder.op("NLLLossGrad", scale, labels, name=y, reserved=True, classes=padded[1])

    def metadata(self, padded: onnx.ModelProto) -> dict[str, Any]:
        """The entry `haribote.padding` of the padded model."""
        after = Index(padded)
        return {
            name: {"shape": self.index.shape[name], "padded": after.shape[name], "fill": self.fill.get(name, 0)}
            for name in [*self.index.inputs, *self.index.outputs]
        }


def _extend(array: Array, shape: Shape, fill: float) -> Array:
    """The array in the low corner of a larger one."""
    result = np.full(shape, fill, array.dtype)
    result[tuple(map(slice, array.shape))] = array
    return result
