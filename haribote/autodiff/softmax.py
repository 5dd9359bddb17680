"""Gradients of softmax cross-entropy: of its two halves, which `passes.decompose` joins to p - one-hot."""

from __future__ import annotations

import onnx

from haribote.answers.ownership import exercise
from haribote.autodiff.rules import Backward, Gradients, gradient
from simulator.messages import tr


@gradient("LogSoftmax")
@exercise("2.4")
def log_softmax(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Grad - p (sum of grad in the row)."""
    raise NotImplementedError


@gradient("NegativeLogLikelihoodLoss")
def nll_loss(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """-grad at the label, else 0; of the mean, each row has 1/N."""
    log_p, labels = node.input[:2]
    g.require(len(node.input) == 2, tr("class weights are not supported"))
    g.require(g.attribute("ignore_index", -1) < 0, tr("ignore_index must stay outside the classes"))
    reduction = g.attribute("reduction", b"mean")
    g.require(
        reduction in (b"mean", b"sum") and len(g.shapes[log_p]) == 2, tr("log_p [N, classes] must become one number")
    )
    rows, classes = g.shapes[log_p]
    scale = g.op("Div", grad, g.number(rows, log_p), part="scale") if reduction == b"mean" else grad
    yield g.op("NLLLossGrad", scale, labels, classes=classes)
    yield None
