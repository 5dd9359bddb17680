"""Task 2.4: the gradient of LogSoftmax (what arrives, less the probabilities' share of the row's sum)."""

from __future__ import annotations

import onnx

from haribote.autodiff.rules import Backward, Gradients


def log_softmax(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """For y = x - log(sum of exp(x) in the row): yield the name of the gradient by x.

    x = node.input[0] and y = node.output[0] are [N, classes]; grad is the name of the loss's gradient by y. The axis is
    `g.attribute("axis", -1)`: refuse others than the last of two with `g.require(condition, "what is supported")`. The
    operator LogSoftmaxGrad(gradient by y, y) of the domain haribote has the formula as its body, and `g.op` adds the
    domain by itself. With cross-entropy the compiler makes softmax - one-hot of this node, so use it rather than nodes
    of your own.
    """
    ### BEGIN SOLUTION
    shape = g.shapes[node.input[0]]
    g.require(len(shape) == 2 and g.attribute("axis", -1) in (1, -1), "it must be [N, classes], along axis 1")
    yield g.op("LogSoftmaxGrad", grad, node.output[0])
    ### END SOLUTION
