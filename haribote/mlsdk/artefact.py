"""A compiled function as it is kept: in a folder, to be loaded by another process, and in a cache."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import torch

from haribote.answers.deciding import digest
from haribote.errors import HariboteError
from haribote.frontend.compiled import CompiledGraph, Options
from haribote.graph import Index, load, updates
from haribote.mlsdk.interface import Complete
from haribote.mlsdk.recording import Change
from haribote.mlsdk.tracing import Traced, Value
from haribote.stack.program.compiled import PASSES, Passed, StackCompiled, compile_stack, prepared
from haribote.stack.program.executable import Executable, from_bytes, to_bytes
from simulator.archives import NPZ_ERRORS
from simulator.errors import reason_of
from simulator.files import write_file
from simulator.messages import tr

FORMAT = 1
SPECS, MODEL, PROGRAM, EXECUTABLE = "specs.json", "model.onnx", "step.vsm", "executable.npz"


class CacheOptions(Complete):
    """Compiled functions are kept in a folder, and used again for the same graph."""

    interface = ("path",)

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)


@dataclass
class Artefact:
    """A traced function with all that a call needs to know.

    device: the kind, or `auto` where the chip takes a part only; precision: of its products. fixed: by optimiser, the
    hyperparameters that are constants of the graph; rates: the numbers that change, as they were; tree: how
    `compile_automap` has flattened its arguments.
    """

    traced: Traced
    device: str
    precision: str
    fixed: dict[str, list[dict[str, Any]]]
    rates: dict[str, float]
    tree: dict[str, Any] | None = None


def start(
    artefact: Artefact, executable: bytes | None, cache: CacheOptions | None = None, passed: Passed | None = None
) -> CompiledGraph:
    """The graph on its device; compiled now where there is no executable yet. passed: as in `compile_stack`.

    Raises HariboteError.
    """
    model, precision = artefact.traced.model, artefact.precision
    if artefact.device == "host":
        return CompiledGraph(model, Options("host", host="fastest"))
    if artefact.device == "auto":
        return CompiledGraph(model, Options("auto", precision=precision, host="fastest"))
    kept = None if cache is None else cache.path / f"{_digest(model, precision)}.npz"
    ready = None if executable is None else _executable(executable)
    if ready is None and kept is not None and kept.is_file():
        with suppress(HariboteError):  # of an older version: compiled again
            ready = _executable(kept.read_bytes())
    if ready is not None:
        compiled = StackCompiled(model, (), (), Index(model), {}, updates(model), executable=ready)
    else:
        compiled = compile_stack(model, precision, passed=passed)
        if kept is not None:
            write_file(kept, to_bytes(compiled.executable))
    return CompiledGraph(model, Options("chip", precision=precision), compiled=compiled)


def _executable(content: bytes) -> Executable:
    try:
        return from_bytes(content)
    except NPZ_ERRORS as error:
        raise HariboteError(
            tr("{executable} is not as we write it: {error!r}", EXECUTABLE, error), tr("compile it again")
        ) from error


def _digest(model: onnx.ModelProto, precision: str) -> str:
    decides = f"{FORMAT} {precision} {digest(__name__)}".encode()
    return hashlib.sha256(model.SerializeToString(deterministic=True) + decides).hexdigest()[:32]


def write(folder: Path, artefact: Artefact, graph: CompiledGraph, passed: Passed) -> None:
    """Write all there is about a compilation. Each file appears whole, what makes the folder valid at last. passed: the
    graph after each pass; what is missing, where the program was in a cache, is made here.
    """
    (folder / SPECS).unlink(missing_ok=True)
    write_file(folder / MODEL, artefact.traced.model.SerializeToString())
    if isinstance(graph.compiled, StackCompiled):
        if len(passed) < len(PASSES):
            prepared(artefact.traced.model, passed)
        stages = [(name, model.SerializeToString()) for name, model in passed.items()]
        for number, (name, content) in enumerate(stages, 1):
            write_file(folder / f"stages/{number}_{name}.onnx", content)
        write_file(folder / "app.onnx", stages[-1][1])
        write_file(folder / PROGRAM, graph.compiled.text)
        write_file(folder / "plan.txt", plan_text(graph.compiled))
        write_file(folder / EXECUTABLE, to_bytes(graph.compiled.executable))
    write_file(folder / SPECS, json.dumps(_plain(artefact), indent=1))


def plan_text(compiled: StackCompiled) -> str:
    """Where inputs, outputs and residents lie, and what a run costs."""
    from haribote.stack.notation import text_of

    found, cost = compiled.executable, compiled.cost
    head = tr(
        "{nodes} operators, {steps} steps, {moves} MV, {cycles:.0f} serial cycles a run\n",
        found.nodes,
        cost.steps,
        cost.moves,
        cost.cycles,
    )
    rows = []
    for title in ("inputs", "outputs", "loads", "stores"):
        for port in getattr(found, title):
            where = f"{port.version.map.memory} {text_of(port.version.map)}"
            dram = f"DRAM {port.address} {text_of(port.map)}"
            rows.append(
                tr(
                    "{title:7} {name} {dtype}{shape}: {dram}; on the chip {where}",
                    title=title[:-1],
                    name=port.name,
                    dtype=port.dtype,
                    shape=list(port.shape),
                    dram=dram,
                    where=where,
                )
            )
    return head + "\n".join(rows) + "\n"


def read(folder: Path) -> tuple[Artefact, bytes | None]:
    """A compiled function from its folder. Raises HariboteError for a folder that holds none."""
    try:
        plain = json.loads((folder / SPECS).read_text(encoding="utf-8"))
        if plain["format"] != FORMAT:
            raise HariboteError(
                tr("{folder} was written by another version (format {plain})", folder, plain["format"]),
                tr("compile it again"),
            )
        executable = (folder / EXECUTABLE).read_bytes() if plain["device"] == "chip" else None
        return _from_plain(plain, load(folder / MODEL)), executable
    except OSError as error:
        what = tr(
            "{folder} is no folder of a compiled function: {name}: {strerror}",
            folder,
            Path(error.filename or folder).name,
            reason_of(error),
        )
        raise HariboteError(what, tr("Context.compile(…, codegen_dir) writes one")) from error
    except (KeyError, TypeError, ValueError) as error:
        raise HariboteError(
            tr("{value} is not as we write it: {error!r}", folder / SPECS, error), tr("compile it again")
        ) from error


def _plain(artefact: Artefact) -> dict[str, Any]:
    traced = artefact.traced
    return {
        "format": FORMAT,
        "device": artefact.device,
        "precision": artefact.precision,
        "inputs": {name: _spec(value) for name, value in traced.inputs.items()},
        "outputs": {name: _spec(value) for name, value in traced.outputs.items()},
        "onnx_outputs": traced.onnx_outputs,
        "residents": list(traced.residents),
        "changes": {name: [one.optimizer, one.group, one.key] for name, one in traced.changes.items()},
        "stepped": list(traced.stepped),
        "fixed": artefact.fixed,
        "rates": artefact.rates,
        "tree": artefact.tree,
    }


def _from_plain(plain: dict[str, Any], model: onnx.ModelProto) -> Artefact:
    traced = Traced(
        model,
        {name: _value(spec) for name, spec in plain["inputs"].items()},
        {name: _value(spec) for name, spec in plain["outputs"].items()},
        plain["onnx_outputs"],
        tuple(plain["residents"]),
        {name: Change(*change) for name, change in plain["changes"].items()},
        tuple(plain["stepped"]),
    )
    kept = (plain[name] for name in ("device", "precision", "fixed", "rates", "tree"))
    return Artefact(traced, *kept)


def _spec(value: Value) -> list[Any]:
    return [list(value.shape), str(value.dtype).removeprefix("torch.")]


def _value(spec: list[Any]) -> Value:
    dtype = getattr(torch, spec[1])
    if not isinstance(dtype, torch.dtype):
        raise ValueError(spec[1])
    return Value(tuple(spec[0]), dtype)
