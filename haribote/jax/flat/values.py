"""What a flat program is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(eq=False)
class Ref:
    """A value that is known only when the program runs. dtype: as NumPy has it; keys of random numbers are uint32."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


Value: TypeAlias = Ref | Array
"""A value of the program; one that is known when tracing is its array."""


@dataclass(eq=False)
class Operation:
    """A primitive with its arguments. where: the line of the user's program that it comes from."""

    name: str
    inputs: list[Value]
    outputs: list[Ref]
    params: dict[str, Any] = field(default_factory=dict)
    where: str = ""


@dataclass(eq=False)
class Loop:
    """A body that the host runs `count` times.

    inputs and the body's inputs: constants, then what is carried, then stacks of which each round gets its slice.
    outputs and the body's outputs: what is carried, then slices that are stacked. reverse: from the last slice on.
    """

    body: Flat
    count: int
    constants: int
    carried: int
    inputs: list[Value]
    outputs: list[Ref]
    reverse: bool = False


@dataclass(eq=False)
class Flat:
    """A program without calls in it."""

    inputs: list[Ref]
    items: list[Operation | Loop]
    outputs: list[Value]

    @property
    def loops(self) -> list[Loop]:
        """The loops that the host runs."""
        return [item for item in self.items if isinstance(item, Loop)]


def refs(values: Sequence[Value]) -> list[Ref]:
    """Those that are not known, each once, in order."""
    return list(dict.fromkeys(value for value in values if isinstance(value, Ref)))


def live(items: Sequence[Operation | Loop], outputs: Sequence[Value]) -> list[Operation | Loop]:
    """The items that the outputs need."""
    needed, kept = set(refs(outputs)), []
    for item in reversed(items):
        if not needed.isdisjoint(item.outputs):
            needed.update(refs(item.inputs))
            kept.append(item)
    return kept[::-1]
