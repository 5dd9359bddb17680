"""What walks through a jaxpr, as the rules of calls and loops see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from jax.extend.core import ClosedJaxpr

from haribote.jax.flat.values import Loop, Operation, Value


class Walk(Protocol):
    """Lists the operations of a program. limit: loops of at most so many rounds are unrolled."""

    limit: int
    items: list[Operation | Loop]

    def call(self, closed: ClosedJaxpr, arguments: Sequence[Value]) -> list[Value]:
        """The outputs of a jaxpr, its operations listed."""

    def trace(self, function: Callable[..., Any], *arguments: Value) -> list[Value]:
        """The outputs of a function in JAX, its operations listed."""

    def folded(self, equation: Any, inputs: list[Value]) -> list[Value]:
        """The results of an equation whose arguments are known."""

    def where(self, equation: Any) -> str:
        """The line of the user's program."""

    def apart(self) -> Walk:
        """Another one, whose list is empty."""
