"""Compiled graphs on the device, and what moves between them and the host, counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from haribote.frontend.compiled import CompiledGraph
from haribote.mlsdk.residents import Resident
from haribote.mlsdk.specs import HOST_LAYOUT, IOSpec, to_array
from haribote.stack.notation import text_of
from haribote.stack.program.executable import Executable, Port
from haribote.stack.program.session import PortValues
from simulator import assemble

Array = NDArray[Any]


@dataclass
class Traffic:
    """Values that have moved. to_device, to_host: over the host; on_device: copied word by word; relaid: changed from
    one layout to another between two functions. In values; `bytes_to_device` and `bytes_to_host` in bytes.
    """

    to_device: int = 0
    to_host: int = 0
    on_device: int = 0
    relaid: int = 0
    bytes_to_device: int = 0
    bytes_to_host: int = 0


@dataclass(frozen=True)
class Stored:
    """A value on the device that no later run changes. words: by group of DRAM; on the host the array itself.

    port: how it lies in DRAM; None where `words` is the array.
    """

    words: Mapping[int, NDArray[np.uint64]] | Array
    port: Port | None = None

    def array(self) -> Array:
        """The value, brought to the host."""
        if self.port is None:
            return np.asarray(self.words)
        return self.port.packing.read(_Memory(self.words))  # type: ignore[arg-type]


class _Memory:
    """Words that were in DRAM, as a packing reads them from a machine."""

    def __init__(self, words: Mapping[int, NDArray[np.uint64]]) -> None:
        self.dram = {group: _Words(found) for group, found in words.items()}


class _Words:
    def __init__(self, words: NDArray[np.uint64]) -> None:
        self.words = words

    def read(self, _: int, count: int) -> NDArray[np.uint64]:
        return self.words[:count]


class Lent(Protocol):
    """What stands for a result of the last run."""

    def settle(self) -> None:
        """Keep the value: the function is about to run again."""


class Runner:
    """A compiled graph. versions: of the residents as it has them; `traffic` counts what comes and goes."""

    def __init__(self, graph: CompiledGraph, traffic: Traffic) -> None:
        self.graph, self.traffic, self.session = graph, traffic, graph.session
        self.versions: dict[str, int] = {}
        self.runs = 0
        self._lent: WeakSet[Lent] = WeakSet()
        self._scalars: dict[str, float] = {}
        self._ins: dict[str, list[Port]] = {}
        self._outs: dict[str, Port] = {}
        self._programs: dict[str, Any] = {}
        values = getattr(self.session, "values", None)
        if isinstance(values, PortValues):
            self._find_ports(values.executable)

    def _find_ports(self, found: Executable) -> None:
        """Ports of values that lie in DRAM by themselves, not as part of a joined value."""
        for port in (*found.inputs, *found.loads):
            self._ins.setdefault(port.name, []).append(port)
        for port in reversed((*found.outputs, *found.stores)):
            self._outs[port.name] = port
        for parameter, output in found.updates.items():
            if output in self._outs:
                self._outs.setdefault(parameter, self._outs[output])

    def spec(self, name: str, shape: tuple[int, ...], dtype: Any, label: str = "", output: bool = False) -> IOSpec:
        """How an input or output of the graph lies in DRAM; an input that the graph does not use lies row-major."""
        port = self._outs.get(name) if output else next(iter(self._ins.get(name, ())), None)
        stored = str(self.graph.index.dtype[name]) if name in self.graph.index.dtype else "float32"
        if port is None:
            return IOSpec(label or name, shape, dtype, "DRAM", HOST_LAYOUT, stored)
        stored = "float32" if np.dtype(stored).kind == "f" else "int32"
        fill = None if port.version.fill is None else float(port.version.fill)
        layout = f"{text_of(port.map)} split {port.version.split}" if port.version.split else text_of(port.map)
        return IOSpec(label or name, shape, dtype, "DRAM", layout, stored, fill)

    def write(self, name: str, value: Array) -> None:
        """Give an input a value that comes from the host."""
        self.traffic.to_device += 1
        self.traffic.bytes_to_device += value.nbytes
        self.graph.write(name, value)

    def write_scalar(self, name: str, value: float) -> None:
        """Give an input that is one number its value, where that is not what it was."""
        if self._scalars.get(name) != value:
            self.write(name, np.array(value, self.graph.index.dtype[name]))
            self._scalars[name] = value

    def take(self, name: str, stored: Stored, same: bool) -> None:
        """Give an input a value that is on the device. same: it lies there as the input must, and is copied so."""
        ports = self._ins.get(name, [])
        if same and stored.port is not None and len(ports) == 1 and not self._joined(name):
            assert isinstance(stored.words, Mapping)
            for group, words in stored.words.items():
                self.session.machine.dram[group].write(ports[0].address, words)
            self._run(ports[0].text)
            self.traffic.on_device += 1
            return
        if stored.port is None and self.session is None:
            self.traffic.on_device += 1
        else:
            self.traffic.relaid += 1
        self.graph.write(name, np.asarray(stored.array(), self.graph.index.dtype[name]))

    def keep(self, name: str) -> Stored:
        """An output of the last run, or a resident as it is now, kept on the device."""
        port = self._outs.get(name)
        if port is None or self._joined(name):
            return Stored(np.array(self.graph.read(name), copy=True))
        self._run(port.text)
        machine, packing = self.session.machine, port.packing
        groups = range(len(machine.dram))
        return Stored({group: machine.dram[group].read(port.address, packing.longs).copy() for group in groups}, port)

    def _joined(self, name: str) -> bool:
        return self.session is not None and self.session.is_joined(name)

    def _run(self, text: str) -> None:
        if text:
            if text not in self._programs:
                self._programs[text] = assemble(text)
            self.session.machine.run(self._programs[text])

    def place(self, residents: Iterable[Resident]) -> None:
        """Give the graph the current value of every resident that it has not got."""
        for resident in residents:
            resident.look()
            if self.versions.get(resident.name) == resident.version:
                continue
            if resident.holder is None:
                self.write(resident.name, to_array(resident.given(), self.graph.index.dtype[resident.name]))
            else:
                self.take(resident.name, resident.holder.keep(resident.name), same=False)
            self.versions[resident.name] = resident.version

    def lend(self, proxy: Lent) -> None:
        """Let a proxy stand for a result until the next run."""
        self._lent.add(proxy)

    def settle(self) -> None:
        """Before a run: whoever still looks at a result keeps it."""
        for proxy in list(self._lent):
            proxy.settle()
        self._lent.clear()

    def run(self, updated: Iterable[Resident]) -> None:
        """Run once on what was written."""
        self.graph.run({})
        self.runs += 1
        for resident in updated:
            resident.version += 1
            resident.holder, resident.behind = self, True
            self.versions[resident.name] = resident.version
