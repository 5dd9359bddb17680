"""Which template of `include/haribote` serves an ONNX node: one small rule per operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import onnx

from haribote.errors import UnsupportedOp
from haribote.graph import Index, Shape, attributes

ALGORITHMS = ("naive", "reordered", "tiled")
"""The Gemm templates, slowest first; see `include/haribote/gemm.hpp`."""


@dataclass(frozen=True)
class Template:
    """A template with its compile-time arguments, and the values passed to it: inputs by name, and plain numbers.

    The node's outputs are passed behind the inputs. Inputs that became compile-time arguments are not passed.
    """

    text: str
    inputs: tuple[str, ...]
    numbers: tuple[str, ...] = ()


class Node:
    """A node with what a rule asks about it. `gemm`: the Gemm template to use."""

    def __init__(self, node: onnx.NodeProto, index: Index, gemm: str) -> None:
        self.node, self.gemm = node, f"op::{gemm}"
        self.inputs = tuple(name for name in node.input if name)
        self.shapes: list[Shape] = [index.shape[name] for name in self.inputs]
        self.output_shape = index.shape[node.output[0]]
        self._index, self._attributes = index, attributes(node)

    def attribute(self, name: str, default: Any) -> Any:
        """An attribute, or the operator's default; strings as `str`."""
        value = self._attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def constant(self, position: int) -> list[int]:
        """The integers of a constant input, which become part of the template."""
        values = self._index.constants.get(self.inputs[position])
        self.require(values is not None, f"input {self.inputs[position]!r} must be a constant")
        assert values is not None
        return [int(value) for value in values.ravel()]

    def axis(self, default: int) -> int:
        """The attribute `axis`, counted from the front."""
        return int(self.attribute("axis", default)) % max(len(self.shapes[0]), 1)

    def require(self, holds: bool, constraint: str) -> None:
        """Refuse a node that is not of the form its template covers."""
        if not holds:
            shapes = ", ".join(f"{name} {list(shape)}" for name, shape in zip(self.inputs, self.shapes, strict=True))
            raise UnsupportedOp(
                f"C++: node {self.node.name!r}, {self.node.op_type}({shapes}): {constraint}",
                "another form of the operator, or extend its rule in haribote/cpp/operators.py",
            )


Rule = Callable[[Node], Template]
RULES: dict[str, Rule] = {}
"""Operator name to its rule."""


def template(node: onnx.NodeProto, index: Index, gemm: str) -> Template:
    """The template that serves the node.

    Raises:
        UnsupportedOp: there is none for this operator or this form of it.
    """
    if node.op_type not in RULES:
        raise UnsupportedOp(
            f"C++: node {node.name!r}: there is no template for {node.op_type}",
            f"one of {', '.join(sorted(RULES))}; or add a rule to haribote/cpp/operators.py and a template beside it",
        )
    return RULES[node.op_type](Node(node, index, gemm))


def _rule(*operators: str) -> Callable[[Rule], Rule]:
    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(operators, function))
        return function

    return register


def _plain(text: str) -> Rule:
    return lambda node: Template(text, node.inputs)


# Templates without compile-time arguments of their own: the shapes say everything.
RULES |= {name: _plain(name.lower()) for name in ("Add", "Sub", "Mul", "Div", "Greater", "Less", "Equal", "Where")}
RULES |= {name: _plain(name.lower()) for name in ("Neg", "Relu", "Exp", "Log", "Sqrt", "Tanh", "Sigmoid", "Cast")}
RULES |= {
    "GreaterCast": _plain("greater_cast"),
    "LogSoftmaxGrad": _plain("log_softmax_grad"),
    "NLLLossGrad": _plain("nll_loss_grad"),
    "RoundBFloat16": _plain("round_bfloat16"),
    "RoundHalf": _plain("round_half"),
}


def _list(values: Iterable[int]) -> str:
    return f"op::List<{', '.join(map(str, values))}>"


def _form(transposed: int) -> str:
    return "'T'" if transposed else "'N'"


@_rule("Max", "Min")
def _extremum(node: Node) -> Template:
    node.require(len(node.inputs) == 2, "it must have two inputs")
    return Template(node.node.op_type.lower(), node.inputs)


@_rule("Identity", "DL", "UL", "Reshape", "Flatten", "Squeeze", "Unsqueeze")
def _reshape(node: Node) -> Template:
    return Template("reshape", node.inputs[:1])


@_rule("Expand")
def _expand(node: Node) -> Template:
    return Template("expand", node.inputs[:1])


