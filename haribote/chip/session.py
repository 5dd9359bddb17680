"""Run a compiled step at any level: the user's values in and out, from step to step.

A `Session` knows the user's names and shapes: padding, pieces of what is cut, parts of what is joined. What it writes
and reads are the values of the compiled graph, wherever the compiler has put them (`Values`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from haribote.errors import GraphError
from haribote.graphs.joins import Joins
from haribote.graphs.tiles import Tiles
from haribote.passes.pad import crop_one, pad_one
from simulator.messages import tr

if TYPE_CHECKING:
    from simulator import Machine

Array = NDArray[Any]
Inputs = Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]
"""Shape and dtype of every value that can be written."""


@dataclass(frozen=True)
class Names:
    """What the user's values are here: padded, in pieces, or parts of joined ones.

    merged: the user's shapes of values some of whose axes are one here. types: the user's where they are others here.
    """

    padding: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    tiles: Tiles = field(default_factory=lambda: Tiles({}))
    joins: Joins = field(default_factory=lambda: Joins({}))
    merged: Mapping[str, Sequence[int]] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    def users(self, names: Sequence[str]) -> list[str]:
        """The user's names for values of the graph, in order."""
        return list(self.joins.users(self.tiles.wholes(names)))


class Values(Protocol):
    """The values of a compiled graph on a machine.

    inputs: what can be written; outputs: of the graph. updates: parameter to the output that it
    becomes; kept: the parameters in whose place a run puts the new value.
    """

    machine: Machine
    names: Names
    inputs: Inputs
    outputs: Sequence[str]
    updates: Mapping[str, str]
    kept: Collection[str]

    def write(self, name: str, value: Array) -> None:
        """Put a value where it belongs."""

    def read(self, name: str) -> Array:
        """A value as it is now. Raises GraphError where it is nowhere."""

    def run(self) -> None:
        """Run the graph once."""


class Session:
    """A compiled graph on a machine. `write` and `read` take the user's values, by the user's names and shapes."""

    def __init__(self, values: Values) -> None:
        self.values, self.machine = values, values.machine
        self._names = values.names
        self._after: dict[str, Array] = {}
        self._joined: dict[str, Array] = {}  # as the user has written them so far

    def write(self, name: str, value: Array) -> None:
        """Give an input (data, labels or a parameter) a new value."""
        shape = self._names.merged.get(name)
        if shape is not None:
            _require(name, value, tuple(shape))
            value = value.reshape(self._wanted(name)[0])
        joined = self._names.joins.owner(name)
        if joined is None:
            self.write_whole(name, value)
            return
        whole, part = joined
        current = self._current(whole)
        part.put(current, value)
        self.write_whole(whole, current)

    def read(self, name: str, padded: bool = False) -> Array:
        """The value of an output, of a parameter as it is now, or of any other that the step keeps."""
        joined = self._names.joins.owner(name)
        if joined is None:
            found = crop_one(self._read(name), None if padded else self._names.padding.get(name))
            found = found.reshape(tuple(self._names.merged.get(name, found.shape)))
        else:
            whole, part = joined
            found = part.of(self._read(whole))
        return found.astype(self._names.types[name]) if name in self._names.types else found

    def run(self) -> None:
        """One run on what was written last. Parameters are afterwards what they were before; their updated values are
        outputs.
        """
        kept = {before: after for before, after in self.values.updates.items() if before in self.values.kept}
        values = {before: self.values.read(before) for before in kept}
        self._execute()
        self._after = {after: self.values.read(after) for after in kept.values()}
        for name, value in values.items():
            self.values.write(name, value)

    def step(self, inputs: Mapping[str, Array]) -> None:
        """Write `inputs` and run; every updated parameter is the parameter of the next step."""
        for name, value in inputs.items():
            self.write(name, value)
        self._execute()
        for parameter, updated in self.values.updates.items():
            if parameter not in self.values.kept:
                self.values.write(parameter, self.values.read(updated))

    def outputs(self) -> dict[str, Array]:
        """All graph outputs."""
        return {name: self.read(name) for name in self._names.users(self.values.outputs)}

    def write_whole(self, name: str, value: Array) -> None:
        """Give an input of the graph itself a new value, constants and joined values included."""
        shape, dtype = self._wanted(name)
        padding = self._names.padding.get(name)
        if padding is None:
            _require(name, value, shape)
        for piece, part in self._names.tiles.split(name, pad_one(name, value, padding, dtype)):
            self.values.write(piece, part)
        if self._names.joins.parts.get(name):
            self._joined[name] = value

    def is_joined(self, name: str) -> bool:
        """Whether a value of the user's is a part of another here."""
        return self._names.joins.owner(name) is not None

    def _wanted(self, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Shape and dtype of an input. Raises GraphError where there is none of this name."""
        tiles, first = self._names.tiles, self._names.tiles.names(name)[0]
        if first not in self.values.inputs:
            known = ", ".join(sorted(self._names.users(list(self.values.inputs))))
            raise GraphError(tr("the step has no input {name!r}; its inputs are {known}", name, known))
        shape, dtype = self.values.inputs[first]
        return tiles.shape(name) if name in tiles else shape, dtype

    def _read(self, name: str) -> Array:
        tiles, after = self._names.tiles, self._after
        pieces = [after[piece] if piece in after else self.values.read(piece) for piece in tiles.names(name)]
        return tiles.join(name, pieces) if name in tiles else pieces[0]

    def _current(self, name: str) -> Array:
        """A joined value as it is now, zeros and its constants at first."""
        if name not in self._joined:
            self._joined[name] = np.zeros(*self._wanted(name))
            self._names.joins.fill(name, self._joined[name])
        elif self._names.tiles.names(name)[0] in self.values.updates:
            return self._read(name).copy()
        return self._joined[name]

    def _execute(self) -> None:
        self._after = {}
        self.values.run()


def _require(name: str, value: Array, shape: tuple[int, ...]) -> None:
    if value.shape != shape:
        raise GraphError(tr("{name!r} has shape {shape}, received {shape2}", name, list(shape), list(value.shape)))
