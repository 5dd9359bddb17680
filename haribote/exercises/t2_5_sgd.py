"""Task 2.5: the update of SGD.

It is taught in notebooks/02_autograd/03_training_step, section 4.
Check it with `grader check 2.5`; if you are stuck, `grader hint 2.5`.
"""

from __future__ import annotations

from haribote.autodiff.rules import Backward
from haribote.errors import NotWritten


def sgd(g: Backward, name: str, step: str, learning_rate: float) -> str:
    """Add the nodes of p - learning_rate * step, and return the name of the result, which must be `<name>.next`.

    name: of the parameter p. step: of the gradient (or the velocity), of the same shape. The result's name is set with
    `g.result = f"{name}.next"`, before any node is added, since the names of values on the way begin with it. Nodes are
    added as in task 2.1, the constant with `g.number(learning_rate, name)`.
    """
    # TODO: about 2 lines.
    raise NotWritten("task 2.5 (the update of SGD) is not written yet; check it with `grader check 2.5`")
