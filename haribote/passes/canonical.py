"""Canonical form: of several ways to write the same computation, the one that later passes and kernels expect.

A lowering rule or a gradient may be written in many right ways: a layer as MatMul and Add in either order or as one
Gemm, a mask as Where or as a product. Here they become one, so that no later pass has to know the others.

    everywhere (`run`)                                       for the kernels (`for_kernels`)
    Gemm with bias, beta         ->  Gemm, Mul, Add          Gemm with alpha          ->  Gemm, Mul
    Add(bias, x)                 ->  Add(x, bias)            a + b, of one shape      ->  a - b * -1
    Add(x, Unsqueeze(bias))      ->  Add(x, bias)            Where(x > y, g, 0)       ->  g * Cast(x > y)
    Sum                          ->  Add                     Sign(Relu(x))            ->  Cast(Relu(x) > 0)
    a + Neg(b), a - Neg(b)       ->  a - b, a + b            Less, Not(LessOrEqual)   ->  Greater
    g - exp(y) * sum(g)          ->  LogSoftmaxGrad(g, y)    Max(x, 0), Clip(x, 0)    ->  Relu(x)
                                                             Neg(x)                   ->  x * -1

The rules for the kernels are right for finite values: a product with 0 is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto

from haribote.graph import Builder, Index, Shape, attributes, complete, put
from haribote.passes.dead_code import remove_dead_code

Rule = Callable[["Rewriter", onnx.NodeProto], bool]
"""Writes another form of a node, and says whether it has."""


class Rewriter:
    """The graph as it was, and the new one as far as it is written.

    Attributes:
        index: of the graph as it was.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        self.index, self._builder, self._node = Index(model), Builder.like(model), onnx.NodeProto()

    def apply(self, model: onnx.ModelProto, rules: dict[str, Sequence[Rule]]) -> onnx.ModelProto | None:
        """The graph with every node rewritten by the first rule that fits; None where none does."""
        changed = False
        for node in model.graph.node:
            self._node = node
            if node.domain == "" and any(rule(self, node) for rule in rules.get(node.op_type, ())):
                changed = True
            else:
                self._builder.keep(node)
        if not changed:
            return None
        remove_dead_code(self._builder.model)
        return complete(self._builder.model)

    def becomes(self, op_type: str, *inputs: str, **attrs: Any) -> bool:
        """Write the node's result as that of this operator; True."""
        self._builder.op(op_type, *inputs, name=self._node.output[0], reserved=True, **attrs)
        written = self._builder.model.graph.node[-1]
        for entry in self._node.metadata_props:
            put(written, entry.key, entry.value)
        return True

    def part(self, op_type: str, *inputs: str, part: str, **attrs: Any) -> str:
        """A value on the way to the node's result, `<result>.<part>`; its name."""
        return self._builder.op(op_type, *inputs, name=f"{self._node.output[0]}.{part}", **attrs)

    def scalar(self, value: float, like: str) -> str:
        """A constant of shape [] and the dtype of a value."""
        return self._builder.scalar(value, self.index.dtype[like])

    def maker(self, value: str, *op_types: str) -> onnx.NodeProto | None:
        """The node that makes a value, if it is one of these operators."""
        node = self.index.producer.get(value)
        return node if node is not None and node.op_type in op_types else None

    def is_constant(self, value: str, number: float) -> bool:
        """Whether all elements of a value are known to be this number."""
        array = self.index.constants.get(value)
        return array is not None and bool((array == number).all())

    def is_float(self, value: str) -> bool:
        """Whether a value has floats."""
        return bool(np.issubdtype(self.index.dtype[value], np.floating))


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph in canonical form: names of inputs and outputs stay. Expects constants folded (`fold_constants`)."""
    return _until_nothing_fits(model, EVERYWHERE)


def for_kernels(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph in operators for which the kernel table has rows, as far as a rule above says how."""
    return _until_nothing_fits(model, FOR_KERNELS)


def _until_nothing_fits(model: onnx.ModelProto, rules: dict[str, Sequence[Rule]]) -> onnx.ModelProto:
    while any(node.op_type in rules for node in model.graph.node):
        changed = Rewriter(model).apply(model, rules)
        if changed is None:
            break
        model = changed
    return model


