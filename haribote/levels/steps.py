"""The training step of the course (784-16-10, batch 256) at every level: your kernels where they work, else ours."""

from __future__ import annotations

from collections import Counter
from functools import cache

import onnx

from haribote.chip.codegen import ChipPiece
from haribote.chip.program import OWNERS, Compiled
from haribote.compiler import compile_for_sim, compile_learners
from haribote.network import BATCH, LEARNING_RATE, WIDTHS
from haribote.own.working import your_kernels
from simulator.messages import tr


@cache
def traced_step() -> onnx.ModelProto:
    """The training step as it is traced; this takes a few seconds, once."""
    from haribote.frontend.torch import trace_step
    from haribote.training.backends import example_batch
    from haribote.training.models import mlp

    model = mlp(*WIDTHS)
    return trace_step(model, *example_batch(model, BATCH, LEARNING_RATE))


def step_at(level: int = 0, precision: str = "float") -> Compiled:
    """The step at -O0, -O1 or -O2 with your kernels as they are now. precision: at -O2, as in `haribote train`.

    At -O2 the compiler writes every kernel itself. Raises HariboteError.
    """
    if level == 2:
        return _generated(precision)
    return compile_for_sim(traced_step(), find=your_kernels().find_or_fill, level=level)


def arranged_step() -> Compiled | None:
    """The step at -O2 by your kernels, the course's where you have none; None where none of yours would run."""
    return compile_learners(traced_step(), "simplify", your_kernels().find_or_fill)


@cache
def reference_step(level: int = 0) -> Compiled:
    """The step at -O0 or -O1 with the reference kernels."""
    return compile_for_sim(traced_step(), True, level=level)


@cache
def _generated(precision: str) -> Compiled:
    return compile_for_sim(traced_step(), level=2, precision=precision)


def whose(compiled: Compiled) -> str:
    """Whose kernels a step consists of, in words."""
    owners = Counter(piece.owner for piece in compiled.pieces if isinstance(piece, ChipPiece))
    found = [tr("{owners} nodes by {text}", owners[owner], text) for owner, text in OWNERS.items() if owners[owner]]
    return ", ".join(found) or "generated"
