"""From a function to a compiled graph: traced, compiled, written to its folder."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from haribote.errors import HariboteError, UnsupportedModel
from haribote.frontend.compiled import CompiledGraph
from haribote.mlsdk import artefact as artefacts
from haribote.mlsdk.artefact import Artefact, CacheOptions
from haribote.mlsdk.families import fixed
from haribote.mlsdk.function import Again, CompiledFunction
from haribote.mlsdk.options import CompileOptions
from haribote.mlsdk.owner import Owner
from haribote.mlsdk.proxy import TensorProxy
from haribote.mlsdk.recording import UnknownOptimizer
from haribote.mlsdk.specs import IOSpec
from haribote.mlsdk.timeline import span
from haribote.mlsdk.tracing import trace
from haribote.partition.verdicts import reason
from haribote.progress import aloud
from haribote.stack.program.compiled import Passed
from simulator.messages import tr

MOST_OPTIMIZERS = 16
"""Optimisers that one function may step without their being registered."""


def compiled(
    context: Owner,
    fn: Callable[[dict[str, Tensor]], Mapping[str, Tensor]],
    inputs: dict[str, Tensor],
    codegen_dir: str | os.PathLike[str] | None,
    asked: CompileOptions,
    cache: CacheOptions | None,
    tree: Callable[[], dict[str, Any]] | None = None,
) -> tuple[Artefact, CompiledGraph, Again]:
    """Trace, compile, write; and how to do it again."""

    def again() -> tuple[Artefact, CompiledGraph]:
        with span("trace"):
            artefact = _traced(context, fn, inputs, asked)
        artefact.tree = None if tree is None else tree()
        with span("compile", operators=len(artefact.traced.model.graph.node)), aloud():
            passed: Passed = {}
            graph = _started(artefact, cache, passed if codegen_dir is not None else None)
        if codegen_dir is not None:
            artefacts.write(Path(codegen_dir), artefact, graph, passed)
        return artefact, graph

    return (*again(), again)


def _traced(
    context: Owner,
    fn: Callable[[dict[str, Tensor]], Mapping[str, Tensor]],
    inputs: dict[str, Tensor],
    asked: CompileOptions,
) -> Artefact:
    made = 0
    for registered in context.records():
        registered.look()
    while True:
        try:
            traced = trace(fn, inputs, context.residents(), context.records())
            break
        except UnknownOptimizer as found:  # one without state needs no registration
            _require_registered(context, found.optimizer)
            made += 1
            if made > MOST_OPTIMIZERS:
                raise UnsupportedModel(
                    tr("the function makes a {name} of its own at every call", type(found.optimizer).__name__),
                    tr("make it once, outside of the function"),
                ) from None
            context.register_optimizer_buffers(found.optimizer)
    context.settle_names(traced.residents)
    known = {record.name: record for record in context.records()}
    rates = {}
    for name, change in traced.changes.items():
        record = known.get(change.optimizer)
        if record is None or record.family is None:
            rates[name] = 1.0
        else:
            group = record.optimizer.param_groups[change.group]
            rates[name] = record.family.scalars(group, float(group["lr"]), record.steps + 1)[change.key]
    constants = {name: fixed(known[name].optimizer, known[name].family) for name in traced.stepped}
    return Artefact(traced, context.device.kind, asked.precision, constants, rates)


def _require_registered(context: Owner, optimizer: torch.optim.Optimizer) -> None:
    """Raises UnsupportedModel for a parameter of the optimiser that the device does not have."""
    known = {id(resident.tensor()) for resident in context.residents().values()}
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if id(parameter) not in known:
                raise UnsupportedModel(
                    tr(
                        "the function writes to a tensor of shape {shape} that is not registered, in a step of {name}",
                        list(parameter.shape),
                        type(optimizer).__name__,
                    ),
                    tr("context.register_param or registry.register before compile"),
                )


def _started(artefact: Artefact, cache: CacheOptions | None, passed: Passed | None) -> CompiledGraph:
    try:
        return artefacts.start(artefact, None, cache, passed)
    except Exception as error:  # the host can run what the chip does not take, whatever ours raises
        if artefact.device != "chip":
            raise
        why = reason(error)
    artefact.device = "auto"
    graph = artefacts.start(artefact, None)
    if graph.engine == "chip" and graph.cut is not None:
        told = tr("the chip runs this graph in pieces ({count}): {why}", len(graph.cut.pieces), why)
    else:
        told = tr("the chip takes {coverage} operators of this graph, the host the others: {why}", graph.coverage, why)
    warnings.warn(told, stacklevel=5)
    return graph


def constrain(found: CompiledFunction, wanted: Mapping[str, IOSpec]) -> None:
    """Raises HariboteError for a name that the function has not, or a spec of another shape or dtype."""
    for name, spec in wanted.items():
        ours = found.input_specs.get(name) or found.output_specs.get(name)
        if ours is None:
            known = [*found.input_specs, *found.output_specs]
            raise HariboteError(
                tr("io_spec_constraints: there is no {name!r}", name), tr("one of {known}", ", ".join(known))
            )
        if (ours.shape, ours.dtype) != (spec.shape, spec.dtype):
            raise HariboteError(
                tr(
                    "io_spec_constraints: {name!r} is {dtype}{shape}, the constraint {dtype2}{shape2}",
                    name=name,
                    dtype=ours.dtype,
                    shape=list(ours.shape),
                    dtype2=spec.dtype,
                    shape2=list(spec.shape),
                )
            )


def sample_tensors(sample: Any) -> dict[str, Tensor]:
    """A sample as tensors. Raises HariboteError for what is none."""
    if not isinstance(sample, Mapping):
        raise HariboteError(
            tr("compile: the sample is a dict of tensors, received {name}", type(sample).__name__), "compile_automap"
        )
    return {str(name): _tensor(name, value) for name, value in sample.items()}


def _tensor(name: str, value: Any) -> Tensor:
    if isinstance(value, TensorProxy):
        return torch.zeros(value.shape, dtype=value.dtype)
    try:
        return value if isinstance(value, Tensor) else torch.as_tensor(value)
    except (RuntimeError, TypeError, ValueError) as error:
        raise HariboteError(tr("compile: {name!r} of the sample is no tensor: {error}", name, error)) from error
