"""Cuts and their runs against the reference: what is refused, what is cheaper on the host, parameters, the cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from haribote.errors import HariboteError
from haribote.frontend.compiled import CompiledGraph, Options
from haribote.graph import Builder, Index, evaluate, set_metadata, updates, verify
from haribote.partition import cut as cut_module
from haribote.partition.cut import cut
from haribote.partition.pieces import Cut
from haribote.partition.session import CutSession

Array = NDArray[Any]
random = np.random.default_rng(5)


def normal(*shape: int) -> Array:
    return np.asarray(random.standard_normal(shape), np.float32)


def chain() -> onnx.ModelProto:
    """Two operators that the chip has not (random numbers), one between them that it has, and chip nodes around."""
    b = Builder("chain")
    h = b.op(
        "Relu", b.op("MatMul", b.input("x", (8, 6), np.float32), b.constant(normal(6, 4), "w"), name="p"), name="h"
    )
    first = b.op("RandomNormalLike", h, name="first", seed=1.0)
    second = b.op("RandomNormalLike", b.op("Neg", first, name="between"), name="second", seed=1.0)
    b.output(b.op("Mul", second, h, name="y"))
    return b.finish()


def step() -> onnx.ModelProto:
    """A parameter that is read before and updated after what only the host can do; a second one that never moves."""
    b = Builder("step")
    x, w = b.input("x", (8, 6), np.float32), b.input("w", (6, 4), np.float32)
    scale = b.input("s", (4,), np.float32)
    h = b.op("MatMul", x, w, name="h")
    sure = b.op("Relu", b.op("Sign", h, name="sign"), name="sure")
    m = b.op("Bernoulli", sure, name="m", seed=1.0)  # of 0 and 1, which is no chance
    change = b.op(
        "MatMul", b.op("Transpose", x, name="xt", perm=[1, 0]), b.op("Mul", m, scale, name="g"), name="change"
    )
    b.output(b.op("Sub", w, b.op("Mul", change, b.scalar(0.1), name="part"), name="w.next"))
    b.output(b.op("Mul", scale, b.scalar(0.5), name="s.next"))
    b.output(b.op("ReduceSum", h, name="sum", keepdims=0))
    model = b.finish()
    set_metadata(model, updates=json.dumps({"w": "w.next", "s": "s.next"}))
    return model


def check(found: Cut) -> None:
    """Every piece is valid by itself, reads only what is there, and together they are all nodes."""
    index = Index(found.model)
    there, names = set(index.inputs), []
    for piece in found.pieces:
        verify(piece.model)
        own = Index(piece.model)
        assert there.issuperset(own.inputs)
        there.update(own.outputs)
        names += [node.name for node in piece.model.graph.node]
    assert there.issuperset(index.outputs)
    assert sorted(names) == sorted(node.name for node in found.model.graph.node)
    assert set(found.reasons) == {n.name for p in found.pieces if p.side == "host" for n in p.model.graph.node}
    assert all(found.reasons.values())


@pytest.mark.slow
def test_what_the_chip_has_not_goes_to_the_host_with_its_reason() -> None:
    found = cut(chain(), by_cost=False)
    check(found)
    assert [piece.side for piece in found.pieces] == ["chip", "host", "chip", "host", "chip"]
    assert found.coverage == "4 of 6" and "no rule for RandomNormalLike" in found.reasons["first"]
    assert {(c.name, c.source, c.target, c.size, c.hops) for c in found.crossings} == {
        ("h", 0, 1, 128, 1), ("first", 1, 2, 128, 1), ("between", 2, 3, 128, 1), ("second", 3, 4, 128, 1),
        ("h", 0, 4, 128, 1),
    }  # fmt: skip
    assert "4 of 6 nodes on the chip, 5 pieces" in found.table() and "no rule for RandomNormalLike" in found.table()


@pytest.mark.slow
def test_what_is_cheaper_on_the_host_goes_there_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cut_module, "measured", lambda model: ("reference", 5.0))
    found = cut(chain())
    check(found)
    assert [piece.side for piece in found.pieces] == ["chip", "host", "chip"] and found.coverage == "3 of 6"
    assert found.reasons["between"].startswith("cheaper here: ")
    assert found.microseconds < cut(chain(), by_cost=False).microseconds
    monkeypatch.setattr(cut_module, "measured", lambda model: ("reference", 1000.0 ** len(model.graph.node)))
    assert cut_module._Search(chain(), "float").cheapest(cut(chain(), by_cost=False)).coverage == "4 of 6"


@pytest.mark.slow
def test_a_run_gives_the_reference_with_parameters_in_their_pieces() -> None:
    model = step()
    graph = CompiledGraph(model, Options(device="auto"))
    assert graph.coverage == "10 of 11" and graph.cost is not None and graph.cost.cycles > 0
    assert graph.cut is not None
    check(graph.cut)
    values = {"x": normal(8, 6), "w": normal(6, 4), "s": normal(4)}
    for name, value in values.items():
        graph.write(name, value)
    for number in range(3):
        if number == 1:
            values["x"] = normal(8, 6)
            graph.write("x", values["x"])  # the others stay
        graph.run({})
        expected = evaluate(model, values)
        for name, value in expected.items():
            np.testing.assert_allclose(graph.read(name), value, atol=1e-5, err_msg=f"{name} in run {number}")
        values |= {name: expected[after] for name, after in updates(model).items()}
        for name in ("w", "s"):
            np.testing.assert_allclose(graph.read(name), values[name], atol=1e-5)
    kept = {name for piece in graph.cut.pieces for name in updates(piece.model)}
    assert kept == {"w", "s"} and any(c.name == "w.next" for c in graph.cut.crossings)


def test_a_graph_for_the_chip_alone_is_one_piece() -> None:
    b = Builder("whole")
    b.output(b.op("Relu", b.input("x", (8, 4), np.float32), name="y"))
    found = cut(b.finish())
    assert [piece.side for piece in found.pieces] == ["chip"] and found.crossings == () and found.coverage == "1 of 1"


def test_a_graph_for_the_host_alone_runs_too() -> None:
    b = Builder("doubles")
    b.output(b.op("Relu", b.input("x", (3,), np.float64), name="y"))
    graph = CompiledGraph(b.finish(), Options(device="auto"))
    assert graph.coverage == "0 of 1" and "float64 is no type of the chip" in str(graph.cut and graph.cut.reasons)
    np.testing.assert_array_equal(graph({"x": np.array([-1.0, 0, 2])})["y"], [0, 0, 2])


@pytest.mark.slow
def test_what_the_compiler_refuses_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that takes two nodes at most, and no Exp."""
    real = cut_module.compiled_or_reason

    def small(model: onnx.ModelProto, precision: str) -> Any:
        ops = [node.op_type for node in model.graph.node]
        return "no room" if len(ops) > 2 or "Exp" in ops else real(model, precision)

    monkeypatch.setattr(cut_module, "compiled_or_reason", small)
    b = Builder("long")
    x = b.input("x", (8, 4), np.float32)
    for number, op_type in enumerate(("Relu", "Neg", "Abs", "Exp", "Neg")):
        x = b.op(op_type, x, name=f"n{number}")
    b.output(x)
    found = cut(b.finish(), by_cost=False)
    check(found)
    assert found.reasons == {"n3": "no room"}
    assert [(piece.side, piece.nodes) for piece in found.pieces][-2:] == [("host", 1), ("chip", 1)]
    assert all(piece.nodes <= 2 for piece in found.pieces) and found.coverage == "4 of 5"
    apart = [piece.apart for piece in found.pieces]
    assert (
        apart[0] == apart[-1] == "" and set(apart[1:-2]) == {"no room"} and "not one with 1: no room" in found.table()
    )
    value = normal(8, 4)
    session = CutSession(found)
    session.step({"x": value})
    np.testing.assert_allclose(session.read("n4"), -np.exp(np.abs(-np.maximum(value, 0))), rtol=1e-5)


