"""Run a compiled step: machine programs and host operators in turn, tensors in DRAM between them.

A `Session` owns a machine, writes the constants into its DRAM once, and then runs the step as often as asked. Inputs
and outputs cross as arrays, never as text.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from haribote.chip.codegen import HostPiece, TransferPiece
from haribote.chip.program import Compiled, ProgramPart
from haribote.errors import GraphError
from haribote.graphs.cases import one_node_model
from haribote.kernel import Memory
from haribote.passes import tile
from haribote.passes.pad import crop_one, pad_one, padding
from haribote.passes.placement import Placement
from simulator import Machine
from simulator.messages import say

Array = NDArray[Any]


def fastest_machine(engine: str = "native") -> Machine:
    """A machine on the native engine, or on NumPy, with a line that says why, where that cannot be built."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine = Machine(engine)
    for warning in caught:
        say(warning.message, file=sys.stderr)
    return machine


class Session:
    """A compiled step on a machine.

    `write` and `read` take tensors in the user's shapes: padding and cropping happen here.
    """

    def __init__(self, compiled: Compiled, machine: Machine | None = None) -> None:
        self.compiled = compiled
        self.machine = machine or fastest_machine()
        self._host: dict[str, Array] = {}
        self._homes = compiled.homes
        self._settled = {home.updated: name for name, home in self._homes.items()}
        self._after: dict[str, Array] = {}
        self._padding = padding(compiled.model)
        self._cuts = tile.tiles(compiled.model)
        self._inputs = self._whole(compiled.index.inputs)
        for tensor in compiled.model.graph.initializer:
            self._store(tensor.name, numpy_helper.to_array(tensor))
        self._work = [self._worker(part) for part in compiled.parts]

    def write(self, name: str, value: Array) -> None:
        """Give an input (data, labels or a parameter) a new value."""
        if name not in self._inputs:
            raise GraphError(f"the step has no input {name!r}; its inputs are {', '.join(sorted(self._inputs))}")
        padded = pad_one(name, value, self._padding.get(name), self.compiled.index.dtype[self._parts(name)[0]])
        for part, piece in tile.split(name, padded, self._cuts.get(name)):
            self._store(part, piece)

    def read(self, name: str, padded: bool = False) -> Array:
        """The value of an output, or of any tensor that the step keeps in DRAM or on the host."""
        cut, parts = self._cuts.get(name), [self._load(part) for part in self._parts(name)]
        value = parts[0] if cut is None else tile.join(parts, cut)
        return crop_one(value, None if padded else self._padding.get(name))

    def run(self) -> None:
        """One run of the whole step on what was written last; parameters are afterwards as they were before."""
        before = {name: self._load(name) for name in self._homes}
        self._run()
        self._after = {updated: self._load(updated) for updated in self._settled}
        for name, value in before.items():
            self._store(name, value)

    def _run(self) -> None:
        for work in self._work:
            work()

    def step(self, inputs: Mapping[str, Array]) -> None:
        """Write `inputs`, run, and make every updated parameter the parameter of the next step."""
        for name, value in inputs.items():
            self.write(name, value)
        self._after = {}
        self._run()
        for parameter, updated in self.compiled.updates.items():
            if parameter not in self._homes:  # where it stays, the program itself puts the new value
                self._store(parameter, self._load(updated))

    def outputs(self) -> dict[str, Array]:
        """All graph outputs, cropped to the user's shapes."""
        return {name: self.read(name) for name in self._whole(self.compiled.index.outputs)}

    def _parts(self, name: str) -> list[str]:
        """The tiles of a tensor by name; the tensor itself where it is not cut."""
        cut = self._cuts.get(name)
        return [name] if cut is None else tile.part_names(name, cut)

    def _whole(self, names: Iterable[str]) -> list[str]:
        """The tensors that these are, or are tiles of, in order."""
        owner = {part: name for name in self._cuts for part in self._parts(name)}
        return list(dict.fromkeys(owner.get(name, name) for name in names))

    def _store(self, name: str, value: Array) -> None:
        address = self.compiled.dram.get(name)
        if name in self._homes:
            place, address = self._at_home(name)
            place.layout.scatter(value, self._local(place.memory), address)
        elif address is None:
            self._host[name] = value
        else:
            self.machine.write_dram(address, value)

    def _load(self, name: str) -> Array:
        if name in self._after:
            return self._after[name]
        index, owner = self.compiled.index, self._settled.get(name, name)
        if owner in self._homes:
            place, at = self._at_home(owner)
            return place.layout.gather(self._local(place.memory), at, index.dtype[name]).reshape(index.shape[name])
        address = self.compiled.dram.get(name)
        if address is not None:
            return self.machine.read_dram(address, index.shape[name], index.dtype[name])
        if name not in self._host:
            raise GraphError(f"tensor {name!r} has no value yet; write the inputs and run the step first")
        return self._host[name]

    def _at_home(self, name: str) -> tuple[Placement, int]:
        """Where a parameter stays in LM, and its first word."""
        place = self._homes[name].place
        assert place.address is not None
        return place, place.address

    def _local(self, memory: Memory) -> NDArray[np.uint32]:
        return self.machine.lm0 if memory == "LM0" else self.machine.lm1

    def _worker(self, part: ProgramPart | HostPiece | TransferPiece) -> Callable[[], None]:
        if isinstance(part, ProgramPart):
            return lambda: self._run_program(part)
        if isinstance(part, HostPiece):
            return self._host_worker(part.node)
        return lambda: self._transfer(part)

    def _run_program(self, part: ProgramPart) -> None:
        self.machine.run(part.program)

    def _host_worker(self, node: onnx.NodeProto) -> Callable[[], None]:
        inputs = list(dict.fromkeys(name for name in node.input if name))
        evaluator = ReferenceEvaluator(one_node_model(self.compiled.model, node, self.compiled.index))

        def work() -> None:
            with np.errstate(all="ignore"):
                results = evaluator.run(None, {name: self._load(name) for name in inputs})
            for name, value in zip(node.output, results, strict=True):
                self._store(name, np.asarray(value))

        return work

    def _transfer(self, piece: TransferPiece) -> None:
        """Serve a DL or UL by layout, as its kernel would."""
        op = piece.op
        local, dram = (op.output, op.x) if op.kind == "DL" else (op.x, op.output)
        memory = self._local(local.memory)
        dtype = np.dtype(local.dtype)
        if op.kind == "DL":
            local.layout.scatter(self.machine.read_dram(dram.address, dram.shape, dtype), memory, local.address)
        else:
            self.machine.write_dram(dram.address, local.layout.gather(memory, local.address, dtype).reshape(dram.shape))
