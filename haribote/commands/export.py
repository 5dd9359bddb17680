"""`haribote export` and `haribote compile`: a traced step as a folder, and the folder as assembly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.answers.calls import watched
from haribote.chip.program import Compiled
from haribote.compiler import compile_for_sim, save_stages, stages_at, start_session
from haribote.graph import save
from haribote.graphs.cases import Case, load_case, reference_case, save_case
from haribote.network import CLASSES, LARGE, Network
from haribote.own.ledger import ledger
from haribote.own.working import your_kernels
from simulator import Machine
from simulator.engine.state.snapshot import snapshot
from simulator.files import write_file
from simulator.messages import tr
from simulator.shell import command_line


def export(
    folder: Path,
    reference: str | None,
    hidden: Sequence[int],
    batch: int,
    learning_rate: float,
    bias: bool = True,
    network: Network = LARGE,
) -> Case:
    """Trace the training step of `reference` (FILE.py:NAME) or of a network of the course and write it as a case.

    The inputs are drawn at random from a fixed seed, scaled as normalised pixels are; outputs are ONNX's reference.
    """
    from haribote.training.backends import example_batch
    from haribote.training.models import load, mlp
    from haribote.training.step import training_step

    model = load(reference) if reference else mlp(network.pixels, *hidden, CLASSES, bias=bias)
    graph = training_step(model, *example_batch(model, batch, learning_rate))
    random = np.random.default_rng(0)
    images, classes = next(info for info in graph.graph.input if info.name == "x"), _classes(model)
    shape = tuple(dimension.dim_value for dimension in images.type.tensor_type.shape.dim)
    inputs: dict[str, NDArray[Any]] = {
        "x": random.uniform(-0.43, 2.82, shape).astype(np.float32),
        "labels": random.integers(0, classes, batch),
        **{name: value.detach().numpy() for name, value in model.named_parameters()},
    }
    case = reference_case(folder.name, graph, inputs)
    save_case(case, folder)
    return case


def compile_folder(
    folder: Path,
    stop_after: str | None,
    solutions: bool,
    level: int = 0,
    precision: str = "float",
    mine: bool = False,
    quick: bool = False,
) -> str:
    """Write `step.vsm`, or with `stop_after` the graph of every stage up to it; says what was written, and the ledger.

    mine: the learner's parts alone, see `training.train.Options`. quick: see `compiler.compile_for_sim`.
    """
    find = your_kernels().find if mine else None
    case = load_case(folder)
    if stop_after is not None:
        return save_stages(case.model, folder, stop_after, stages_at(level))
    with watched() as calls:
        compiled = compile_for_sim(case.model, solutions, find=find, level=level, precision=precision, quick=quick)
    table = "".join(f"{line}\n" for line in ledger(calls, compiled).told(mine))
    save(compiled.model, folder / "place.onnx")
    write_file(folder / "step.vsm", compiled.text.encode())
    write_file(folder / "step.npz", operands_of(compiled, case))
    cost = compiled.cost
    options = [*["--solutions"] * solutions, *[f"-O{level}"] * (level > 0 or solutions)]
    options += ["--precision", precision] * (precision != "float")
    return tr(
        "wrote {value}: {summary}\n"
        "{steps} PE steps (nops {nops}), {moves} MV of {move_words} long words, "
        "{cycles:.0f} cycles{compiled}\n"
        "{value2}"
        "{table}"
        "next: {value3}",
        value=folder / "step.vsm",
        summary=compiled.summary,
        steps=cost.steps,
        nops=cost.nops,
        moves=cost.moves,
        move_words=cost.move_words,
        cycles=cost.cycles,
        compiled=_before(compiled),
        value2="".join(f"{note}{chr(10)}" for note in compiled.notes),
        table=table,
        value3=command_line("haribote", "test", folder, "--backend", "sim", *options),
    )


def operands_of(compiled: Compiled, case: Case) -> bytes:
    """What the memories hold before a step runs on the inputs of a case: `python -m simulator view` starts with it."""
    session = start_session(compiled, Machine("numpy"))
    for name, value in case.inputs.items():
        session.write(name, value)
    return snapshot(session.machine)


def _before(compiled: Compiled) -> str:
    """What the scheduler has gained."""
    before = compiled.unscheduled
    if before is None:
        return ""
    return tr(
        "; before scheduling {steps} steps (nops {nops}), {cycles:.0f} cycles", before.steps, before.nops, before.cycles
    )


def _classes(model: Any) -> int:
    return int(list(model.parameters())[-1].shape[0])