def _product_and_sum(g: Rewriter, node: onnx.NodeProto) -> bool:
    """alpha A B + beta C, the sum by itself."""
    values = attributes(node)
    (a, b), c = node.input[:2], node.input[2] if len(node.input) > 2 else ""
    beta = values.pop("beta", None)
    if beta == 0 or not c:
        return (beta is not None or len(node.input) > 2) and g.becomes("Gemm", a, b, **values)
    product = g.part("Gemm", a, b, part="product", **values)
    if beta not in (None, 1.0):
        c = g.part("Mul", c, g.scalar(beta, a), part="bias")
    return g.becomes("Add", product, c)


def _scaled_product(g: Rewriter, node: onnx.NodeProto) -> bool:
    """alpha A B, the factor by itself."""
    values = attributes(node)
    alpha = values.pop("alpha", 1.0)
    if alpha == 1 or len(node.input) > 2:
        return False
    a, b = node.input
    return g.becomes("Mul", g.part("Gemm", a, b, part="product", **values), g.scalar(alpha, a))


def _larger_first(g: Rewriter, node: onnx.NodeProto) -> bool:
    """The operand that has the result's shape comes first, and a constant comes last."""
    (a, b), result = node.input, g.index.shape[node.output[0]]
    a_fits, b_fits = (g.index.shape[name] == result for name in (a, b))
    behind = (not a_fits and b_fits) or (a_fits and b_fits and a in g.index.constants and b not in g.index.constants)
    return behind and g.becomes(node.op_type, b, a)


def _plain_operands(g: Rewriter, node: onnx.NodeProto) -> bool:
    """Read what a Reshape or Expand before an operand reads, where broadcasting does the same."""
    result, sources = g.index.shape[node.output[0]], list(node.input)
    for position, name in enumerate(node.input):
        maker = g.maker(name, "Reshape", "Unsqueeze", "Squeeze", "Expand")
        if maker is None:
            continue
        source, others = maker.input[0], [other for other in node.input if other != name]
        shapes = [g.index.shape[other] for other in (source, *others)]
        if _same_when_broadcast(g.index.shape[source], g.index.shape[name], maker.op_type) and _fit(shapes, result):
            sources[position] = source
    return sources != list(node.input) and g.becomes(node.op_type, *sources)


def _same_when_broadcast(source: Shape, made: Shape, op_type: str) -> bool:
    """Whether an array of the one shape, broadcast further, is the same as that made of it."""
    if op_type == "Expand":
        return True
    return bool(source) and _without_leading_ones(source) == _without_leading_ones(made)


def _without_leading_ones(shape: Shape) -> Shape:
    first = next((axis for axis, size in enumerate(shape) if size != 1), len(shape))
    return shape[first:]


def _fit(shapes: Sequence[Shape], result: Shape) -> bool:
    return np.broadcast_shapes(*shapes) == result and any(shape == result for shape in shapes)


def _sum(g: Rewriter, node: onnx.NodeProto) -> bool:
    total, *others = node.input
    for number, other in enumerate(others[:-1], start=1):
        total = g.part("Add", total, other, part=f"sum{number}")
    return g.becomes("Add", total, others[-1]) if others else g.becomes("Identity", total)


def _add_negated(g: Rewriter, node: onnx.NodeProto) -> bool:
    a, b = node.input
    for kept, name in ((a, b), (b, a)):
        negated = g.maker(name, "Neg")
        if negated is not None:
            return g.becomes("Sub", kept, negated.input[0])
    return False


def _subtract_negated(g: Rewriter, node: onnx.NodeProto) -> bool:
    negated = g.maker(node.input[1], "Neg")
    return negated is not None and g.becomes("Add", node.input[0], negated.input[0])


def _less(g: Rewriter, node: onnx.NodeProto) -> bool:
    return g.becomes("Greater", *reversed(node.input))


def _greater_or_equal(g: Rewriter, node: onnx.NodeProto) -> bool:
    return g.becomes("LessOrEqual", *reversed(node.input))


def _relu(g: Rewriter, node: onnx.NodeProto) -> bool:
    """Max(x, 0), Max(0, x), Clip(x, min=0)."""
    if node.op_type == "Clip":
        bounds = [name for name in node.input[2:] if name]
        is_relu = len(node.input) > 1 and g.is_constant(node.input[1], 0) and not bounds
        return is_relu and g.is_float(node.input[0]) and g.becomes("Relu", node.input[0])
    if len(node.input) != 2:
        return False
    a, b = node.input
    for x, zero in ((a, b), (b, a)):
        if g.is_constant(zero, 0) and g.index.shape[x] == g.index.shape[node.output[0]] and g.is_float(x):
            return g.becomes("Relu", x)
    return False