@_rule("Transpose")
def _transpose(node: Node) -> Template:
    rank = len(node.shapes[0])
    return Template(f"transpose<{_list(node.attribute('perm', range(rank)[::-1]))}>", node.inputs)


@_rule("Slice")
def _slice(node: Node) -> Template:
    node.require(len(node.inputs) == 3, "it must cut every axis, by steps of 1")
    bounds = zip(node.constant(1), node.shapes[0], strict=True)
    return Template(
        f"slice<{_list(min(max(start + size * (start < 0), 0), size) for start, size in bounds)}>", node.inputs[:1]
    )


@_rule("GatherElements")
def _gather_elements(node: Node) -> Template:
    return Template(f"gather_elements<{node.axis(0)}>", node.inputs)


@_rule("OneHot")
def _one_hot(node: Node) -> Template:
    node.require(node.attribute("axis", -1) in (-1, len(node.shapes[0])), "the classes must be the last axis")
    return Template("one_hot", (node.inputs[0], node.inputs[2]))


@_rule("ReduceSum", "ReduceMean", "ReduceMax")
def _reduce(node: Node) -> Template:
    rank = len(node.shapes[0])
    axes = node.constant(1) if len(node.inputs) > 1 else []
    if not axes and not node.attribute("noop_with_empty_axes", 0):
        axes = list(range(rank))
    name = f"reduce_{node.node.op_type.removeprefix('Reduce').lower()}"
    return Template(f"{name}<{_list(sorted(axis % rank for axis in axes))}>", node.inputs[:1])


@_rule("Softmax", "LogSoftmax")
def _softmax(node: Node) -> Template:
    node.require(node.axis(-1) == len(node.shapes[0]) - 1, "the classes must be the last axis")
    return Template({"Softmax": "softmax", "LogSoftmax": "log_softmax"}[node.node.op_type], node.inputs)


@_rule("NegativeLogLikelihoodLoss")
def _nll_loss(node: Node) -> Template:
    node.require(len(node.inputs) == 2 and len(node.shapes[0]) == 2, "it must have log_p [N, classes] and labels [N]")
    node.require(node.attribute("ignore_index", None) is None, "ignore_index is not supported")
    return Template(f"nll_loss_{node.attribute('reduction', 'mean')}", node.inputs)


@_rule("Gemm")
def _gemm(node: Node) -> Template:
    forms = [_form(node.attribute(name, 0)) for name in ("transA", "transB")]
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    scales = (alpha, beta) if len(node.inputs) == 3 else (alpha,)
    numbers = () if set(scales) == {1} else tuple(map(repr, scales))
    return Template(f"gemm<{node.gemm}, {', '.join(forms)}>", node.inputs, numbers)


@_rule("MatMul")
def _matmul(node: Node) -> Template:
    node.require(all(len(shape) == 2 for shape in node.shapes), "both inputs must be matrices")
    return Template(f"gemm<{node.gemm}, 'N', 'N'>", node.inputs)


@_rule("Conv", "ConvTranspose")
def _conv(node: Node) -> Template:
    name = {"Conv": "conv", "ConvTranspose": "conv_transpose"}[node.node.op_type]
    window = _window(node, node.shapes[1][2:])
    return Template(f"{name}<{node.gemm}, {window}, {node.attribute('group', 1)}>", node.inputs)


@_rule("MaxPool", "MaxPoolGrad")
def _max_pool(node: Node) -> Template:
    node.require(node.attribute("storage_order", 0) == 0, "storage_order must be 0")
    name = {"MaxPool": "max_pool", "MaxPoolGrad": "max_pool_grad"}[node.node.op_type]
    kernel = node.attribute("kernel_shape", ())
    node.require(max(node.attribute("pads", (0,))) < min(kernel), "every window must see a part of the image")
    return Template(f"{name}<{_window(node, kernel)}>", node.inputs)


def _window(node: Node, kernel: Sequence[int]) -> str:
    node.require(len(node.shapes[0]) == 4, "it must have images [N, channels, height, width]")
    node.require(node.attribute("auto_pad", "NOTSET") in ("NOTSET", "VALID"), "auto_pad must be NOTSET or VALID")
    given = [node.attribute(name, default) for name, default in _WINDOW]
    return f"op::Window<{', '.join(map(_list, (kernel, *given)))}>"


_WINDOW = (("strides", (1, 1)), ("pads", (0, 0, 0, 0)), ("dilations", (1, 1)))
