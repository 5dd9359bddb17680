"""Task 2.5: the update of SGD (two nodes: scale, subtract)."""

from __future__ import annotations

from haribote.autodiff.rules import Backward


def sgd(g: Backward, name: str, step: str, learning_rate: float) -> str:
    """Add the nodes of p - learning_rate * step, and return the name of the result, which must be `<name>.next`.

    name: of the parameter p. step: of the gradient (or the velocity), of the same shape. The result's name is set with
    `g.result = f"{name}.next"`, before any node is added, since the names of values on the way begin with it. Nodes are
    added as in task 2.1, the constant with `g.number(learning_rate, name)`.
    """
    ### BEGIN SOLUTION
    g.result = f"{name}.next"
    return g.op("Sub", name, g.op("Mul", step, g.number(learning_rate, name), part="scaled"))
    ### END SOLUTION
