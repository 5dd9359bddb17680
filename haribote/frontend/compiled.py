"""A graph compiled for a device: what every front end calls once it has made its graph.

A front end knows names, shapes and arrays; where the nodes run is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.chip.program import Compiled
from haribote.compiler import compile_for_sim, start_session
from haribote.errors import HariboteError
from haribote.graph import Index
from haribote.partition.cut import cut
from haribote.partition.host import fastest, reference
from haribote.partition.pieces import Cut
from haribote.partition.session import CutSession, HostSession
from haribote.words import share_of
from simulator import Machine
from simulator.isa.cost import Cost, sum_costs
from simulator.messages import tr

Array = NDArray[Any]

DEVICES = ("chip", "host", "auto")
"""chip: the simulated machine; host: the same graph without one, see `Options.host`; auto: the chip for what it
takes, the host for the rest (`haribote.partition`).
"""


@dataclass(frozen=True)
class Options:
    """How a graph is compiled. level: of the chip, one of `compiler.LEVELS`; precision: of its products; host: by the
    reference operators of ONNX, or by the fastest engine that is installed (`partition.host`).
    """

    device: Literal["chip", "host", "auto"] = "chip"
    level: int = 2
    precision: str = "float"
    host: Literal["reference", "fastest"] = "reference"


class CompiledGraph:
    """A graph on a device. Parameters that it updates (`graph.updates`) stay there, updated, from run to run.

    Attributes:
        model: the graph as the front end made it.
        names: inputs in order, parameters included.
        cost: of one run on the chip, all its pieces together; None on the host.
        cut: the pieces for chip and host with `device="auto"`, else None.
        engine: what runs it: `chip`; `reference`, `onnxruntime` or `C++` on the host; `chip and onnxruntime`, a cut.
    """

    def __init__(
        self,
        model: onnx.ModelProto,
        options: Options = Options(),
        machine: Machine | None = None,
        compiled: Compiled | None = None,
    ) -> None:
        """compiled: what `compile_for_sim` has made of the graph before; None to compile it now."""
        if options.device not in DEVICES:
            raise HariboteError(
                tr("there is no device {device!r}", options.device), tr("one of {devices}", ", ".join(DEVICES))
            )
        self.model, self.options, self.index = model, options, Index(model)
        self.names = list(self.index.inputs)
        self._session: Any = None
        self.cut: Cut | None = None
        self.cost: Cost | None = None
        self.compiled, self.engine = compiled, "chip"
        if options.device == "chip":
            if self.compiled is None:
                self.compiled = compile_for_sim(model, True, level=options.level, precision=options.precision)
            self._session, self.cost = start_session(self.compiled, machine), self.compiled.cost
        elif options.device == "auto":
            self._session = self._cut_session(machine)
        else:
            self.engine, run = fastest(model) if options.host == "fastest" else ("reference", reference(model))
            self._session = HostSession(model, run)

    def _cut_session(self, machine: Machine | None) -> CutSession:
        if self.options.level != 2:
            raise HariboteError(
                tr("device 'auto' at -O{level}: only -O2 says what it cannot do", self.options.level), "level=2"
            )
        self.cut = cut(self.model, self.options.precision)
        self.cost = sum_costs(piece.compiled.cost for piece in self.cut.pieces if piece.compiled is not None)
        self.engine = " and ".join(dict.fromkeys(piece.engine for piece in self.cut.pieces))
        return CutSession(self.cut, machine)

    @property
    def session(self) -> Any:
        """The chip's session; None on the host."""
        return None if self.options.device == "host" else self._session

    @property
    def coverage(self) -> str:
        """How many nodes run on the chip, `n of n`."""
        if self.cut is not None:
            return self.cut.coverage
        if self.compiled and self.session and self.options.level < 2:  # where no kernel fits, the host computes
            return share_of(self.compiled.chip_count, self.compiled.node_count)
        count = len(self.model.graph.node)
        return share_of(count if self.session else 0, count)

    def write(self, name: str, value: Array) -> None:
        """Give an input or a parameter a value. Raises HariboteError for another name, shape or dtype."""
        if name not in self.names:
            raise HariboteError(
                tr("the graph has no input {name!r}", name), tr("one of {names}", ", ".join(self.names))
            )
        wanted = (self.index.dtype[name], self.index.shape[name])
        if (value.dtype, value.shape) != wanted:
            received = tr("received {value}", f"{value.dtype}{list(value.shape)}")
            raise HariboteError(
                tr(
                    "{name!r} must be {wanted}{wanted2}, {received}",
                    name=name,
                    wanted=wanted[0],
                    wanted2=list(wanted[1]),
                    received=received,
                )
            )
        self._session.write(name, value)

    def read(self, name: str) -> Array:
        """An output of the last run, or a parameter as it is now."""
        result: Array = self._session.read(name)
        return result

    def run(self, inputs: Mapping[str, Array]) -> None:
        """Write `inputs` and run once; every updated parameter is the parameter of the next run."""
        for name, value in inputs.items():
            self.write(name, value)
        self._session.step({})

    def __call__(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Run once and read all outputs, by name."""
        self.run(inputs)
        return {name: np.asarray(self.read(name)) for name in self.index.outputs}
