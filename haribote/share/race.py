"""What a training step costs at each level: the lanes of the race."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import onnx

from haribote.chip.codegen import ChipPiece, Find
from haribote.chip.program import Compiled
from haribote.compiler import compile_for_sim, compile_learners
from haribote.levels.board import BY_HAND
from haribote.network import LARGE, Network
from haribote.own.working import your_kernels
from simulator.messages import tr


@dataclass(frozen=True)
class Lane:
    """One way to run the step. cycles: of a step, one thing after another."""

    name: str
    cycles: float
    note: str = ""


def lanes(step: onnx.ModelProto, network: Network, solutions: bool) -> tuple[Lane, ...]:
    """-O0, -O1 and -O2, and where there is one the program that was written by hand; the dearest first.

    solutions: the course's kernels, else the learner's where they work and the course's elsewhere; at -O2 those have a
    lane of their own, beside the course's compiler.
    """
    find: Find | None = None if solutions else your_kernels().find_or_fill
    found = [_lane(compile_for_sim(step, solutions, find=find, level=level), level) for level in (0, 1)]
    mine = None if solutions else compile_learners(step, "simplify", your_kernels().find)
    found += [_lane(mine, 2)] if mine else []
    name, note = tr("course's") if mine else "-O2", tr("the course's compiler writes every kernel")
    found.append(Lane(name, compile_for_sim(step, level=2).cost.cycles, note))
    if network is LARGE:
        found.append(Lane(tr("by hand"), BY_HAND.cycles, tr("one program, written by a person")))
    return tuple(sorted(found, key=lambda lane: -lane.cycles))


def _lane(compiled: Compiled, level: int) -> Lane:
    return Lane(f"-O{level}", compiled.cost.cycles, _whose(compiled))


def _whose(compiled: Compiled) -> str:
    owners = [piece.owner for piece in compiled.pieces if isinstance(piece, ChipPiece)]
    mine, course = owners.count("yours"), owners.count("reference")
    if mine and course:
        return tr("{mine} kernels of the learner's, {course} of the course's", mine, course)
    return tr("the learner's kernels") if mine else tr("the course's kernels")


def traced(model: Any, batch: int, learning_rate: float) -> onnx.ModelProto:
    """The training step of a model, as `haribote train` compiles it."""
    from haribote.training.backends import example_batch
    from haribote.training.step import training_step

    return training_step(model, *example_batch(model, batch, learning_rate))
