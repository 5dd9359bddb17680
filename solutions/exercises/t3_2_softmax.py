"""Task 3.2: decompose Softmax (largest, difference, exponential, sum, quotient)."""

from __future__ import annotations

from haribote.graphs.writer import NodeWriter
from haribote.passes.decompose import Softmax


def softmax(g: NodeWriter, logits: str) -> Softmax:
    """Add the nodes of p = softmax(logits), row by row, and return the names of its parts.

    logits: the name of a value [N, classes], float32. The result is `Softmax(shifted, exp, sum, p)`:
        shifted [N, classes] = logits, less the largest logit of the row, so that no exponential overflows;
        exp [N, classes] = e to the power of shifted;  sum [N, 1] = the sum of exp in each row;
        p [N, classes] = exp / sum.
    Only ReduceMax, Sub, Exp, ReduceSum and Div may be used, each once: these are what the chip has kernels for. A node
    is added with `g.op("ReduceMax", x, axes, part="max", keepdims=1)`, which returns its name; keepdims=1 keeps the
    axis that is reduced, with size 1, and broadcasting does the rest. `part` names a value on the way to the result:
    use max, shifted, exp and sum, and none for p. `axis` is the constant for "along axis 1".
    """
    axis = g.ints([1], "axes")
    ### BEGIN SOLUTION
    largest = g.op("ReduceMax", logits, axis, part="max", keepdims=1)
    shifted = g.op("Sub", logits, largest, part="shifted")
    exp = g.op("Exp", shifted, part="exp")
    total = g.op("ReduceSum", exp, axis, part="sum", keepdims=1)
    return Softmax(shifted, exp, total, g.op("Div", exp, total))
    ### END SOLUTION
