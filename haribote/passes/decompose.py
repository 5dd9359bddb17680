"""Decompose: softmax cross-entropy, forward and backward, into the canonical operators (design.md, section 4).

    LogSoftmax, NegativeLogLikelihoodLoss          ->  max, shifted, exp, sum; loss = mean(log(sum) - shifted[label])
    NLLLossGrad, LogSoftmaxGrad of that log_p      ->  (exp / sum - one_hot) * scale

The loss is computed from the shifted logits, so a probability of 0 never gives an infinite one. Its nodes come last and
are marked (`graph.is_loss`): the host may compute them. Labels become int32, the machine's integer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx

from haribote.answers.ownership import exercise
from haribote.graph import Builder, Index, attributes, complete, mark_labels, mark_loss, tensor_info, updates
from haribote.graphs.writer import NodeWriter
from haribote.passes.dead_code import remove_dead_code

TAKE_LABELS = {"GatherElements": 1, "OneHot": 0}
"""What reads labels, and as which operand."""


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph in canonical operators. What is not softmax cross-entropy stays as it is."""
    g = _Decomposer(model)
    for node in model.graph.node:
        g.visit(node)
    result = g.builder.model
    remove_dead_code(result)
    for info in result.graph.input:
        if g.index.dtype[info.name] == np.int64 and _are_labels(result, info.name):
            info.CopyFrom(tensor_info(info.name, g.index.shape[info.name], np.int32))
    _loss_last(result)
    return complete(result)


def _are_labels(model: onnx.ModelProto, name: str) -> bool:
    """Whether a value only says which elements are meant, so that its type is nobody else's."""
    if any(info.name == name for info in model.graph.output):
        return False
    for node in model.graph.node:
        for number, other in enumerate(node.input):
            if other != name or TAKE_LABELS.get(node.op_type) == number:
                continue
            if node.op_type != "Unsqueeze" or not _are_labels(model, node.output[0]):
                return False
    return True


@dataclass(frozen=True)
class Softmax:
    """The values a softmax consists of, by name: [N, classes] shifted, exp and p, [N, 1] sum."""

    shifted: str
    exp: str
    sum: str
    p: str


@exercise("3.2")
def softmax(g: NodeWriter, logits: str) -> Softmax:
    """Add the nodes of softmax: the largest logit of each row becomes 0, so that no exponential overflows."""
    raise NotImplementedError


class _Decomposer:
    def __init__(self, model: onnx.ModelProto) -> None:
        self.index = Index(model)
        self.builder = Builder.like(model)
        self.softmax: dict[str, Softmax] = {}

    def visit(self, node: onnx.NodeProto) -> None:
        """Write the node in canonical operators, or keep it."""
        if node.op_type == "LogSoftmax" and self.along_classes(node):
            self.log_softmax(node)
        elif node.op_type == "NegativeLogLikelihoodLoss" and self.of_all_rows(node):
            self.loss(node)
        elif node.op_type == "LogSoftmaxGrad" and self.is_cross_entropy(node):
            self.gradient(node)
        else:
            self.builder.keep(node)

    def axes(self, axis: int) -> str:
        return self.builder.constant(np.array([axis], np.int64), f"axes_{axis}")

    def along_classes(self, node: onnx.NodeProto) -> bool:
        """Whether it is one of rows [N, classes]."""
        rank = len(self.index.shape[node.input[0]])
        return rank == 2 and attributes(node).get("axis", -1) in (-1, 1)

    def of_all_rows(self, node: onnx.NodeProto) -> bool:
        """Whether it is the loss of one of our softmaxes in which every row counts, and as much as the others."""
        known = node.input[0] in self.softmax and not any(node.input[2:])
        return known and attributes(node).get("ignore_index", -1) < 0

    def log_softmax(self, node: onnx.NodeProto) -> None:
        """log p, and its parts for the gradient and the loss."""
        log_p, g = node.output[0], NodeWriter(self.builder)
        g.shapes, g.result = self.index.shape, log_p.replace("log_", "")
        parts = self.softmax[log_p] = softmax(g, node.input[0])
        log_sum = self.builder.op("Log", parts.sum, name=f"{g.result}.log")
        self.builder.op("Sub", parts.shifted, log_sum, name=log_p, reserved=True)

    def is_cross_entropy(self, node: onnx.NodeProto) -> bool:
        log_p_grad, log_p = node.input
        producer = self.index.producer.get(log_p_grad)
        return producer is not None and producer.op_type == "NLLLossGrad" and log_p in self.softmax

    def gradient(self, node: onnx.NodeProto) -> None:
        """(p - one_hot) * scale."""
        op, p = self.builder.op, self.softmax[node.input[1]].p
        scale, labels = self.index.producer[node.input[0]].input
        classes = self.index.shape[node.output[0]][1]
        depth = self.builder.constant(np.array(classes, np.int64), f"{labels}.classes")
        off_on = self.builder.constant(np.array([0, 1], np.float32), "off_on")
        one_hot = op("OneHot", labels, depth, off_on, name=f"{labels}.onehot", axis=-1)
        mark_labels(self.builder.model.graph.node[-1])
        error = op("Sub", p, one_hot, name=f"{p}.error")
        op("Mul", error, scale, name=node.output[0], reserved=True)

    def loss(self, node: onnx.NodeProto) -> None:
        """log(sum) - shifted[label] per row, [N, 1]; then the node's own reduction."""
        op, parts, (labels, loss) = self.builder.op, self.softmax[node.input[0]], (node.input[1], node.output[0])
        column = op("Unsqueeze", labels, self.axes(1), name=f"{loss}.label")
        picked = op("GatherElements", parts.shifted, column, name=f"{loss}.picked", axis=1)
        mark_labels(self.builder.model.graph.node[-1])
        rows = op("Sub", op("Log", parts.sum, name=f"{loss}.log"), picked, name=f"{loss}.rows")
        match attributes(node).get("reduction", b"mean"):
            case b"none":
                op("Squeeze", rows, self.axes(1), name=loss, reserved=True)
            case b"sum":
                op("ReduceSum", rows, name=loss, reserved=True, keepdims=0)
            case _:
                op("ReduceMean", rows, name=loss, reserved=True, keepdims=0)


def _loss_last(model: onnx.ModelProto) -> None:
    """Move what no update needs behind the rest, and mark it."""
    needed = set(updates(model).values())
    if not needed:
        return
    compute: list[onnx.NodeProto] = []
    loss: list[onnx.NodeProto] = []
    for node in reversed(model.graph.node):
        if needed & set(node.output):
            needed.update(node.input)
            compute.append(node)
        else:
            mark_loss(node)
            loss.append(node)
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in [*reversed(compute), *reversed(loss)]]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
