"""Expand: what has no C++ template is written in the core, by the same rules as for the chip (`core.from_onnx`)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import onnx

from haribote.core.elementwise import ROWS
from haribote.core.from_onnx import lower
from haribote.core.from_onnx.indexing import moved
from haribote.core.operators import MOVERS
from haribote.cpp.operators import template
from haribote.errors import UnsupportedOp
from haribote.graph import Builder, Index, attributes

WITHOUT_TEMPLATE = frozenset(row.name for row in ROWS if not row.cpp)
"""Element-wise operators that ONNX's function bodies are written for."""


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function; what has neither template, rule nor body stays as it is. Raises GraphError."""
    index = Index(model)
    if all(has_template(node, index) for node in model.graph.node):
        return model
    more = {"Einsum": _product} | dict.fromkeys(MOVERS, moved)
    return lower(model, has_template, more, WITHOUT_TEMPLATE)


def has_template(node: onnx.NodeProto, index: Index) -> bool:
    """Whether C++ does a node as it is."""
    try:
        template(node, index, "packed")
    except UnsupportedOp:
        return False
    return True


def _product(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """An Einsum of two operands as one product of matrices, or of stacks of them."""
    sides, result = attributes(node)["equation"].decode().split("->")
    first, second = sides.split(",")
    sizes = {x: size for side, name in zip((first, second), node.input, strict=True)
             for x, size in zip(side, index.shape[name], strict=True)}  # fmt: skip
    stack = [x for x in result if x in first and x in second]
    rows = [x for x in result if x not in second]
    columns = [x for x in result if x not in first]
    depth = [x for x in first if x not in result]
    target = node.output[0]

    def size(letters: Iterable[str]) -> int:
        return int(np.prod([sizes[x] for x in letters], dtype=np.int64))

    def turned(value: str, have: str, want: list[str], name: str, reserved: bool = False) -> str:
        order = [have.index(x) for x in want]
        if order == sorted(order):
            return builder.op("Identity", value, name=name, reserved=reserved)
        return builder.op("Transpose", value, name=name, reserved=reserved, perm=order)

    def shaped(value: str, shape: list[int], name: str) -> str:
        return builder.op("Reshape", value, builder.constant(np.array(shape, np.int64), f"{name}.shape"), name=name)

    outer = [size(stack)] if stack else []
    a = turned(node.input[0], first, [*stack, *rows, *depth], f"{target}.first")
    b = turned(node.input[1], second, [*stack, *depth, *columns], f"{target}.second")
    a = shaped(a, [*outer, size(rows), size(depth)], f"{target}.rows")
    b = shaped(b, [*outer, size(depth), size(columns)], f"{target}.columns")
    found = builder.op("MatMul", a, b, name=f"{target}.product")
    order = [*stack, *rows, *columns]
    found = shaped(found, [sizes[x] for x in order], f"{target}.axes")
    turned(found, "".join(order), list(result), target, reserved=True)
    return True
