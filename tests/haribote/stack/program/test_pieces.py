"""Programs whose values are in pieces, and whose parameters stay in DRAM: on the chip as on the host."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
import pytest

from haribote.graph import Builder, evaluate, set_metadata
from haribote.stack.places import NoDram, NoRoom
from haribote.stack.plan import Version
from haribote.stack.planner.families import candidates
from haribote.stack.planner.states import NoWay, holdable
from haribote.stack.program import Built, build, builder, compiled, passes, session_of
from haribote.stack.program.walk import walk
from haribote.stack.tiling import sizes
from simulator import Machine
from tests.long_runs import LONG


def regression() -> onnx.ModelProto:
    """A step of linear regression: 32 samples of 24 features, 8 targets."""
    b = Builder("regression")
    x, t, w = b.input("x", (32, 24), np.float32), b.input("t", (32, 8), np.float32), b.input("w", (24, 8), np.float32)
    error = b.op("Sub", b.op("MatMul", x, w, name="y"), t, name="error")
    gradient = b.op("Gemm", x, error, name="gradient", transA=1)
    b.output(b.op("ReduceSum", b.op("Mul", error, error, name="squares"), name="loss", keepdims=0))
    b.output(b.op("Sub", w, b.op("Mul", gradient, b.scalar(0.01), name="change"), name="w.next"))
    model = b.finish()
    set_metadata(model, updates=json.dumps({"w": "w.next"}))
    return model


def trained(built: Built) -> None:
    """Two steps beside the reference evaluator."""
    model, random = regression(), np.random.default_rng(0)
    session = session_of(built.executable, Machine("native"))
    w = random.standard_normal((24, 8)).astype(np.float32)
    session.write("w", w)
    for _ in range(2):
        batch = {n: random.standard_normal(s).astype(np.float32) for n, s in (("x", (32, 24)), ("t", (32, 8)))}
        session.step(batch)
        wanted = evaluate(model, {**batch, "w": w})
        w = wanted["w.next"]
        assert np.allclose(session.read("w"), w, rtol=1e-5, atol=1e-6)
        assert np.allclose(session.outputs()["loss"], wanted["loss"], rtol=1e-5)
        assert set(session.outputs()) == {"loss", "w.next"}


@LONG
@pytest.mark.slow
def test_a_step_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "MOST_WORDS", 4)
    monkeypatch.setattr(sizes, "LEAST", 16)
    built = compiled.built(regression())
    assert {"w", "x", "t"} <= set(built.executable.tiles)
    trained(built)


@pytest.mark.slow
def test_parameters_that_stay_in_dram(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "MOST_RESIDENT", 0)
    monkeypatch.setattr(passes, "LEAST_AWAY", 0)
    built = compiled.built(regression())
    assert not built.homes and built.plan.resident
    trained(built)
    random = np.random.default_rng(1)
    shapes = {"x": (32, 24), "t": (32, 8), "w": (24, 8)}
    found = walk(built, {name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()})
    assert found.words > 10_000 and found.wrong == ()


def test_zeros_that_the_setup_keeps_leave_where_nothing_else_can(monkeypatch: pytest.MonkeyPatch) -> None:
    b = Builder("sum")
    b.output(b.op("Add", b.input("x", (8,), np.float32), b.scalar(1.0), name="y"))
    asked, emit = list[bool](), builder.ProgramBuilder.emit

    def without_zeros(writer: Any) -> None:
        asked.append(writer.code.own_buffers)
        if writer.code.own_buffers:
            raise NoRoom("a table of zeros is in the way")
        emit(writer)

    monkeypatch.setattr(builder.ProgramBuilder, "emit", without_zeros)
    session = session_of(compiled.built(b.finish()).executable, Machine("native"))
    session.step({"x": np.arange(8, dtype=np.float32)})
    assert asked[:2] == [True, False] and session.outputs()["y"].tolist() == list(range(1, 9))


def test_the_largest_residents_leave_first() -> None:
    versions = [Version("v", found, split) for split, found in candidates((64, 128))]
    ordered = sorted({version.map.longs for version in versions})
    (gone,) = passes._largest(versions, frozenset())
    assert gone.map.longs == ordered[-1] > ordered[0]
    assert passes._largest([], frozenset()) == frozenset()


def test_dram_that_is_full_names_the_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes.isa, "DRAM_LONGS", 64)
    b = Builder("sum")
    x = b.input("x", (64, 64), np.float32)
    b.output(b.op("Add", x, x, name="y"))
    plan = compiled.planned(b.finish())
    with pytest.raises(NoDram, match=r"'[xy]' .64x64.: .* long words of DRAM are needed; there are "):
        build(plan)


def test_a_layout_that_no_bank_holds_is_none() -> None:
    found = [Version("v", layout, split) for split, layout in candidates((4096, 4096))]
    assert found
    for version in found:
        with pytest.raises(NoWay, match="words per PE"):
            holdable(version)
