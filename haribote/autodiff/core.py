"""Gradients of the core's operators: what moves elements, joins them, multiplies them, takes the largest."""

from __future__ import annotations

from math import prod

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.autodiff.rules import Backward, Gradients, gradient
from haribote.core.from_onnx.indexing import numbers_of
from haribote.core.operators import MOVERS
from haribote.stack.picks.indices import adjoint
from simulator.messages import tr

MOVES = sorted(MOVERS - {"Split", "Reshape", "Flatten", "Transpose"})


@gradient(*MOVES)
def move(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """What moves elements as constants say: each gets the sum of what came of it."""
    g.require(all(name in g.index.constants for name in node.input[1:] if name), tr("its indices must be constants"))
    yield _brought_back(g, grad, numbers_of(node, g.index), g.shapes[node.input[0]])


@gradient("Pick")
def pick(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """The same for elements by their numbers, which may be computed."""
    x, numbers = node.input
    shape = g.shapes[x]
    if numbers in g.index.constants:
        yield _brought_back(g, grad, g.index.constants[numbers], shape)
        return
    flat = g.ints([-1], "shape")
    zeros = g.builder.constant(np.zeros(prod(shape), g.index.dtype[x]), f"{g.result}.zeros")
    places, parts = g.op("Reshape", numbers, flat, part="places"), g.op("Reshape", grad, flat, part="parts")
    total = g.op("ScatterElements", zeros, places, parts, part="flat", axis=0, reduction="add")
    yield g.shaped(total, shape)


def _brought_back(g: Backward, grad: str, numbers: NDArray[np.int64], shape: tuple[int, ...]) -> str:
    """The sum of the gradients of all places to which an element went; numbers: of the elements that went there."""
    terms = adjoint(numbers, prod(shape))
    index = g.builder.constant(terms.reshape(len(terms), *shape), f"{g.result}.places")
    parts = g.op("Pick", grad, index, part="parts", fill=0.0)
    return g.op("ReduceSum", parts, g.ints([0], "axes"), keepdims=0)


@gradient("Concat")
def concat(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """To each part its own."""
    axis, start = g.attribute("axis", 0) % len(g.shapes[node.output[0]]), 0
    for name in node.input:
        end = start + g.shapes[name][axis]
        yield g.op("Slice", grad, g.ints([start], "at"), g.ints([end], "at"), g.ints([axis], "at"))
        start = end


@gradient("Einsum")
def einsum(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Of two operands: the gradient times the other one."""
    sides, _, result = g.attribute("equation", b"").decode().partition("->")
    first, _, second = sides.partition(",")
    own = all(len(set(side)) == len(side) and side.isalpha() for side in (first, second))
    g.require(
        own and {*first} <= {*second, *result} and {*second} <= {*first, *result}, tr("it must be a product of two")
    )
    a, b = node.input
    yield g.op("Einsum", grad, b, equation=f"{result},{second}->{first}")
    yield g.op("Einsum", grad, a, equation=f"{result},{first}->{second}")


@gradient("ReduceMax", "ReduceMin")
def extreme(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """To the elements that are the extreme, in equal shares, as PyTorch's amax does."""
    x, y = node.input[0], node.output[0]
    axes = g.axes(node)
    kept = [1 if axis in axes else size for axis, size in enumerate(g.shapes[x])]
    most, wide = g.shaped(y, kept, part="most"), g.shaped(grad, kept, part="wide")
    to = onnx.helper.np_dtype_to_tensor_dtype(g.index.dtype[x])
    hit = g.op("Cast", g.op("Equal", x, most, part="equal"), part="hit", to=to)
    count = g.op("ReduceSum", hit, g.ints(sorted(axes), "axes"), keepdims=1, part="count")
    yield g.op("Mul", hit, g.op("Div", wide, count, part="share"))
