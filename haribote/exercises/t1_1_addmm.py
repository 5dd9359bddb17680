"""Task 1.1: a lowering rule.

It is taught in notebooks/01_graphs/01_trace, section 6.
Check it with `grader check 1.1`; if you are stuck, `grader hint 1.1`.
"""

from __future__ import annotations

from haribote.errors import NotWritten
from haribote.frontend.aten import Lowering, Scalar


def addmm(g: Lowering, c: str, a: str, b: str, *, beta: Scalar = 1, alpha: Scalar = 1) -> str:
    """Add the ONNX nodes of beta * c + alpha * (a @ b), and return the name of the result.

    a: [n, k], b: [k, m], c: [m], each the name of a value. A node is added with `g.op("Relu", x)`, which returns its
    name; a node on the way to the result gets `part="…"`, the last one none. Other alpha and beta than 1 are refused
    with `g.require(condition, "what is supported")`.
    """
    # TODO: about 2 lines.
    raise NotWritten("task 1.1 (a lowering rule) is not written yet; check it with `grader check 1.1`")
