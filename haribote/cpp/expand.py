"""Expand: operators without a C++ template are written in those that have one, by a rule here or by ONNX's own bodies.

BatchNormalization       a factor and an addend for every channel
InstanceNormalization    the same, with mean and variance of the image itself
Max, Min, Sum, Mean      of more than two values: one after another
Celu                     an Elu
Softmax, LogSoftmax      along another axis than the last: turned
convolution, pooling     of signals: as images of one row
DepthToSpace, …          Reshape and Transpose
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx

from haribote.cpp.operators import template  # noqa: F401  (its module registers all rules)
from haribote.cpp.rules import RULES
from haribote.graph import Builder, Index, attributes, clone, complete
from haribote.operators.functions import OPSET
from haribote.passes.dead_code import remove_dead_code
from haribote.stack.elementary.inline import inline
from haribote.stack.elementary.rules import batch_norm

Rule = Callable[[Builder, Index, onnx.NodeProto], bool]


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function; what has neither rule nor body stays as it is. Raises GraphError."""
    if not any(node.op_type in EXPANSIONS or node.op_type not in RULES for node in model.graph.node):
        return model
    model = inline(_with_defaults(_written(model)), _known)
    return _written(model)


def _known(node: onnx.NodeProto) -> bool:
    return node.op_type in RULES.keys() | EXPANSIONS.keys()


def _with_defaults(model: onnx.ModelProto) -> onnx.ModelProto:
    """Bodies read attributes that a node may leave out: they get their defaults."""
    model = clone(model)
    for node in model.graph.node:
        if not _known(node) and not node.domain and onnx.defs.has(node.op_type):
            given = attributes(node)
            for name, attribute in onnx.defs.get_schema(node.op_type, OPSET).attributes.items():
                if name not in given and attribute.default_value.type:
                    node.attribute.append(attribute.default_value)
    return model


def _written(model: onnx.ModelProto) -> onnx.ModelProto:
    builder, index = Builder.like(model), Index(model)
    for node in model.graph.node:
        rule = EXPANSIONS.get(node.op_type)
        if rule is None or not rule(builder, index, node):
            builder.keep(node)
    remove_dead_code(builder.model)
    return complete(builder.model)


