"""Compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from haribote.errors import HariboteError
from haribote.frontend.compiled import CompiledGraph
from haribote.graph import updates
from haribote.mlsdk.artefact import Artefact
from haribote.mlsdk.families import RATE, SCALE, STEP, fixed
from haribote.mlsdk.interface import Complete
from haribote.mlsdk.owner import Owner
from haribote.mlsdk.proxy import InputProxy, OutputProxy, TensorProxy, checked
from haribote.mlsdk.residents import OptimizerRecord, Resident
from haribote.mlsdk.runtime import Runner
from haribote.mlsdk.specs import IOSpec, to_array
from haribote.mlsdk.timeline import DEVICE, span
from simulator.messages import tr

Inputs = Mapping[str, Tensor | TensorProxy]
Again = Callable[[], tuple[Artefact, CompiledGraph]]
"""Traces and compiles the function once more."""


class CompiledFunction(Complete):
    """A function on the device: called with a dict of tensors or proxies, it returns a dict of proxies.

    Attributes:
        input_specs, output_specs: by name, how the device holds them.
        graph: what runs, with its cost and coverage.
    """

    interface = ("allocate_input_proxy", "input_specs", "output_specs")

    def __init__(self, context: Owner, artefact: Artefact, graph: CompiledGraph, again: Again | None) -> None:
        """again: None for a function that was loaded."""
        self._context, self._again = context, again
        self._start(artefact, graph)

    def _start(self, artefact: Artefact, graph: CompiledGraph) -> None:
        self._artefact, self.graph, self._traced = artefact, graph, artefact.traced
        self._runner = Runner(graph, self._context.traffic)
        self._updated = set(updates(graph.model))
        self._first_step: dict[str, int] = {}
        self.input_specs: dict[str, IOSpec] = {
            name: self._runner.spec(name, value.shape, value.dtype) for name, value in self._traced.inputs.items()
        }
        self.output_specs: dict[str, IOSpec] = {
            name: self._runner.spec(self._traced.onnx_outputs[name], value.shape, value.dtype, name, output=True)
            for name, value in self._traced.outputs.items()
        }

    def allocate_input_proxy(self) -> dict[str, InputProxy]:
        """Room on the device for every input, to be written with `load_from` and given to a call."""
        return {name: InputProxy(spec, self._context) for name, spec in self.input_specs.items()}

    def __call__(self, inputs: Inputs) -> dict[str, TensorProxy]:
        """Run once. Raises HariboteError for inputs that are not those of the sample."""
        self._check_names(inputs)
        self._refresh()
        residents, records = self._residents(), self._records()
        self._runner.settle()
        for name, value in inputs.items():
            self._give(name, value)
        for name, number in self._numbers(inputs, records).items():
            self._runner.write_scalar(name, number)
        self._runner.place(residents)
        updated = [resident for resident in residents if resident.name in self._updated]
        cost = {"serial cycles": int(self.graph.cost.cycles)} if self.graph.cost else {}
        with span("run", DEVICE, engine=self.graph.engine, operators=len(self.graph.model.graph.node), **cost):
            self._runner.run(updated)
        for record in records.values():
            record.steps += 1
            vars(record.optimizer)["_opt_called"] = True  # what schedulers of learning rates look at
        return {
            name: OutputProxy(self.output_specs[name], self._context, self._runner, self._traced.onnx_outputs[name])
            for name in self._traced.outputs
        }

    def _check_names(self, inputs: Inputs) -> None:
        if not isinstance(inputs, Mapping):
            raise HariboteError(tr("a compiled function is called with a dict, received {name}", type(inputs).__name__))
        missing = [name for name in self._traced.inputs if name not in inputs]
        unknown = [name for name in inputs if name not in self._traced.inputs and not _special(name)]
        if missing or unknown:
            what = f"lacks {missing[0]!r}" if missing else tr("has {unknown!r}, which the sample had not", unknown[0])
            raise HariboteError(tr("the input {what}", what), f"inputs {', '.join(self._traced.inputs) or 'none'}")

    def _give(self, name: str, value: Any) -> None:
        if name not in self.input_specs:
            return
        spec = self.input_specs[name]
        if not isinstance(value, TensorProxy | Tensor):
            value = torch.as_tensor(value)
        checked(spec, value)
        if name not in self.graph.index.inputs:  # the graph does not use it
            return
        if isinstance(value, TensorProxy) and not value.is_on(self._context.device):
            value = value.cpu()
        if isinstance(value, TensorProxy):
            with span("on the device", DEVICE, name=name):
                self._runner.take(name, value.stored(), value.spec.is_memcopyable_to(spec))
        else:
            with span("to device", name=name, bytes=spec.size):
                self._runner.write(name, to_array(value, self.graph.index.dtype[name]))

    def _residents(self) -> list[Resident]:
        known = self._context.residents()
        for name in self._traced.residents:
            if name not in known:
                raise HariboteError(
                    tr("the compiled function uses {name!r}, which is not registered in this context", name),
                    tr("register it under this name before the call, as the program did that compiled the function"),
                )
        return [known[name] for name in self._traced.residents]

    def _records(self) -> dict[str, OptimizerRecord]:
        known = {record.name: record for record in self._context.records()}
        for record in known.values():
            record.look()
        return {name: known[name] for name in self._traced.stepped if name in known}

    def _refresh(self) -> None:
        """Compile anew where a hyperparameter that is a constant of the graph is another one now."""
        for name, record in self._records().items():
            if fixed(record.optimizer, record.family) != self._artefact.fixed.get(name):
                if self._again is None:
                    raise HariboteError(
                        tr("the hyperparameters of {name!r} are not those of the loaded function", name)
                    )
                self._runner.settle()
                self._start(*self._again())
                return

    def _numbers(self, inputs: Inputs, records: Mapping[str, OptimizerRecord]) -> dict[str, float]:
        """The numbers that are other ones at every call."""
        found: dict[str, float] = {}
        for name, change in self._traced.changes.items():
            if not change.optimizer:
                scale = _number(inputs[SCALE]) if SCALE in inputs else 1.0
                found[name] = scale if change.key == SCALE else 1 / scale
                continue
            given = {key: self._given(inputs, change.optimizer, change.group, key) for key in (RATE, STEP)}
            record = records.get(change.optimizer)
            if record is None or record.family is None:
                rate = given[RATE] if change.key == RATE else None
                found[name] = self._artefact.rates[name] if rate is None else rate
                continue
            group = record.optimizer.param_groups[change.group]
            rate, count = given[RATE], given[STEP]
            rate = float(group["lr"]) if rate is None else rate
            step = record.steps + 1 if count is None else self._count(change.optimizer, int(count))
            found[name] = record.family.scalars(group, rate, step)[change.key]
        return found

    def _given(self, inputs: Inputs, optimizer: str, group: int, key: str) -> float | None:
        """A number that the program gives itself, by the optimiser's name; the name may be another if there is one."""
        value = inputs.get(f"{optimizer}@{group}@{key}")
        if value is None and len(self._traced.stepped) == 1:
            value = next((inputs[name] for name in inputs if name.endswith(f"@{group}@{key}")), None)
        return None if value is None else _number(value)

    def _count(self, optimizer: str, given: int) -> int:
        """The number of the step, from 1. A count that begins with 0 counts the steps before, another this one too."""
        return given + 1 if self._first_step.setdefault(optimizer, given) == 0 else max(given, 1)


def _special(name: str) -> bool:
    return name == SCALE or name.endswith((f"@{RATE}", f"@{STEP}"))


def _number(value: Any) -> float:
    return float(value.item() if isinstance(value, Tensor | TensorProxy) else np.asarray(value).item())
