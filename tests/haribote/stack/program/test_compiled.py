"""-O2 from a graph to what its reference gives, and the second time from the cache."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from haribote.commands.plan import plan_command
from haribote.compiler import compile_for_sim, start_session
from haribote.core import checker
from haribote.errors import HariboteError
from haribote.graph import Builder, evaluate
from haribote.graphs.cases import reference_case, save_case
from haribote.graphs.tiles import tile_table
from haribote.stack.planner.facts import MOST_WORDS
from haribote.stack.program import compiled
from haribote.stack.program.shortest import shortest
from simulator import Machine

X = np.random.default_rng(0).normal(size=(64, 10)).astype(np.float32)


def softmax() -> onnx.ModelProto:
    builder = Builder("softmax")
    builder.input("x", (64, 10), np.float32)
    builder.op("Softmax", "x", name="y", axis=1)
    builder.output("y")
    return builder.finish()


@pytest.fixture(autouse=True)
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    return tmp_path / "stack"


@pytest.mark.slow
def test_a_graph_is_compiled_once(cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(checker.VARIABLE)  # what is checked is always compiled anew
    model = softmax()
    for _ in range(2):
        found = compile_for_sim(model, level=2)
        assert found.chip_count == found.node_count > 3 and not found.host_nodes
        assert found.cost.nops < found.cost.steps and found.text
        session = start_session(found, Machine("native"))
        session.write("x", X)
        session.run()
        assert np.abs(session.read("y") - evaluate(model, {"x": X})["y"]).max() < 1e-6
        monkeypatch.setattr(compiled, "prepared", None)  # from now on nothing can be compiled
    (file,) = cached.glob("*.npz")
    whole = file.read_bytes()
    for damaged in (b"no archive", b"", whole[:-1000], whole[:1000] + bytes(1000) + whole[2000:]):
        file.write_bytes(damaged)
        with pytest.raises(TypeError, match="not callable"):
            compile_for_sim(model, level=2)


@pytest.mark.slow
def test_the_plan_is_printed_and_drawn(tmp_path: Path) -> None:
    save_case(reference_case("softmax", softmax(), {"x": X}), tmp_path / "softmax")
    text = plan_command(tmp_path / "softmax", 2, tmp_path / "plan.svg", True)
    assert "fmax" in text and text.endswith("plan.svg")
    assert (tmp_path / "plan.svg").read_text("utf-8").startswith("<svg")
    with pytest.raises(HariboteError, match="at -O0 there is no picture"):
        plan_command(tmp_path / "softmax", 0, tmp_path / "plan.svg", True)


def test_a_quick_compilation_is_right_and_kept_beside_the_other(cached: Path) -> None:
    model = softmax()
    found = compile_for_sim(model, level=2, quick=True)
    session = start_session(found, Machine("native"))
    session.write("x", X)
    session.run()
    assert np.abs(session.read("y") - evaluate(model, {"x": X})["y"]).max() < 1e-6
    assert len(list(cached.glob("*.npz"))) == 1
    compile_for_sim(model, level=2, quick=True)
    assert len(list(cached.glob("*.npz"))) == 1
    with pytest.raises(HariboteError, match="--quick at -O1"):
        compile_for_sim(model, level=1, quick=True)


@pytest.mark.parametrize("pieces", [True, False])
def test_what_puts_much_away_is_planned_again(pieces: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In more pieces where there are more, else of smaller values; the cheaper of both is taken."""
    builder = Builder("relu")
    builder.input("x", (256, 256), np.float32)
    builder.output(builder.op("Relu", "x", name="y"))
    model, tables, most = builder.finish(), [], []

    def noted(ready: onnx.ModelProto, precision: str, quick: bool = False, most_words: int = 0) -> object:
        tables.append(tile_table(ready))
        most.append(most_words)
        return plans(ready, precision, quick, most_words or MOST_WORDS)

    plans = compiled._plans
    monkeypatch.setattr(compiled, "_plans", noted)
    monkeypatch.setattr(compiled, "MUCH", -1.0)
    if pieces:
        monkeypatch.setattr(compiled, "PIECE_WORDS", 8)
    passed: compiled.Passed = {}
    found = compiled.built(model, passed=passed)
    first, second = tables
    assert not first and bool(second) is pieces
    assert most == [0, 0 if pieces else compiled.FEW_WORDS]
    assert tile_table(passed["cut_axes"]) == tile_table(found.plan.graph)
    monkeypatch.setattr(compiled, "MUCH", 1.0)
    assert found.executable.cost.fewest <= compiled.built(model).executable.cost.fewest
    assert len(tables) == 3, "nothing is put away: once is enough"
    monkeypatch.setattr(compiled, "shortest", lambda *given: replace(shortest(*given), first_put_away=1e9))
    compiled.built(model)
    assert len(tables) == 5, "the first plan puts much away"
