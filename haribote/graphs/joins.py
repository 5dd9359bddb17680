"""Values that a pass has joined into one, such as a weight and its bias: the user's names go on meaning what they did.

Metadata of a model, JSON under `joins`: for every joined value its parts along an axis, each a value of the
user's (`expand`: it has not that axis) or a constant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.graph import metadata

JOINS = "haribote.joins"
Array = NDArray[Any]


Table = Mapping[str, Sequence[Mapping[str, Any]]]


def join_table(model: onnx.ModelProto) -> Table:
    """What the metadata of a model say."""
    found: Table = json.loads(metadata(model).get(JOINS, "{}"))
    return found


@dataclass(frozen=True)
class JoinedPart:
    """Elements `start` to `start + size` along `axis` of a joined value.

    source: the user's value, "" for a constant, which is `value` everywhere. expand: the source lacks the axis.
    """

    axis: int
    start: int
    size: int
    source: str = ""
    expand: bool = False
    value: float = 0.0

    def of(self, joined: Array) -> Array:
        """The part of a joined value, as the user has it."""
        part = np.take(joined, range(self.start, self.start + self.size), self.axis)
        return np.squeeze(part, self.axis) if self.expand else part

    def put(self, joined: Array, value: Array) -> None:
        """Write the part."""
        where = [slice(None)] * joined.ndim
        where[self.axis] = slice(self.start, self.start + self.size)
        joined[tuple(where)] = np.expand_dims(value, self.axis) if self.expand else value


class Joins:
    """The joined values of a model."""

    def __init__(self, table: Table) -> None:
        self.parts = {name: tuple(JoinedPart(**part) for part in parts) for name, parts in table.items()}
        self._owner = {part.source: (name, part) for name, parts in self.parts.items() for part in parts if part.source}

    def owner(self, name: str) -> tuple[str, JoinedPart] | None:
        """The joined value that a value of the user's is part of, and which part; None for one that stands alone."""
        return self._owner.get(name)

    def fill(self, name: str, joined: Array) -> None:
        """Write the constant parts."""
        for part in self.parts.get(name, ()):
            if not part.source:
                part.put(joined, np.full(1, part.value, joined.dtype))

    def users(self, names: Sequence[str]) -> Iterator[str]:
        """The user's names for values of the model, in order."""
        for name in names:
            if name in self.parts:
                yield from (part.source for part in self.parts[name] if part.source)
            else:
                yield name
