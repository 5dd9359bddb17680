"""C++ of a fused node (`passes.fuse`): one loop, written from the body of its function."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
from onnx import numpy_helper

from haribote.core.elementwise import given_or_default
from haribote.cpp.elements import expression, literal
from haribote.errors import UnsupportedOp
from haribote.graph import attributes
from haribote.passes.fuse import ELEMENTWISE
from simulator.messages import tr

JOINED = ("packed",)
"""The Gemm templates that do what follows a product tile by tile, in a template NAME_map."""


def definition(function: onnx.FunctionProto, gemm: str) -> str:
    """The template that serves all nodes of the function: inputs in order, then the output.

    A Gemm, always the first node of a body but for constants, is done as a product into the output; its bias and all
    other nodes follow in one loop over the output. `gemm`: the Gemm template.

    Raises:
        UnsupportedOp: the body has a node that does not work element by element.
    """
    parameters = [*function.input, *function.output]
    loop, values = list(function.node), list(function.input)
    first = next(node for node in loop if node.op_type != "Constant")
    lines: list[str] = []
    result = function.output[0]
    begin, arguments = "map(", [result]
    if first.op_type == "Gemm":
        attrs = attributes(first)
        forms = ", ".join("'T'" if attrs.get(name) else "'N'" for name in ("transA", "transB"))
        others = {name for node in loop if node is not first for name in node.input} | set(first.input[2:])
        values = ["product", *(name for name in values if name in others)]
        if gemm in JOINED:
            begin, arguments = f"{gemm}_map<{forms}>(", [*first.input[:2], result]
        else:
            lines.append(f"    gemm<op::{gemm}, {forms}>({first.input[0]}, {first.input[1]}, {result});  // Gemm")
            arguments.append(result)
    arguments += [name for name in values if name != "product"]
    lines.append(f"    {begin}[]({', '.join(f'auto {name}' for name in values)}) {{")
    lines += [f"        {line}" for line in _statements(loop, result)]
    lines.append(f"    }}, {', '.join(arguments)});")
    types = ", ".join(f"class {_type(name)}" for name in parameters)
    signature = ", ".join(f"{_type(name)} {name}" for name in parameters)
    body = "\n".join(lines)
    return f"template <{types}>\nvoid {function.name}({signature}) {{\n{body}\n}}\n"


def _type(name: str) -> str:
    return name.upper()


def _statements(nodes: Sequence[onnx.NodeProto], result: str) -> list[str]:
    """One line per node; the last one returns."""
    lines = []
    for node in nodes:
        line = f"return {_expression(node)};"
        if node.output[0] != result:
            line = f"const auto {node.output[0]} = {_expression(node)};"
        lines.append(f"{line}  // {node.op_type}")
    return lines


def _expression(node: onnx.NodeProto) -> str:
    attrs = attributes(node)
    if node.op_type == "Constant":
        return literal(numpy_helper.to_array(attrs["value"])[()])
    if node.op_type == "Gemm":
        alpha, beta = (attrs.get(name, 1.0) for name in ("alpha", "beta"))
        product = "product" if alpha == 1 else f"{alpha!r}f * product"
        bias = "".join(f" + {name}" if beta == 1 else f" + {beta!r}f * {name}" for name in node.input[2:])
        return product + bias
    if node.op_type not in ELEMENTWISE:
        what = tr("C++: a fused node holds {op_type}, which is not element-wise", node.op_type)
        raise UnsupportedOp(what, tr("one of {names}", ", ".join(sorted(ELEMENTWISE))))
    return expression(node.op_type, node.input, given_or_default(node))
