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

The rules for the kernels count on a product with 0 to be 0, as it is on the machine, and on the host beside it
(`operators.mended.beside_the_machine`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx

from haribote.core import rewrite
from haribote.core.rewrite import Rewriter, Rule
from haribote.graph import Shape, attributes, put
from haribote.graphs.writer import without_leading_ones

Rules = Mapping[str, Sequence[Rule]]


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph in canonical form: names of inputs and outputs stay. Expects constants folded (`fold_constants`)."""
    return _until_nothing_fits(model, EVERYWHERE)


def for_kernels(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph in operators for which the kernel table has rows, as far as a rule above says how."""
    return _until_nothing_fits(model, FOR_KERNELS)


def _until_nothing_fits(model: onnx.ModelProto, rules: Rules) -> onnx.ModelProto:
    def written(g: Rewriter) -> bool:
        if g.node.domain or not any(rule(g) for rule in rules.get(g.node.op_type, ())):
            return False
        for entry in g.node.metadata_props:
            put(g.builder.model.graph.node[-1], entry.key, entry.value)
        return True

    if not any(node.op_type in rules for node in model.graph.node):
        return model
    return rewrite.to_fixed_point(model, lambda graph: rewrite.once(graph, written))


def _product_and_sum(g: Rewriter) -> str | bool:
    """alpha A B + beta C, the sum by itself."""
    values = dict(g.given)
    a, b, c = map(g.input, range(3))
    beta = values.pop("beta", None)
    if beta == 0 or not c:
        return (beta is not None or len(g.node.input) > 2) and g.op("Gemm", a, b, **values)
    product = g.op("Gemm", a, b, part="product", **values)
    if beta not in (None, 1.0):
        c = g.op("Mul", c, g.number(beta, a), part="bias")
    return g.op("Add", product, c)


def _scaled_product(g: Rewriter) -> str | bool:
    """alpha A B, the factor by itself."""
    values = dict(g.given)
    alpha = values.pop("alpha", 1.0)
    if alpha == 1 or len(g.node.input) > 2:
        return False
    a, b = g.node.input
    return g.op("Mul", g.op("Gemm", a, b, part="product", **values), g.number(alpha, a))


def _larger_first(g: Rewriter) -> str | bool:
    """The operand that has the result's shape comes first, and a constant comes last."""
    (a, b), result = g.node.input, g.shapes[g.result]
    a_fits, b_fits = (g.shapes[name] == result for name in (a, b))
    behind = (not a_fits and b_fits) or (a_fits and b_fits and a in g.index.constants and b not in g.index.constants)
    return behind and g.op(g.node.op_type, b, a)


def _plain_operands(g: Rewriter) -> str | bool:
    """Read what a Reshape or Expand before an operand reads, where broadcasting does the same."""
    result, sources = g.shapes[g.result], list(g.node.input)
    for name in g.node.input:
        maker = g.maker(name, "Reshape", "Unsqueeze", "Squeeze", "Expand")
        if maker is None or not _same_when_broadcast(g.shapes[maker.input[0]], g.shapes[name], maker.op_type):
            continue
        plainer = [maker.input[0] if other == name else other for other in sources]
        if _fit([g.shapes[other] for other in plainer], result):  # beside what is plainer already
            sources = plainer
    return sources != list(g.node.input) and g.op(g.node.op_type, *sources)


def _same_when_broadcast(source: Shape, made: Shape, op_type: str) -> bool:
    """Whether an array of the one shape, broadcast further, is the same as that made of it."""
    if op_type == "Expand":
        return True
    return bool(source) and without_leading_ones(source) == without_leading_ones(made)


def _fit(shapes: Sequence[Shape], result: Shape) -> bool:
    return np.broadcast_shapes(*shapes) == result and any(shape == result for shape in shapes)


def _sum(g: Rewriter) -> str | bool:
    total, *others = g.node.input
    for number, other in enumerate(others[:-1], start=1):
        total = g.op("Add", total, other, part=f"sum{number}")
    return g.op("Add", total, others[-1]) if others else g.op("Identity", total)


def _add_negated(g: Rewriter) -> str | bool:
    a, b = g.node.input
    for kept, name in ((a, b), (b, a)):
        negated = g.maker(name, "Neg")
        if negated is not None:
            return g.op("Sub", kept, negated.input[0])
    return False


def _subtract_negated(g: Rewriter) -> str | bool:
    negated = g.maker(g.node.input[1], "Neg")
    return negated is not None and g.op("Add", g.node.input[0], negated.input[0])


def _turned_round(op_type: str) -> Rule:
    """The same as another comparison of the operands in the other order."""
    return lambda g: g.op(op_type, *reversed(g.node.input))


def _relu(g: Rewriter) -> str | bool:
    """Max(x, 0), Max(0, x), Clip(x, min=0)."""
    if g.node.op_type == "Clip":
        bounds = [name for name in g.node.input[2:] if name]
        is_relu = len(g.node.input) > 1 and g.is_constant(g.node.input[1], 0) and not bounds
        return is_relu and g.is_float(g.node.input[0]) and g.op("Relu", g.node.input[0])
    if len(g.node.input) != 2:
        return False
    a, b = g.node.input
    for x, zero in ((a, b), (b, a)):
        if g.is_constant(zero, 0) and g.shapes[x] == g.shapes[g.result] and g.is_float(x):
            return g.op("Relu", x)
    return False


def _log_softmax_grad(g: Rewriter) -> str | bool:
    """g - p * sum(g), p being the exponential of a LogSoftmax: what decomposing cross-entropy looks for."""
    grad, share = g.node.input[0], g.maker(g.node.input[1], "Mul")
    if share is None or len(g.shapes[grad]) != 2:
        return False
    for p, total in (share.input, reversed(share.input)):
        power, row_sum = g.maker(p, "Exp"), g.maker(total, "ReduceSum")
        log_p = g.maker(power.input[0], "LogSoftmax") if power is not None else None
        if log_p is None or row_sum is None or row_sum.input[0] != grad or len(row_sum.input) < 2:
            continue
        axes = g.index.constants.get(row_sum.input[1])
        along_rows = attributes(log_p).get("axis", -1) in (-1, 1) and axes is not None and list(axes % 2) == [1]
        if along_rows and g.shapes[total] == (g.shapes[grad][0], 1):
            return g.op("LogSoftmaxGrad", grad, log_p.output[0])
    return False


def _times_minus_one(g: Rewriter) -> str | bool:
    x = g.node.input[0]
    return g.is_float(x) and g.op("Mul", x, g.number(-1, x))


def _difference(g: Rewriter) -> str | bool:
    """The sum of two matrices or two vectors, of which there is no kernel."""
    (a, b), (shape, other) = g.node.input, (g.shapes[name] for name in g.node.input)
    if shape != other or not shape or not g.is_float(a) or {a, b} & g.index.constants.keys():
        return False
    scaled = g.maker(b, "Mul")
    if scaled is not None and scaled.input[1] in g.index.constants:
        factor = g.index.constants[scaled.input[1]]
        if factor.size == 1:
            scale = g.number(-float(factor.item()), b)
            return g.op("Sub", a, g.op("Mul", scaled.input[0], scale, part="scaled"))
    return g.op("Sub", a, g.op("Mul", b, g.number(-1, b), part="negated"))


def _mask(g: Rewriter) -> str | bool:
    """Where(c, x, 0) as x times 1.0 or 0.0."""
    condition, x, y = g.node.input
    if not g.is_float(x):
        return False
    opposite = g.maker(condition, "Not", "LessOrEqual")
    if opposite is not None:
        if opposite.op_type == "Not":
            return g.op("Where", opposite.input[0], y, x)
        return g.op("Where", g.op("Greater", *opposite.input, part="condition"), y, x)
    shape = g.shapes[g.result]
    if not g.is_constant(y, 0) or g.shapes[condition] != shape:
        return False
    if g.is_constant(x, 1):
        return g.cast(condition, np.float32)
    if g.shapes[x] not in (shape, ()):
        return False
    mask = g.cast(condition, np.float32, "mask")
    return g.op("Mul", *((x, mask) if g.shapes[x] else (mask, x)))


def _positive(g: Rewriter) -> str | bool:
    """Sign(Relu(x)): 1.0 where it is positive, else 0.0."""
    y = g.maker(g.node.input[0], "Relu")
    if y is None or not g.is_float(y.output[0]):
        return False
    positive = g.op("Greater", y.output[0], g.number(0, y.output[0]), part="positive")
    return g.cast(positive, np.float32)


def _not_less_or_equal(g: Rewriter) -> str | bool:
    opposite = g.maker(g.node.input[0], "LessOrEqual")
    return opposite is not None and g.op("Greater", *opposite.input)


EVERYWHERE: Rules = {
    "Gemm": (_product_and_sum,),
    "Add": (_add_negated, _plain_operands, _larger_first),
    "Mul": (_plain_operands, _larger_first),
    "Sub": (_subtract_negated, _plain_operands, _log_softmax_grad),
    "Sum": (_sum,),
}

FOR_KERNELS: Rules = {
    "Gemm": (_scaled_product,),
    "Neg": (_times_minus_one,),
    "Add": (_difference,),
    "Where": (_mask,),
    "Sign": (_positive,),
    "Max": (_relu,),
    "Clip": (_relu,),
    "Less": (_turned_round("Greater"),),
    "GreaterOrEqual": (_turned_round("LessOrEqual"),),
    "Not": (_not_less_or_equal,),
}