def _chain(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """More than two values: the result of the first two with the third, and so on."""
    op_type, result = {"Sum": "Add", "Mean": "Add"}.get(node.op_type, node.op_type), node.output[0]
    if len(node.input) == 2 and op_type == node.op_type:
        return False
    total = node.input[0]
    for number, name in enumerate(node.input[1:]):
        total = builder.op(op_type, total, name, name=f"{result}.first{number + 2}")
    if node.op_type == "Mean":
        count = builder.constant(np.array(len(node.input), index.dtype[result]), f"{result}.count")
        builder.op("Div", total, count, name=result, reserved=True)
    else:
        builder.op("Identity", total, name=result, reserved=True)
    return True


def _celu(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """alpha * Elu(x / alpha); ONNX's own body makes a vector of a number."""
    x, result = node.input[0], node.output[0]
    alpha = builder.scalar(attributes(node).get("alpha", 1.0), index.dtype[x])
    part = builder.op("Div", x, alpha, name=f"{result}.part")
    builder.op("Mul", alpha, builder.op("Elu", part, name=f"{result}.elu"), name=result, reserved=True)
    return True


def _softmax(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    rank = len(index.shape[node.input[0]])
    axis = attributes(node).get("axis", -1) % max(rank, 1)
    if axis >= rank - 1:
        return False
    order = [other for other in range(rank) if other not in (axis, rank - 1)]
    order = [*order, rank - 1, axis]
    back = [order.index(position) for position in range(rank)]
    turned = builder.op("Transpose", node.input[0], name=f"{node.output[0]}.turned", perm=order)
    inner = builder.op(node.op_type, turned, name=f"{node.output[0]}.last", axis=-1)
    builder.op("Transpose", inner, name=node.output[0], reserved=True, perm=back)
    return True


def _instance_norm(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    x, result = node.input[0], node.output[0]
    rank = len(index.shape[x])
    axes = builder.constant(np.arange(2, rank), f"axes_2_{rank}")
    mean = builder.op("ReduceMean", x, axes, name=f"{result}.mean", keepdims=1)
    rest = builder.op("Sub", x, mean, name=f"{result}.rest")
    squares = builder.op("Mul", rest, rest, name=f"{result}.squares")
    variance = builder.op("ReduceMean", squares, axes, name=f"{result}.variance", keepdims=1)
    epsilon = builder.scalar(attributes(node).get("epsilon", 1e-5))
    root = builder.op("Sqrt", builder.op("Add", variance, epsilon, name=f"{result}.shifted"), name=f"{result}.root")
    behind = builder.constant(np.arange(1, rank - 1), f"axes_1_{rank - 1}")
    scale, bias = (
        builder.op("Unsqueeze", name, behind, name=f"{result}.{part}")
        for name, part in zip(node.input[1:], ("scale", "bias"), strict=True)
    )
    normal = builder.op("Div", rest, root, name=f"{result}.normal")
    scaled = builder.op("Mul", normal, scale, name=f"{result}.scaled")
    builder.op("Add", scaled, bias, name=result, reserved=True)
    return True


_OF_IMAGES = {"strides": [1], "dilations": [1], "kernel_shape": [1], "pads": [0, 0], "output_padding": [0]}
"""What each attribute is for the row that a signal becomes."""


def _signal(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """A signal [N, channels, length] is an image with one row."""
    if len(index.shape[node.input[0]]) != 3 or len(node.output) > 1:
        return False
    given, result = attributes(node), node.output[0]
    axis = builder.constant(np.array([2]), "axis_2")
    wide = [builder.op("Unsqueeze", name, axis, name=f"{result}.in{i}") for i, name in enumerate(node.input[:2])]
    for name, value in given.items():
        if name == "pads":
            given[name] = [0, value[0], 0, value[1]]
        elif name in _OF_IMAGES:
            given[name] = [*_OF_IMAGES[name], *value]
        elif isinstance(value, bytes):
            given[name] = value.decode()
    image = builder.op(node.op_type, *wide, *node.input[2:], name=f"{result}.image", **given)
    builder.op("Squeeze", image, axis, name=result, reserved=True)
    return True


def _blocks(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """DepthToSpace and SpaceToDepth: axes split, turned and joined."""
    given, result = attributes(node), node.output[0]
    size, (count, channels, height, width) = given["blocksize"], index.shape[node.input[0]]
    if node.op_type == "SpaceToDepth":
        split, order = (count, channels, height // size, size, width // size, size), [0, 3, 5, 1, 2, 4]
    elif given.get("mode", b"DCR") == b"DCR":
        split, order = (count, size, size, channels // size**2, height, width), [0, 3, 4, 1, 5, 2]
    else:
        split, order = (count, channels // size**2, size, size, height, width), [0, 1, 4, 2, 5, 3]
    parts = builder.constant(np.array(split), f"{result}.split")
    turned = builder.op("Reshape", node.input[0], parts, name=f"{result}.parts")
    turned = builder.op("Transpose", turned, name=f"{result}.turned", perm=order)
    whole = builder.constant(np.array(index.shape[result]), f"{result}.shape")
    builder.op("Reshape", turned, whole, name=result, reserved=True)
    return True


def _dropout(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """At inference nothing is dropped; a mask that nobody reads is left out."""
    training = index.constants.get(node.input[2]) if len(node.input) > 2 and node.input[2] else np.array(False)
    mask = [name for name in node.output[1:] if name and (index.consumers[name] or name in index.outputs)]
    if training is None or training.item() or mask:
        return False
    builder.op("Identity", node.input[0], name=node.output[0], reserved=True)
    return True


EXPANSIONS: dict[str, Rule] = {
    **dict.fromkeys(("Max", "Min", "Sum", "Mean"), _chain),
    **dict.fromkeys(("Softmax", "LogSoftmax"), _softmax),
    **dict.fromkeys(("Conv", "ConvTranspose", "MaxPool", "AveragePool"), _signal),
    **dict.fromkeys(("DepthToSpace", "SpaceToDepth"), _blocks),
    "BatchNormalization": batch_norm,
    "Celu": _celu,
    "Dropout": _dropout,
    "InstanceNormalization": _instance_norm,
}
"""Operator to its rule, which writes a node or says that it stays (False)."""
