"""Steps whose values are all cut along the batch: which they are, and which layouts may be had."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import onnx
import pytest

from haribote.graph import Builder, Index, set_metadata, updates
from haribote.stack import products
from haribote.stack.maps import COPY, Bit
from haribote.stack.plan import Version
from haribote.stack.planner.batch import NO_AXIS, Axes, batch_axes
from haribote.stack.planner.families import candidates


def step(batch: int = 256, inputs: int = 1024, hidden: int = 64) -> onnx.ModelProto:
    """z = relu(x wᵀ), w.next = w - 0.1 zᵀ x."""
    builder = Builder("step")
    builder.input("x", (batch, inputs), np.float32)
    builder.input("w", (hidden, inputs), np.float32)
    builder.op("Gemm", "x", "w", name="y", transB=1)
    builder.op("Relu", "y", name="z")
    builder.op("Gemm", "z", "x", name="g", transA=1)
    builder.op("Mul", "g", builder.constant(np.array(0.1, np.float32), "rate"), name="d")
    builder.op("Sub", "w", "d", name="w.next")
    builder.output("z")
    builder.output("w.next")
    model = builder.finish()
    set_metadata(model, updates=json.dumps({"w": "w.next"}))
    return model


def axes_of(model: onnx.ModelProto) -> Axes | None:
    return batch_axes(Index(model), frozenset(updates(model)), model.graph.node)


def test_the_batch_is_followed_through_the_graph() -> None:
    found = axes_of(step())
    assert found is not None
    assert {name for name, axis in found.batch.items() if axis == 0} == {"x", "y", "z"}
    assert all(found.batch[name] == NO_AXIS for name in ("w", "g", "d", "w.next"))
    assert found.inner == {(64, 1024): 1} and found.given == {"x"}


@pytest.mark.parametrize(("batch", "inputs", "hidden"), [(256, 1024, 8), (16, 1024, 64), (256, 1024, 33)])
def test_small_products_few_rows_and_odd_axes_are_left_to_free_choice(batch: int, inputs: int, hidden: int) -> None:
    assert axes_of(step(batch, inputs, hidden)) is None


def test_rows_are_in_the_l1bs_and_columns_in_the_l2bs() -> None:
    found = axes_of(step())
    assert found is not None
    copied = replace(found, copied=True)
    for name, shape in (("x", (256, 1024)), ("z", (256, 64))):
        places = [Version(name, place, split) for split, place in candidates(shape)]
        kept = [version for version in places if found.admits(version)]
        assert kept and len(kept) < len(places)
        columns = places[0].map.axes[1]
        for version in kept:
            assert version.map[Bit("L2B", 0)] in (*columns, COPY)
            assert all(version.map[Bit("L1B", number)] not in columns for number in range(3))
        fewer = [version for version in kept if copied.admits(version)]
        dealt = [version for version in kept if version.map[Bit("L2B", 0)] != COPY]
        assert len(fewer) + len(dealt) * (name == "z") == len(kept)  # what the host gives may be dealt out in any case


def test_weights_are_in_all_l1bs_and_dealt_out_by_what_is_summed_over() -> None:
    found = axes_of(step())
    assert found is not None
    x = next(place for _, place in candidates((256, 1024)) if place[Bit("L2B", 0)] >= 0 and place[Bit("L1B", 0)] >= 10)
    for place in products.partners("nk,mk->nm", "b", x, (64, 1024)):
        by_columns = place[Bit("L2B", 0)] == x[Bit("L2B", 0)]
        in_all = all(place[Bit("L1B", number)] == COPY for number in range(3))
        assert found.admits(Version("w", place, ((64,), (1024,)))) == (by_columns and in_all)
    rows = next(place for _, place in candidates((64, 1024)) if place[Bit("L1B", 0)] >= 10)
    assert not found.admits(Version("w", rows, ((64,), (1024,))))
    assert found.admits(Version("w.named.by.the.planner", rows, ((64,), (1024,))))
