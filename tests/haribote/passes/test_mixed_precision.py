"""Rounding as the formats say, in products only."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from haribote.compiler import lower_for_cpp
from haribote.cpp.session import sessions
from haribote.errors import HariboteError
from haribote.frontend.torch import trace_step
from haribote.graph import Builder, evaluate
from haribote.passes import mixed_precision, simplify
from haribote.training.models import lenet, mlp
from simulator.engine.numbers import HALF, from_float64, to_float64

EDGES = [
    0,
    -0.0,
    2**-30,
    2**-30 * (1 - 2**-11),
    2**-31,
    2**32 * (1 - 2**-10),
    2**32 * (1 - 2**-11),
    -(2**33),
    3e38,
    -3e38,
]


def numbers(seed: int) -> np.ndarray:
    """All kinds of finite floats; the first ones lie at the borders of half's range."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 2**32, 20_000, dtype=np.uint32).view(np.float32).copy()
    values[~np.isfinite(values)] = 0
    usual = random.standard_normal(20_000).astype(np.float32)
    ties = (random.integers(2**10, 2**11, 20_000) + 0.5).astype(np.float32)
    return np.concatenate([np.array(EDGES, np.float32), values, usual, ties])


def half(values: np.ndarray) -> np.ndarray:
    return to_float64(from_float64(values.astype(np.float64), HALF), HALF).astype(np.float32)


def bfloat16(values: np.ndarray) -> np.ndarray:
    return torch.from_numpy(values).bfloat16().float().numpy()


@pytest.mark.some(2)
@pytest.mark.parametrize(("op_type", "oracle"), [("RoundHalf", half), ("RoundBFloat16", bfloat16)])
@pytest.mark.parametrize("where", ["onnx", "cpp"])
def test_rounding(op_type, oracle, where):
    values = numbers(1)
    builder = Builder("round")
    builder.output(builder.op(op_type, builder.input("x", values.shape, np.float32), name="y"))
    model = builder.finish()
    if where == "onnx":
        got = evaluate(model, {"x": values})["y"]
    else:
        session = sessions({"rounding": model})["rounding"]
        session.write("x", values)
        session.run()
        got = session.read("y")
    np.testing.assert_array_equal(got, oracle(values))


def test_only_products_read_rounded_numbers():
    model = mlp(6, 5, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step = simplify.run(trace_step(model, optimizer, torch.zeros(4, 6), torch.zeros(4, dtype=torch.int64)))
    mixed = mixed_precision.run(step)
    rounded = [node for node in mixed.graph.node if node.op_type == "RoundHalf"]
    assert [node.input[0] for node in rounded] == [
        "x", "0.weight", "1.out", "2.weight", "logits.grad", "0.out.grad",
    ]  # fmt: skip
    for node in mixed.graph.node:
        short = [name for name in node.input if name.endswith(".half")]
        assert short == (list(node.input[:2]) if node.op_type == "Gemm" else []), node.name


@pytest.mark.parametrize("short", mixed_precision.FORMATS)
def test_a_step_equals_products_of_rounded_factors(short):
    random, oracle = np.random.default_rng(0), {"half": half, "bfloat16": bfloat16}[short]
    feeds = {"x": random.standard_normal((4, 6)), "w": random.standard_normal((3, 6)), "b": random.standard_normal(3)}
    feeds = {name: value.astype(np.float32) for name, value in feeds.items()}
    builder = Builder("linear")
    inputs = [builder.input(name, value.shape, np.float32) for name, value in feeds.items()]
    builder.output(builder.op("Gemm", *inputs, name="y", transB=1))
    expected = oracle(feeds["x"]).astype(np.float64) @ oracle(feeds["w"]).T.astype(np.float64) + feeds["b"]
    got = evaluate(mixed_precision.run(builder.finish(), short), feeds)["y"]
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.slow
def test_lenet_in_cpp_equals_the_reference():
    model, x = lenet(), torch.randn(2, 1, 28, 28, generator=torch.Generator().manual_seed(1))
    labels = torch.tensor([7, 2])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    lowered = lower_for_cpp(trace_step(model, optimizer, x, labels), "half")
    feeds = {name: p.detach().numpy() for name, p in model.named_parameters()}
    feeds |= {f"{name}.momentum": np.full_like(value, 0.01) for name, value in feeds.items()}
    feeds |= {"x": x.numpy(), "labels": labels.numpy()}
    session = sessions({"step": lowered})["step"]
    for name, value in feeds.items():
        session.write(name, value)
    session.run()
    got = session.outputs()
    for name, value in evaluate(lowered, feeds).items():
        # Where a sum ends close to a tie, its last bit decides which way the next product's factor is rounded.
        np.testing.assert_allclose(got[name], value, rtol=1e-3, atol=2e-4, err_msg=name)


def test_an_unknown_format_is_refused():
    builder = Builder("empty")
    builder.output(builder.op("Relu", builder.input("x", (2,), np.float32), name="y"))
    with pytest.raises(HariboteError, match="one of half, bfloat16"):
        mixed_precision.run(builder.finish(), "int8")
