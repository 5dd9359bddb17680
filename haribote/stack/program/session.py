"""Run a built plan: what the host writes and reads crosses in DRAM; parameters stay on the chip from step to step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.errors import GraphError
from haribote.stack import uploads
from haribote.stack.program.executable import Executable, Port
from haribote.stack.program.joins import Joins
from haribote.stack.tiles import Tiles
from simulator import Machine, assemble
from simulator.isa.program import Program

Array = NDArray[Any]


class StackSession:
    """A compiled graph on a machine. `write` and `read` take the user's values, by the user's names and shapes."""

    def __init__(self, executable: Executable, machine: Machine) -> None:
        self.executable, self.machine = executable, machine
        self._joins, self._tiles = Joins(executable.joins), Tiles(executable.tiles)
        self._programs: dict[str, Program] = {}
        self._host: dict[str, Array] = {}
        self._result: dict[str, Array] = {}
        self._readable = _by_name([*executable.outputs, *executable.stores])
        self._writable = _by_name([*executable.inputs, *executable.loads])
        self._writable |= {name: [] for name in executable.unread}
        self._parameter = {output: parameter for parameter, output in executable.updates.items()}
        for upload in executable.uploads:
            uploads.write(machine, upload)
        self._run(executable.setup)
        for name, value in executable.constants.items():
            self.write_whole(name, value)

    def write(self, name: str, value: Array) -> None:
        """Give an input (data, labels or a parameter) a new value."""
        if (shape := self.executable.merged.get(name)) is not None:
            if value.shape != tuple(shape):
                raise GraphError(f"{name!r} has shape {list(shape)}, received {list(value.shape)}")
            value = value.reshape(self._shape(name))
        joined = self._joins.owner(name)
        if joined is None:
            self.write_whole(name, value)
            return
        whole, part = joined
        current = self._current(whole)
        part.put(current, value)
        self.write_whole(whole, current)

    def read(self, name: str, padded: bool = False) -> Array:
        """The value of an output, or of a parameter as it is now. padded: as elsewhere; here no value is padded."""
        joined = self._joins.owner(name)
        found = self._read(name) if joined is None else joined[1].of(self._read(joined[0]))
        if joined is None and name in self.executable.merged:
            found = found.reshape(tuple(self.executable.merged[name]))
        return found.astype(self.executable.types[name]) if name in self.executable.types else found

    def run(self) -> None:
        """One run on what was written last. Parameters are afterwards what they were before; their updated values are
        outputs.
        """
        updates = self.executable.updates
        before = {parameter: self._read(parameter) for parameter in updates}
        self._execute()
        self._result = {output: self._read(parameter) for parameter, output in updates.items()}
        for parameter, value in before.items():
            self.write_whole(parameter, value)

    def step(self, inputs: Mapping[str, Array]) -> None:
        """Write `inputs` and run; every updated parameter is the parameter of the next step."""
        for name, value in inputs.items():
            self.write(name, value)
        self._execute()

    def outputs(self) -> dict[str, Array]:
        """All graph outputs."""
        ports = dict.fromkeys([*(port.name for port in self.executable.outputs), *self._parameter])
        return {name: self.read(name) for name in self._joins.users(self._tiles.wholes(list(ports)))}

    def _execute(self) -> None:
        self._result.clear()
        self._run(self.executable.step)

    def write_whole(self, name: str, value: Array) -> None:
        """Give an input of the graph itself a new value, constants and joined values included."""
        shape = self._shape(name)
        if value.shape != shape:
            raise GraphError(f"{name!r} has shape {list(shape)}, received {list(value.shape)}")
        for piece, part in self._tiles.split(name, value):
            for port in self._writable[piece]:
                port.write(self.machine, part)
                self._run(port.text)
        if self._joins.parts.get(name):
            self._host[name] = value

    def _shape(self, name: str) -> tuple[int, ...]:
        """Of an input. Raises GraphError where there is none of this name."""
        if name in self._tiles and self._tiles.names(name)[0] in self._writable:
            return self._tiles.shape(name)
        if name not in self._writable:
            known = ", ".join(sorted(self._joins.users(self._tiles.wholes(list(self._writable)))))
            raise GraphError(f"the step has no input {name!r}; its inputs are {known}")
        ports = self._writable[name]
        return ports[0].shape if ports else tuple(self.executable.unread[name])

    def _read(self, name: str) -> Array:
        if name in self._result:
            return self._result[name]
        if name in self._tiles:
            return self._tiles.join(name, [self._read(piece) for piece in self._tiles.names(name)])
        ports = self._readable.get(name) or self._readable.get(self._parameter.get(name, ""))
        if not ports:
            raise GraphError(f"the step keeps no value {name!r}; it has {', '.join(sorted(self._readable))}")
        self._run(ports[0].text)
        return ports[0].packing.read(self.machine)

    def _current(self, name: str) -> Array:
        """A joined value as it is now, zeros and its constants at first."""
        if name not in self._host:
            first = self._tiles.names(name)[0]
            self._host[name] = np.zeros(self._shape(name), self._writable[first][0].dtype)
            self._joins.fill(name, self._host[name])
        elif self._tiles.names(name)[0] in self.executable.updates:
            return self._read(name).copy()
        return self._host[name]

    def _run(self, text: str) -> None:
        if text:
            if text not in self._programs:
                self._programs[text] = assemble(text)
            self.machine.run(self._programs[text])


def _by_name(ports: Sequence[Port]) -> dict[str, list[Port]]:
    found: dict[str, list[Port]] = {}
    for port in ports:
        found.setdefault(port.name, []).append(port)
    return found
