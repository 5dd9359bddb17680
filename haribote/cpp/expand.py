"""Expand: what has no C++ template is written in the core, by the same rules as for the chip (`core.from_onnx`)."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import onnx

from haribote.core.elementwise import ROWS
from haribote.core.from_onnx import lower
from haribote.core.from_onnx.indexing import moved
from haribote.core.operators import MOVERS
from haribote.core.rewrite import Rewriter
from haribote.cpp.operators import template
from haribote.errors import UnsupportedOp
from haribote.graph import Index

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


def _product(g: Rewriter) -> str:
    """An Einsum of two operands as one product of matrices, or of stacks of them."""
    sides, result = g.given["equation"].decode().split("->")
    first, second = sides.split(",")
    sizes = {x: size for side, name in zip((first, second), g.node.input, strict=True)
             for x, size in zip(side, g.shapes[name], strict=True)}  # fmt: skip
    stack = [x for x in result if x in first and x in second]
    rows = [x for x in result if x not in second]
    columns = [x for x in result if x not in first]
    depth = [x for x in first if x not in result]

    def size(letters: Iterable[str]) -> int:
        return prod(sizes[x] for x in letters)

    def turned(value: str, have: str, want: list[str], part: str) -> str:
        order = [have.index(x) for x in want]
        if order == sorted(order):
            return g.op("Identity", value, part=part)
        return g.op("Transpose", value, part=part, perm=order)

    outer = [size(stack)] if stack else []
    a = turned(g.node.input[0], first, [*stack, *rows, *depth], "first")
    b = turned(g.node.input[1], second, [*stack, *depth, *columns], "second")
    a = g.shaped(a, [*outer, size(rows), size(depth)], part="rows")
    b = g.shaped(b, [*outer, size(depth), size(columns)], part="columns")
    order = [*stack, *rows, *columns]
    found = g.shaped(g.op("MatMul", a, b, part="product"), [sizes[x] for x in order], part="axes")
    return turned(found, "".join(order), list(result), "")
