"""Gradients of element-wise operators: what is chained, and summed where an input was broadcast.

Those of Relu and Add are exercises; all others stand in the operator's row in `haribote.core.elementwise`.
"""

from __future__ import annotations

from functools import partial

import onnx

from haribote.answers.ownership import exercise
from haribote.autodiff.rules import Backward, Gradients, gradient
from haribote.core.cells import trace
from haribote.core.elementwise import ELEMENTWISE, ROWS, given_or_default
from simulator.messages import tr


@gradient("Relu")
@exercise("2.1")
def relu(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad where y > 0, else 0."""
    raise NotImplementedError


@gradient("Add")
@exercise("2.2")
def add(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad for both; a bias gets the sum over the rows."""
    raise NotImplementedError


@gradient(*(row.name for row in ROWS if row.gradient))
def by_table(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """The gradient that the row of the operator has, summed where an operand was broadcast."""
    row, names = ELEMENTWISE[node.op_type], [grad, *node.input, node.output[0]]
    rules = row.gradient * len(node.input) if len(row.gradient) == 1 else row.gradient
    g.require(len(rules) == len(node.input), tr("it must have {rules} inputs", len(rules)))
    dtypes = [g.index.dtype[node.output[0]], *(g.index.dtype[name] for name in names[1:])]
    shape = g.shapes[node.output[0]]
    for rule, name in zip(rules, node.input, strict=True):
        if rule is None:
            yield None
            continue
        found = trace(partial(rule, **given_or_default(node)), dtypes)
        wide = "" if g.shapes[name] == shape else "wide"
        yield g.sum_to(g.expression(found, names, wide), name, shape)
