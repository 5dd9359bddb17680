"""C++ of a fused node (`passes.fuse`): one loop, written from the body of its function."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
from onnx import helper, numpy_helper

from haribote.cpp.elements import ELEMENT_TYPES, literal
from haribote.errors import UnsupportedOp
from haribote.graph import attributes

EXPRESSIONS = {
    "Add": "{0} + {1}",
    "Sub": "{0} - {1}",
    "Mul": "{0} * {1}",
    "Div": "{0} / {1}",
    "Neg": "-{0}",
    "Relu": "{0} < 0 ? 0 : {0}",
    "Exp": "std::exp({0})",
    "Log": "std::log({0})",
    "Sqrt": "std::sqrt({0})",
    "Tanh": "std::tanh({0})",
    "Sigmoid": "1 / (1 + std::exp(-{0}))",
    "Greater": "{0} > {1}",
    "Less": "{0} < {1}",
    "Where": "{0} ? {1} : {2}",
}
"""Operator to the C++ expression of one element; the operands are names."""


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
    if node.op_type == "Cast":
        return f"op::as<{ELEMENT_TYPES[helper.tensor_dtype_to_np_dtype(attrs['to'])]}>({node.input[0]})"
    if node.op_type not in EXPRESSIONS:
        raise UnsupportedOp(
            f"C++: a fused node holds {node.op_type}, which is not element-wise",
            f"one of {', '.join(sorted(EXPRESSIONS))}",
        )
    return EXPRESSIONS[node.op_type].format(*node.input)