@pytest.mark.slow
def test_what_is_refused_alone_may_be_taken_in_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that reads a constant sees it where another node of the graph computes it."""
    b = Builder("constants")
    half = b.op("Mul", b.constant(np.array([0.0, 2.0], np.float32), "twice"), b.scalar(0.5), name="half")
    labels = b.input("labels", (8,), np.int64)
    b.output(b.op("OneHot", labels, b.constant(np.array(4), "depth"), half, name="y"))
    found = cut(b.finish(), by_cost=False)
    assert found.coverage == "1 of 1" and found.reasons == {}
    real = cut_module.refused
    monkeypatch.setattr(cut_module, "refused", lambda model, node, index, known: real(model, node, index, {"Other"}))
    assert cut(chain(), by_cost=False).coverage == "4 of 6"  # and where the graph's view errs, the compiler decides


def test_a_failing_compiler_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from haribote.partition import verdicts

    def fails(*arguments: object, **more: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(verdicts, "compile_for_sim", fails)
    b = Builder("bug")
    b.output(b.op("Relu", b.input("x", (3,), np.float32), name="y"))
    assert cut(b.finish()).reasons == {"y": "the compiler fails: KeyError: 'a bug'"}


@pytest.mark.slow
def test_a_decision_is_read_from_the_cache(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cut(chain_once := chain())
    monkeypatch.setattr(cut_module, "refused", lambda *given: pytest.fail("it was decided before"))
    again = cut(chain_once)
    assert again.table() == first.table()
    (file,) = (own_cache / "cut").iterdir()
    file.write_text("{}")
    monkeypatch.undo()
    monkeypatch.setattr(cut_module, "cache_folder", lambda: own_cache)
    assert cut(chain_once).coverage == first.coverage


def test_measured_once(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from haribote.partition import measured

    b = Builder("one")
    b.output(b.op("Relu", b.input("x", (64, 64), np.float32), name="y"))
    engine, microseconds = measured.measured(b.finish())
    assert engine in ("onnxruntime", "reference") and 0 < microseconds < 1e6
    monkeypatch.setattr(measured, "_measured", lambda *given: pytest.fail("it was measured before"))
    assert measured.measured(b.finish()) == (engine, microseconds)
    monkeypatch.undo()
    monkeypatch.setattr(measured, "cache_folder", lambda: own_cache)
    assert measured.measured(b.finish(), "reference")[0] == "reference"


@pytest.mark.parametrize("content", ["", "null", "[[]]", "[" * 100_000])
def test_a_damaged_cache_is_written_anew(content: str, own_cache: Path) -> None:
    b = Builder("one")
    b.output(b.op("Relu", b.input("x", (64, 64), np.float32), name="y"))
    b.output(b.op("RandomNormalLike", "y", name="z", seed=1.0))
    first = cut(model := b.finish())
    kept = [file for file in own_cache.rglob("*.json") if file.is_file()]
    for file in kept:
        file.write_text(content)
    assert kept and cut(model).coverage == first.coverage


def test_other_levels_are_refused() -> None:
    with pytest.raises(HariboteError, match="only -O2 says what it cannot do"):
        CompiledGraph(chain(), Options(device="auto", level=0))


def test_a_graph_that_is_known_before_it_runs_has_no_pieces() -> None:
    b = Builder("shape")
    b.output(b.input("x", (8, 6), np.float32))
    assert cut(b.finish()).pieces == ()
