"""Which template of `include/haribote` serves an ONNX node: one small rule per operator."""

from __future__ import annotations

import onnx

from haribote.cpp import image_rules, moving_rules, number_rules  # noqa: F401  (register their rules)
from haribote.cpp.rules import RULES, Node, Template, plain, rule, sizes
from haribote.errors import UnsupportedOp
from haribote.graph import Index
from simulator.messages import tr

ALGORITHMS = ("naive", "reordered", "tiled", "packed")
"""The Gemm templates, slowest first; see `include/haribote/gemm.hpp` and `packed.hpp`."""


def template(node: onnx.NodeProto, index: Index, gemm: str) -> Template:
    """The template that serves the node.

    Raises:
        UnsupportedOp: there is none for this operator or this form of it.
    """
    if node.op_type not in RULES:
        raise UnsupportedOp(
            tr("C++: node {name!r}: there is no template for {op_type}", node.name, node.op_type),
            tr("one of {names}; or add a rule to haribote/cpp/operators.py and a template", ", ".join(sorted(RULES))),
        )
    return RULES[node.op_type](Node(node, index, gemm))


# Templates without compile-time arguments of their own: the shapes say everything.
RULES |= {"LogSoftmaxGrad": plain("log_softmax_grad"), "NLLLossGrad": plain("nll_loss_grad")}
RULES |= {"Expand": plain("expand", 1), "Tile": plain("tile", 1)}
RULES |= dict.fromkeys(("Identity", "DL", "UL", "Reshape", "Flatten", "Squeeze", "Unsqueeze"), plain("reshape", 1))


def _form(transposed: int) -> str:
    return "'T'" if transposed else "'N'"


@rule("Transpose")
def _transpose(node: Node) -> Template:
    rank = len(node.shapes[0])
    return Template(f"transpose<{sizes(node.attribute('perm', range(rank)[::-1]))}>", node.inputs)


@rule("OneHot")
def _one_hot(node: Node) -> Template:
    node.require(node.attribute("axis", -1) in (-1, len(node.shapes[0])), "the classes must be the last axis")
    return Template("one_hot", (node.inputs[0], node.inputs[2]))


@rule("Softmax", "LogSoftmax")
def _softmax(node: Node) -> Template:
    node.require(node.axis(-1) == len(node.shapes[0]) - 1, "the classes must be the last axis")
    return Template({"Softmax": "softmax", "LogSoftmax": "log_softmax"}[node.node.op_type], node.inputs)


@rule("NegativeLogLikelihoodLoss")
def _nll_loss(node: Node) -> Template:
    node.require(len(node.inputs) == 2 and len(node.shapes[0]) == 2, "it must have log_p [N, classes] and labels [N]")
    node.require(node.attribute("ignore_index", None) is None, "ignore_index is not supported")
    return Template(f"nll_loss_{node.attribute('reduction', 'mean')}", node.inputs)


@rule("Gemm")
def _gemm(node: Node) -> Template:
    forms = [_form(node.attribute(name, 0)) for name in ("transA", "transB")]
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    scales = (alpha, beta) if len(node.inputs) == 3 else (alpha,)
    numbers = () if set(scales) == {1} else tuple(map(repr, scales))
    return Template(f"gemm<{node.gemm}, {', '.join(forms)}>", node.inputs, numbers)


@rule("MatMul")
def _matmul(node: Node) -> Template:
    if all(len(shape) == 2 for shape in node.shapes):
        return Template(f"gemm<{node.gemm}, 'N', 'N'>", node.inputs)
    return Template(f"matmul<{node.gemm}>", node.inputs)
