"""Gradients of element-wise operators: what is chained, and summed where an input was broadcast."""

from __future__ import annotations

import onnx
from onnx import helper

from haribote.answers.ownership import exercise
from haribote.autodiff.rules import Backward, Gradients, gradient


@gradient("Identity")
def identity(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """The gradient itself."""
    yield grad


@gradient("Relu")
@exercise("2.1")
def relu(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad where y > 0, else 0."""
    x, y = node.input[0], node.output[0]
    positive = g.op("Greater", y, g.number(0, y), part="positive")
    to = helper.np_dtype_to_tensor_dtype(g.index.dtype[x])
    yield g.op("Mul", grad, g.op("Cast", positive, part="mask", to=to))


@gradient("Add")
@exercise("2.2")
def add(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad for both; a bias gets the sum over the rows."""
    shape = g.shapes[node.output[0]]
    yield g.sum_to(grad, node.input[0], shape)
    yield g.sum_to(grad, node.input[1], shape)


@gradient("Sub")
def sub(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad and -grad."""
    yield g.sum_to(grad, node.input[0], g.shapes[node.output[0]])
    yield g.broadcast_op("Neg", grad, target=node.input[1])


@gradient("Neg")
def neg(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """-grad."""
    yield g.op("Neg", grad)


@gradient("Mul")
def mul(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad times the other factor."""
    a, b = node.input
    yield g.broadcast_op("Mul", grad, b, target=a)
    yield g.broadcast_op("Mul", grad, a, target=b)


@gradient("Div")
def div(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """For y = a / b: grad / b, and -grad y / b."""
    a, b = node.input
    yield g.broadcast_op("Div", grad, b, target=a)
    share = g.op("Mul", g.op("Neg", grad, part="negative"), node.output[0], part="share")
    yield g.broadcast_op("Div", share, b, target=b)


@gradient("Exp")
def exp(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad y."""
    yield g.op("Mul", grad, node.output[0])


@gradient("Log")
def log(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad / x."""
    yield g.op("Div", grad, node.input[0])


@gradient("Tanh")
def tanh(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad (1 - y²)."""
    y = node.output[0]
    slope = g.op("Sub", g.number(1, y), g.op("Mul", y, y, part="square"), part="slope")
    yield g.op("Mul", grad, slope)


@gradient("Sigmoid")
def sigmoid(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad y (1 - y)."""
    y = node.output[0]
    slope = g.op("Mul", y, g.op("Sub", g.number(1, y), y, part="rest"), part="slope")
    yield g.op("Mul", grad, slope)
