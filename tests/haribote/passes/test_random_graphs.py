"""Every pass keeps the meaning of graphs that nobody thought of, and what it made is what it says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest

from haribote.autodiff.reverse import train_step
from haribote.compiler import CPP_STAGES, lower, lower_for_cpp
from haribote.cpp.session import sessions
from haribote.graph import evaluate
from haribote.passes import cse, dead_code, decompose, fold_constants, fuse, pad, simplify, tile
from tests.haribote.random_graphs import Arrays, random_graph
from tests.haribote.whole_outputs import cropped, joined

Pass = Callable[[onnx.ModelProto], onnx.ModelProto]

PASSES: dict[str, Pass] = {
    "simplify": simplify.run,
    "fold_constants": fold_constants.run,
    "dead_code": dead_code.run,
    "cse": cse.run,
    "fuse": fuse.run,
    "cpp": lambda model: lower(model, stages=CPP_STAGES),
}


def assert_same(got: Arrays, expected: Arrays) -> None:
    assert list(got) == list(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(got[name], value, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("seed", range(12))
def test_every_pass_keeps_the_meaning(seed: int) -> None:
    graph = random_graph(seed)
    expected = evaluate(graph.model, graph.feeds)
    before = graph.model.SerializeToString()
    for name, apply in PASSES.items():
        after = apply(graph.model)
        assert_same(evaluate(after, graph.feeds), expected)
        assert len(after.graph.node) <= len(graph.model.graph.node), name
        assert apply(after) == after or name in ("simplify", "cpp"), f"{name} finds more to do the second time"
    assert graph.model.SerializeToString() == before, "the input must stay untouched"


@pytest.mark.parametrize("seed", range(12, 18))
def test_every_pass_keeps_the_meaning_of_training_steps(seed: int) -> None:
    graph = random_graph(seed)
    step = train_step(graph.model, 0.1, momentum=0.9)
    states = [info.name for info in step.graph.input if info.name.endswith(".momentum")]
    feeds = graph.feeds | {name: np.ones_like(graph.feeds[name.removesuffix(".momentum")]) for name in states}
    expected = evaluate(step, feeds)
    for apply in PASSES.values():
        assert_same(evaluate(apply(step), feeds), expected)


@pytest.mark.parametrize("seed", range(26, 38))
def test_padding_and_tiles_keep_the_meaning(seed: int) -> None:
    graph = random_graph(seed, images=False)
    before = decompose.run(pad.run(simplify.run(graph.model)))
    after = tile.run(before)
    found = joined(after, evaluate(after, tile.split_inputs(after, pad.pad_inputs(before, graph.feeds))))
    found, expected = cropped(before, found), evaluate(graph.model, graph.feeds)
    assert_same({name: found[name] for name in expected}, expected)


@pytest.mark.slow
def test_fused_training_steps_in_cpp() -> None:
    graphs = [random_graph(seed) for seed in range(20, 26)]
    steps = {f"step{number}": lower_for_cpp(train_step(graph.model, 0.1)) for number, graph in enumerate(graphs)}
    assert sum(len(step.functions) for step in steps.values()) > 20
    for graph, session in zip(graphs, sessions(steps).values(), strict=True):
        for name, value in graph.feeds.items():
            session.write(name, value)
        session.run()
        assert_same(session.outputs(), evaluate(train_step(graph.model, 0.1), graph.feeds))


def test_the_graphs_differ_and_hold_every_operator() -> None:
    graphs = [random_graph(seed).model.graph for seed in range(18)]
    assert len({graph.SerializeToString() for graph in graphs}) == 18
    assert {node.op_type for graph in graphs for node in graph.node} >= {
        "Conv", "MaxPool", "Flatten", "Gemm", "MatMul", "Transpose", "Reshape", "ReduceSum", "ReduceMean", "Relu",
        "Tanh", "Sigmoid", "Neg", "Identity", "Add", "Sub", "Mul", "Div", "LogSoftmax",
    }  # fmt: skip
