"""The train step of the course's network, walked: all copies of all values at every use, and the schedule."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from haribote.frontend.torch import trace_step
from haribote.graph import Index
from haribote.graphs.joins import Joins, join_table
from haribote.stack.program.compiled import planned
from haribote.stack.program.shortest import build
from haribote.stack.program.walk import difference, walk
from haribote.training.backends import example_batch
from haribote.training.models import mlp
from tests.long_runs import LONG


def feeds(user: onnx.ModelProto, joined: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Random inputs of the graph that is planned, joined values made of their parts."""
    random = np.random.default_rng(0)
    shapes = Index(user).shape
    values = {name: random.normal(size=shapes[name]).astype(np.float32) / 8 for name in Index(user).inputs}
    values["labels"] = random.integers(0, 10, shapes["labels"])
    index, joins = Index(joined), Joins(join_table(joined))
    found = {}
    for name in index.inputs:
        if name in joins.parts:
            found[name] = np.zeros(index.shape[name], index.dtype[name])
            joins.fill(name, found[name])
            for part in joins.parts[name]:
                if part.source:
                    part.put(found[name], values[part.source])
        else:
            found[name] = values[name].astype(index.dtype[name])
    return found


@pytest.mark.slow
def test_every_copy_of_every_value_is_right_at_every_use() -> None:
    model = mlp(784, 16, 10)
    step = trace_step(model, *example_batch(model, 256, 0.01))
    built = build(planned(step))
    found = walk(built, feeds(step, built.plan.graph))
    assert not found.wrong, str(found)
    assert not found.unknown and found.words > 10_000_000
    assert not difference(built)
    assert built.executable.cost.cycles < 3_300
    assert built.executable.cost.nops < 0.05 * built.executable.cost.steps
    assert (built.executable.cost.overlapped or 0) < 1_950


@LONG
@pytest.mark.slow
def test_the_step_in_mixed_precision() -> None:
    """x comes from DRAM as halves; what the walk expects is made of x rounded to halves."""
    model = mlp(784, 16, 10)
    step = trace_step(model, *example_batch(model, 256, 0.01))
    built = build(planned(step, "mixed"))
    found = walk(built, feeds(step, built.plan.graph), tolerance=5e-3)  # products of halves
    assert not found.wrong and found.words > 10_000_000, str(found)
    assert any(port.half for port in built.executable.inputs) and not difference(built)
    assert built.executable.cost.cycles < 2_200 and (built.executable.cost.overlapped or 0) <= 1_300
