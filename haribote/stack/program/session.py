"""The values of a built plan: what the host writes and reads crosses in DRAM; parameters stay on the chip."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from haribote.chip.session import Array, Inputs, Names, Session
from haribote.errors import GraphError
from haribote.graphs.joins import Joins
from haribote.graphs.tiles import Tiles
from haribote.stack import uploads
from haribote.stack.program.executable import Executable, Port
from simulator import assemble
from simulator.isa.program import Program
from simulator.messages import tr

if TYPE_CHECKING:
    from simulator import Machine


class PortValues:
    """See `chip.session.Values`."""

    def __init__(self, executable: Executable, machine: Machine) -> None:
        self.executable, self.machine = executable, machine
        self.names = Names({}, Tiles(executable.tiles), Joins(executable.joins), executable.merged, executable.types)
        self.updates: Mapping[str, str] = executable.updates
        self.kept: Collection[str] = executable.updates
        self._programs: dict[str, Program] = {}
        self._readable = _by_name([*executable.outputs, *executable.stores])
        self._writable = _by_name([*executable.inputs, *executable.loads])
        read = {name: (ports[0].shape, np.dtype(ports[0].dtype)) for name, ports in self._writable.items()}
        unread = {name: (tuple(shape), np.dtype(np.float32)) for name, shape in executable.unread.items()}
        self.inputs: Inputs = {**read, **unread}
        self._parameter = {output: parameter for parameter, output in executable.updates.items()}
        self.outputs: Sequence[str] = list(
            dict.fromkeys([*(port.name for port in executable.outputs), *self._parameter])
        )
        for upload in executable.uploads:
            uploads.write(machine, upload)
        self._execute(executable.setup)
        for name, value in executable.constants.items():
            self.write(name, value)

    def write(self, name: str, value: Array) -> None:
        """To DRAM, and from there to its homes. What no line of the step reads goes nowhere, but a parameter that the
        step only writes goes where the step does.
        """
        for port in self._writable.get(name, ()):
            port.write(self.machine, value)
            self._execute(port.text)
        for port in () if name in self._writable else self._readable.get(self.updates.get(name, ""), ()):
            port.write(self.machine, value)

    def read(self, name: str) -> Array:
        """From DRAM, where it comes from its homes first."""
        names = (name, self._parameter.get(name, ""), self.updates.get(name, ""))
        ports = next((self._readable[one] for one in names if one in self._readable), None)
        if not ports:
            raise GraphError(
                tr("the step keeps no value {name!r}; it has {readable}", name, ", ".join(sorted(self._readable)))
            )
        self._execute(ports[0].text)
        return ports[0].packing.read(self.machine)

    def run(self) -> None:
        """The step once."""
        self._execute(self.executable.step)

    def _execute(self, text: str) -> None:
        if text:
            if text not in self._programs:
                self._programs[text] = assemble(text)
            self.machine.run(self._programs[text])


def session_of(executable: Executable, machine: Machine) -> Session:
    """A session of a built plan."""
    return Session(PortValues(executable, machine))


def _by_name(ports: Sequence[Port]) -> dict[str, list[Port]]:
    found: dict[str, list[Port]] = {}
    for port in ports:
        found.setdefault(port.name, []).append(port)
    return found
