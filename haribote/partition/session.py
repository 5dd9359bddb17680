"""Run a cut: pieces one after another, values handed on where they cross, parameters where they live."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.compiler import start_session
from haribote.errors import GraphError
from haribote.graph import Index, updates
from haribote.partition.host import Run, engines
from haribote.partition.pieces import Cut, Piece, made
from simulator import Machine
from simulator.messages import tr

Array = NDArray[Any]


class PieceSession(Protocol):
    """What runs one piece."""

    def write(self, name: str, value: Array) -> None:
        """Give an input a value."""

    def read(self, name: str) -> Array:
        """An output, or a parameter as it is now."""

    def step(self, inputs: Mapping[str, Array]) -> None:
        """Write `inputs`, run, and make every updated parameter the parameter of the next step."""


class HostSession:
    """A graph, or a piece of one, on the host."""

    def __init__(self, model: onnx.ModelProto, run: Run) -> None:
        self._run, self._updates = run, updates(model)
        self._inputs: dict[str, Array] = {}
        self._outputs: dict[str, Array] = {}

    def write(self, name: str, value: Array) -> None:
        """Give an input a value."""
        self._inputs[name] = value

    def read(self, name: str) -> Array:
        """An output, or a parameter as it is now."""
        return self._outputs[name] if name in self._outputs else self._inputs[name]

    def step(self, inputs: Mapping[str, Array]) -> None:
        """Write `inputs`, run, and make every updated parameter the parameter of the next step."""
        self._inputs |= inputs
        self._outputs = self._run(self._inputs)
        self._inputs |= {name: self._outputs[after] for name, after in self._updates.items()}


class CutSession:
    """A cut with its values, used like a session of the chip.

    A parameter lives in the piece that reads and updates it; its new value goes to other pieces that read it. Every
    piece of the chip has a simulated chip of its own, so that what it keeps there stays.
    """

    def __init__(self, cut: Cut, machine: Machine | None = None) -> None:
        """machine: of the first piece of the chip; by default a new one."""
        self.cut = cut
        self._sessions: list[PieceSession] = []
        for piece in cut.pieces:
            self._sessions.append(_started(piece, machine))
            machine = None if piece.side == "chip" else machine
        self._reads = [set(Index(piece.model).inputs) for piece in cut.pieces]
        self._maker = {name: number for number, piece in enumerate(cut.pieces) for name in made(piece.model)}
        self._renewed = updates(cut.model)
        self._constants = Index(cut.model).constants
        self._home = {name: number for number, piece in enumerate(cut.pieces) for name in updates(piece.model)}
        self._given: dict[str, Array] = {}

    def write(self, name: str, value: Array) -> None:
        """Give an input (data or a parameter) a new value."""
        self._given[name] = value
        for session, reads in zip(self._sessions, self._reads, strict=True):
            if name in reads:
                session.write(name, value)

    def read(self, name: str) -> Array:
        """An output of the last run, or an input as it is now."""
        if name in self._maker:
            return np.asarray(self._sessions[self._maker[name]].read(name))
        if name in self._home:
            return np.asarray(self._sessions[self._home[name]].read(name))
        if name in self._given:
            return self._given[name]
        if name in self._constants:
            return self._constants[name]
        raise GraphError(tr("{name!r} is not an output, or an input without a value", name))

    def step(self, inputs: Mapping[str, Array]) -> None:
        """Write `inputs`, run all pieces, and make every updated parameter the parameter of the next step."""
        for name, value in inputs.items():
            self.write(name, value)
        for number, session in enumerate(self._sessions):
            handed = {name: self.read(name) for name in self._reads[number] if self._maker.get(name, number) != number}
            session.step(handed)
        for parameter, output in self._renewed.items():
            self._renew(parameter, output)

    def _renew(self, parameter: str, output: str) -> None:
        """The next value of a parameter for the pieces that read it and are not where it lives."""
        home = self._home.get(parameter)
        readers = [number for number, reads in enumerate(self._reads) if parameter in reads and number != home]
        if not readers and home is not None:
            return
        value = self._given[parameter] = self.read(output)
        for number in readers:
            self._sessions[number].write(parameter, value)


def _started(piece: Piece, machine: Machine | None) -> PieceSession:
    if piece.compiled is not None:
        session: PieceSession = start_session(piece.compiled, machine)
        return session
    run = engines()[piece.engine](piece.model)
    if run is None:
        raise GraphError(
            tr("{engine} does not take the graph {name!r} any more", piece.engine, piece.model.graph.name),
            tr("clear the cache"),
        )
    return HostSession(piece.model, run)
