"""Run a compiled step: machine programs and host operators in turn, tensors in DRAM between them.

The constants are written into DRAM once. Inputs and outputs cross as arrays, never as text.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import onnx
from onnx import numpy_helper

from haribote.chip.codegen import HostPiece, TransferPiece
from haribote.chip.operands import local_memory, read_operand, write_operand
from haribote.chip.program import Compiled, ProgramPart
from haribote.chip.session import Array, Inputs, Names
from haribote.errors import GraphError
from haribote.graphs.cases import one_node_model
from haribote.graphs.tiles import Tiles, tile_table
from haribote.operators.mended import beside_the_machine
from haribote.passes.pad import padding
from haribote.passes.placement import Placement
from simulator import Machine
from simulator.isa.program import Program
from simulator.messages import say, tr


def fastest_machine(engine: str = "native") -> Machine:
    """A machine on the native engine, or on NumPy, with a line that says why, where that cannot be built."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine = Machine(engine)
    for warning in caught:
        say(warning.message, file=sys.stderr)
    return machine


class KernelValues:
    """The values of a step of kernels: in DRAM, in LM where a parameter stays, or on the host; see `session.Values`.

    execute: runs a machine program; another in its place may look on while it runs.
    """

    execute: Callable[[Program], object]

    def __init__(self, compiled: Compiled, machine: Machine) -> None:
        self.compiled, self.machine = compiled, machine
        self.execute = machine.run
        self.names = Names(padding(compiled.model), Tiles(tile_table(compiled.model)))
        index = compiled.index
        self.inputs: Inputs = {name: (index.shape[name], index.dtype[name]) for name in index.inputs}
        self.outputs: Sequence[str] = index.outputs
        self.updates: Mapping[str, str] = compiled.updates
        self.kept: Collection[str] = compiled.homes
        self._host: dict[str, Array] = {}
        self._homes = compiled.homes
        self._settled = {home.updated: name for name, home in self._homes.items()}
        for tensor in compiled.model.graph.initializer:
            self.write(tensor.name, numpy_helper.to_array(tensor))
        self._work = [self._worker(part) for part in compiled.parts]

    def run(self) -> None:
        """Machine programs and host operators in turn."""
        for work in self._work:
            work()

    def write(self, name: str, value: Array) -> None:
        """To LM, to the host, or to DRAM."""
        address = self.compiled.dram.get(name)
        if name in self._homes:
            place, address = self._at_home(name)
            place.layout.scatter(value, local_memory(self.machine, place.memory), address)
        elif address is None:
            self._host[name] = value
        else:
            self.machine.write_dram(address, value)

    def read(self, name: str) -> Array:
        """From there."""
        index, owner = self.compiled.index, self._settled.get(name, name)
        if owner in self._homes:
            place, at = self._at_home(owner)
            memory = local_memory(self.machine, place.memory)
            return place.layout.gather(memory, at, index.dtype[name]).reshape(index.shape[name])
        address = self.compiled.dram.get(name)
        if address is not None:
            return self.machine.read_dram(address, index.shape[name], index.dtype[name])
        if name not in self._host:
            raise GraphError(tr("tensor {name!r} has no value yet; write the inputs and run the step first", name))
        return self._host[name]

    def _at_home(self, name: str) -> tuple[Placement, int]:
        """Where a parameter stays in LM, and its first word."""
        place = self._homes[name].place
        assert place.address is not None
        return place, place.address

    def _worker(self, part: ProgramPart | HostPiece | TransferPiece) -> Callable[[], None]:
        if isinstance(part, ProgramPart):
            return lambda: self._run_program(part)
        if isinstance(part, HostPiece):
            return self._host_worker(part.node)
        return lambda: self._transfer(part)

    def _run_program(self, part: ProgramPart) -> None:
        self.execute(part.program)

    def _host_worker(self, node: onnx.NodeProto) -> Callable[[], None]:
        inputs = list(dict.fromkeys(name for name in node.input if name))
        alone = beside_the_machine(one_node_model(self.compiled.model, node, self.compiled.index))

        def work() -> None:
            with np.errstate(all="ignore"):
                results = alone.run(None, {name: self.read(name) for name in inputs})
            for name, value in zip(node.output, results, strict=True):
                self.write(name, np.asarray(value))

        return work

    def _transfer(self, piece: TransferPiece) -> None:
        """Serve a DL or UL by layout, as its kernel would."""
        value = read_operand(self.machine, piece.op.x)
        write_operand(self.machine, piece.op.output, value.reshape(piece.op.output.shape))
