"""Errors of the compiler: a user's mistake, told in one message that says what to try."""

from __future__ import annotations

from simulator.errors import UserError
from simulator.messages import tr


class HariboteError(UserError):
    """A mistake in a model, a graph, an answer or whatever else the compiler was given."""


class UnsupportedModel(HariboteError):
    """The model or its optimiser cannot be traced (not a module, no parameters, an optimiser with state, ...)."""


class UnsupportedOp(HariboteError):
    """The traced program has an operation for which the compiler has no rule."""


class GraphError(HariboteError):
    """A graph is not valid, or not of the form that a pass or the runtime needs."""


class UnsupportedShape(HariboteError):
    """A kernel does not do this shape, layout or memory; its node then runs on the host (design.md, section 4).

    Args:
        constraint: what the kernel asks for ("rows are a multiple of 64").
        received: what it got ("100 rows").
        try_: what to try ("pad the batch to 128").
    """

    def __init__(self, constraint: str, received: str, try_: str = "") -> None:
        self.constraint, self.received = constraint, received
        super().__init__(tr("unsupported shape: {constraint}, but received {received}", constraint, received), try_)


class NotWritten(HariboteError):
    """A learner's stub that is still unwritten; its node runs on the host."""