def _log_softmax_grad(g: Rewriter, node: onnx.NodeProto) -> bool:
    """g - p * sum(g), p being the exponential of a LogSoftmax: what decomposing cross-entropy looks for."""
    grad, share = node.input[0], g.maker(node.input[1], "Mul")
    if share is None or len(g.index.shape[grad]) != 2:
        return False
    for p, total in (share.input, reversed(share.input)):
        power, row_sum = g.maker(p, "Exp"), g.maker(total, "ReduceSum")
        log_p = g.maker(power.input[0], "LogSoftmax") if power is not None else None
        if log_p is None or row_sum is None or row_sum.input[0] != grad or len(row_sum.input) < 2:
            continue
        axes = g.index.constants.get(row_sum.input[1])
        along_rows = attributes(log_p).get("axis", -1) in (-1, 1) and axes is not None and list(axes % 2) == [1]
        if along_rows and g.index.shape[total] == (g.index.shape[grad][0], 1):
            return g.becomes("LogSoftmaxGrad", grad, log_p.output[0])
    return False


def _times_minus_one(g: Rewriter, node: onnx.NodeProto) -> bool:
    x = node.input[0]
    return g.is_float(x) and g.becomes("Mul", x, g.scalar(-1, x))


def _difference(g: Rewriter, node: onnx.NodeProto) -> bool:
    """The sum of two matrices or two vectors, of which there is no kernel."""
    (a, b), (shape, other) = node.input, (g.index.shape[name] for name in node.input)
    if shape != other or not shape or not g.is_float(a) or {a, b} & g.index.constants.keys():
        return False
    scaled = g.maker(b, "Mul")
    if scaled is not None and scaled.input[1] in g.index.constants:
        factor = g.index.constants[scaled.input[1]]
        if factor.size == 1:
            scale = g.scalar(-float(factor.item()), b)
            return g.becomes("Sub", a, g.part("Mul", scaled.input[0], scale, part="scaled"))
    return g.becomes("Sub", a, g.part("Mul", b, g.scalar(-1, b), part="negated"))


def _mask(g: Rewriter, node: onnx.NodeProto) -> bool:
    """Where(c, x, 0) as x times 1.0 or 0.0."""
    condition, x, y = node.input
    if not g.is_float(x):
        return False
    opposite = g.maker(condition, "Not", "LessOrEqual")
    if opposite is not None:
        if opposite.op_type == "Not":
            return g.becomes("Where", opposite.input[0], y, x)
        return g.becomes("Where", g.part("Greater", *opposite.input, part="condition"), y, x)
    shape = g.index.shape[node.output[0]]
    if not g.is_constant(y, 0) or g.index.shape[condition] != shape:
        return False
    if g.is_constant(x, 1):
        return g.becomes("Cast", condition, to=TensorProto.FLOAT)
    if g.index.shape[x] not in (shape, ()):
        return False
    mask = g.part("Cast", condition, part="mask", to=TensorProto.FLOAT)
    return g.becomes("Mul", *((x, mask) if g.index.shape[x] else (mask, x)))


def _positive(g: Rewriter, node: onnx.NodeProto) -> bool:
    """Sign(Relu(x)): 1.0 where it is positive, else 0.0."""
    y = g.maker(node.input[0], "Relu")
    if y is None or not g.is_float(y.output[0]):
        return False
    positive = g.part("Greater", y.output[0], g.scalar(0, y.output[0]), part="positive")
    return g.becomes("Cast", positive, to=TensorProto.FLOAT)


def _not_less_or_equal(g: Rewriter, node: onnx.NodeProto) -> bool:
    opposite = g.maker(node.input[0], "LessOrEqual")
    return opposite is not None and g.becomes("Greater", *opposite.input)


EVERYWHERE: dict[str, Sequence[Rule]] = {
    "Gemm": (_product_and_sum,),
    "Add": (_add_negated, _plain_operands, _larger_first),
    "Mul": (_plain_operands, _larger_first),
    "Sub": (_subtract_negated, _plain_operands, _log_softmax_grad),
    "Sum": (_sum,),
}

FOR_KERNELS: dict[str, Sequence[Rule]] = {
    "Gemm": (_scaled_product,),
    "Neg": (_times_minus_one,),
    "Add": (_difference,),
    "Where": (_mask,),
    "Sign": (_positive,),
    "Max": (_relu,),
    "Clip": (_relu,),
    "Less": (_less,),
    "GreaterOrEqual": (_greater_or_equal,),
    "Not": (_not_less_or_equal,),
}
