"""Training and inference on the simulated chip."""

from __future__ import annotations

from typing import Any

from haribote.chip.codegen import Find
from haribote.chip.program import Compiled
from haribote.chip.session import Session
from haribote.own.filled import Filled
from haribote.training.backends import (
    ChipRequired,
    CompiledBackend,
    Parameters,
    example_batch,
    initial_parameters,
)
from haribote.training.step import training_step
from simulator import Machine
from simulator.messages import tr


class SimBackend(CompiledBackend):
    """The step compiled for MN-Core 2, on the simulated machine."""

    def __init__(
        self,
        model: Any,
        learning_rate: float,
        batch: int,
        solutions: bool,
        require_chip: bool = False,
        engine: str = "native",
        find: Find | None = None,
        level: int = 0,
        precision: str = "float",
        fill: bool = False,
    ) -> None:
        """fill: the learner's kernels where they pass, the course's elsewhere (`own.working`); they come before `find`.

        Raises ChipRequired, and HariboteError for a level or precision that there is not.
        """
        from haribote.chip.runtime import fastest_machine
        from haribote.compiler import compile_for_sim, start_session
        from haribote.frontend.torch import trace_inference

        filled = Filled() if fill else None
        find = filled.find if filled else find
        optimiser, images, labels = example_batch(model, batch, learning_rate)
        self.level = level
        step, forward = training_step(model, optimiser, images, labels), trace_inference(model, images)
        self.compiled: Compiled = compile_for_sim(step, solutions, find=find, level=level, precision=precision)
        if require_chip and self.compiled.host_nodes:
            raise ChipRequired(
                tr(
                    "--require-chip: {host_nodes} of {node_count} nodes run on the host: ",
                    len(self.compiled.host_nodes),
                    self.compiled.node_count,
                )
                + ", ".join(
                    f"{piece.node.name} ({piece.reason.splitlines()[0]})" for piece in self.compiled.host_nodes
                ),
                tr("write what is missing; without --require-chip the host does it"),
            )
        self._session = start_session(self.compiled, fastest_machine(engine))
        engine = self.machine.engine  # what could be had: it is said once
        infer = compile_for_sim(forward, solutions, find=find, level=level, precision=precision)
        inference = start_session(infer, Machine(engine))
        self.whose: tuple[str, ...] = tuple(filled.lines(self.compiled)) if filled else ()
        by = tr("native engine") if engine == "native" else tr("numpy engine")
        summary = "\n".join([f"{self.compiled.summary}; {by}", *self.whose, *self.compiled.notes])
        super().__init__(self._session, inference, batch, initial_parameters(model), summary)

    @property
    def session(self) -> Session:
        """The compiled training step on its machine."""
        return self._session

    @property
    def machine(self) -> Machine:
        """The machine that trains."""
        return self._session.machine

    def padded_parameters(self) -> Parameters:
        """All parameters as they lie in DRAM, padding included."""
        return {name: self._session.read(name, padded=True) for name in self._names}
