"""Right answers that are written in another way than the course's compile to the same kernels, and mean the same."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from haribote.autodiff import reverse
from haribote.autodiff.rules import RULES as GRADIENTS
from haribote.compiler import lower
from haribote.frontend.aten import RULES, aten
from haribote.frontend.torch import trace_loss, trace_step
from haribote.graph import Index, attributes, evaluate, is_loss
from haribote.graphs.textual import parsed
from haribote.passes import canonical, pad, simplify
from haribote.passes.insert_transfers import _beside_their_operators
from haribote.passes.placement import row_of
from haribote.training.backends import example_batch
from tests.haribote.whole_outputs import cropped

BATCH, WIDTHS = 7, (20, 5, 4)


def gemm(g, c, a, b, *, beta=1, alpha=1):
    return g.op("Gemm", a, b, c, alpha=float(alpha), beta=float(beta))


def bias_first(g, c, a, b, **_):
    return g.op("Add", c, g.op("MatMul", a, b, part="product"))


def gemm_then_add(g, c, a, b, **_):
    return g.op("Add", c, g.op("Gemm", a, b, part="product"))


def turned_twice(g, c, a, b, **_):
    turn_a, turn_b = (g.op("Transpose", x, perm=[1, 0], part=f"{part}t") for part, x in (("a", a), ("b", b)))
    product = g.op("Transpose", g.op("MatMul", turn_b, turn_a, part="turned"), perm=[1, 0], part="back")
    return g.op("Add", product, c)


def bias_as_row(g, c, a, b, **_):
    row = g.op("Unsqueeze", c, g.ints([0], "axes"), part="row")
    return g.op("Add", row, g.op("MatMul", a, b, part="product"))


def bias_expanded(g, c, a, b, **_):
    product = g.op("MatMul", a, b, part="product")
    return g.op("Add", g.op("Expand", c, g.op("Shape", product, part="shape"), part="wide"), product)


def less_its_opposite(g, c, a, b, **_):
    return g.op("Sub", g.op("MatMul", a, b, part="product"), g.op("Neg", c, part="opposite"))


def as_sum(g, c, a, b, **_):
    return g.op("Sum", c, g.op("MatMul", a, b, part="product"))


LAYERS = [gemm, bias_first, gemm_then_add, turned_twice, bias_as_row, bias_expanded, less_its_opposite, as_sum]


def relu_by_where(g, node, grad):
    y = node.output[0]
    yield g.op("Where", g.op("Greater", y, g.number(0, y), part="positive"), grad, g.number(0, y))


def relu_by_not(g, node, grad):
    y = node.output[0]
    yield g.op("Where", g.op("LessOrEqual", y, g.number(0, y), part="off"), g.number(0, y), grad)


def relu_by_less(g, node, grad):
    y = node.output[0]
    mask = g.op("Cast", g.op("Less", g.number(0, y), node.input[0], part="positive"), part="mask", to=1)
    yield g.op("Mul", mask, grad)


def relu_by_sign(g, node, grad):
    yield g.op("Mul", g.op("Sign", node.output[0], part="mask"), grad)


def softmax_by_hand(g, node, grad):
    total = g.op("ReduceSum", grad, g.ints([-1], "axes"), part="sum", keepdims=1)
    yield g.op("Sub", grad, g.op("Mul", g.op("Exp", node.output[0], part="p"), total, part="share"))


def product_turned(g, node, grad):
    a, b = node.input
    yield g.op("MatMul", grad, g.op("Transpose", b, perm=[1, 0], part="turned"))
    yield g.op("MatMul", g.op("Transpose", a, perm=[1, 0], part="turned"), grad)


RULES_OF = [("Relu", relu_by_where), ("Relu", relu_by_not), ("Relu", relu_by_less), ("Relu", relu_by_sign),
            ("LogSoftmax", softmax_by_hand), ("MatMul", product_turned)]  # fmt: skip


def add_negative(g, name, step, rate):
    g.result = f"{name}.next"
    return g.op("Add", name, g.op("Mul", step, g.number(-rate, name), part="scaled"))


def rate_first(g, name, step, rate):
    g.result = f"{name}.next"
    return g.op("Sub", name, g.op("Mul", g.number(rate, name), step, part="scaled"))


def add_opposite(g, name, step, rate):
    g.result = f"{name}.next"
    scaled = g.op("Mul", step, g.number(rate, name), part="scaled")
    return g.op("Add", g.op("Neg", scaled, part="opposite"), name)


@pytest.fixture(scope="module")
def given():
    from haribote.training.models import mlp

    model = mlp(*WIDTHS)
    optimiser, x, labels = example_batch(model, BATCH, 0.1)
    rng = np.random.default_rng(1)
    feeds = {name: p.detach().numpy().copy() for name, p in model.named_parameters()}
    feeds |= {"x": rng.standard_normal(x.shape).astype(np.float32), "labels": rng.integers(0, WIDTHS[-1], BATCH)}
    expected = evaluate(trace_step(model, optimiser, x, labels), feeds)
    return model, optimiser, x, labels, feeds, expected


def check_on_chip(step: onnx.ModelProto, feeds, expected) -> None:
    """Every operator has a kernel, and the outputs are those of the reference."""
    placed = lower(step, stop_after="layout")
    assert [node.op_type for node in placed.graph.node if row_of(node) is None and not is_loss(node)] == []
    padded = lower(step, stop_after="pad")
    received = cropped(padded, evaluate(padded, pad.pad_inputs(padded, feeds)))
    for name, value in expected.items():
        np.testing.assert_allclose(received[name], value, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("rule", LAYERS)
def test_layers_in_any_form(rule, given, monkeypatch):
    model, optimiser, x, labels, feeds, expected = given
    monkeypatch.setitem(RULES, aten.addmm.default, rule)
    check_on_chip(trace_step(model, optimiser, x, labels), feeds, expected)


@pytest.mark.parametrize(("op_type", "rule"), RULES_OF)
def test_gradients_in_any_form(op_type, rule, given, monkeypatch):
    model, _, x, labels, feeds, expected = given
    monkeypatch.setitem(GRADIENTS, op_type, rule)
    check_on_chip(reverse.train_step(trace_loss(model, x, labels), 0.1), feeds, expected)


@pytest.mark.parametrize("update", [add_negative, rate_first, add_opposite])
def test_updates_in_any_form(update, given, monkeypatch):
    model, _, x, labels, feeds, expected = given
    monkeypatch.setattr(reverse, "sgd", update)
    check_on_chip(reverse.train_step(trace_loss(model, x, labels), 0.1), feeds, expected)


@pytest.mark.parametrize("flags", [{}, {"transA": 1}, {"transB": 1}, {"alpha": 0.5}, {"beta": -2.0}, {"beta": 0.0},
                                   {"transA": 1, "transB": 1, "alpha": 3.0, "beta": 0.25}])  # fmt: skip
@pytest.mark.parametrize("bias", ["", "float c", "float[4] c", "float[1,4] c", "float[5,1] c", "float[5,4] c"])
def test_gemm_of_every_form_means_the_same(flags, bias):
    a, b = ("3,5" if flags.get("transA") else "5,3"), ("4,3" if flags.get("transB") else "3,4")
    settings = ", ".join(f"{name}={value}" for name, value in flags.items())
    inputs = ", ".join(filter(None, [f"float[{a}] a", f"float[{b}] b", bias]))
    names = "a, b, c" if bias else "a, b"
    model = parsed(f"({inputs}) => (float[5,4] y) {{ y = Gemm<{settings}>({names}) }}".replace("<>", ""))
    index, rng = Index(model), np.random.default_rng(2)
    feeds = {name: rng.standard_normal(index.shape[name]).astype(np.float32) for name in index.inputs}
    plain = canonical.for_kernels(canonical.run(model))
    for node in plain.graph.node:
        if node.op_type == "Gemm":
            assert len(node.input) == 2 and not {"alpha", "beta"} & attributes(node).keys()
    for after in (canonical.run(model), plain):
        np.testing.assert_allclose(evaluate(after, feeds)["y"], evaluate(model, feeds)["y"], rtol=1e-5, atol=1e-6)


PAIRS = [
    ("(float[2,3] x) => (float[2,3] y) <float zero = {0}> { y = Max(zero, x) }", ["Relu"]),
    ("(float[2,3] x) => (float[2,3] y) <float zero = {0}> { y = Clip(x, zero) }", ["Relu"]),
    ("(float[2,3] x) => (float[2,3] y) { y = Neg(x) }", ["Mul"]),
    ("(float[2,3] x, float[2,3] z) => (float[2,3] y) { y = Add(x, z) }", ["Mul", "Sub"]),
    ("(float[2,3] x, float[3] z) => (float[2,3] y) { n = Neg(x) y = Sub(z, n) }", ["Add"]),
    ("(float[2,1] x, float[3] z) => (float[2,3] y) { y = Add(x, z) }", ["Add"]),
    ("(float[3,1] x, float[3] z) => (float[2,3,3] y) <int64[3] k = {2,3,3}> "
     "{ a = Expand(x, k) b = Expand(z, k) y = Mul(a, b) }", ["Expand", "Mul"]),
    ("(float[3,1] x, float[3] z) => (float[3,3] y) <int64[2] k = {3,3}> "
     "{ a = Expand(x, k) b = Expand(z, k) y = Mul(a, b) }", ["Expand", "Mul"]),
    ("(float[3] x) => (float[2,3] y) <int64[2] k = {2,3}> { a = Expand(x, k) y = Mul(a, a) }", ["Expand", "Mul"]),
    ("(float[2,3] x, float[2,3] z) => (float[2,3] y) <float one = {1}, float zero = {0}> "
     "{ c = Less(x, z) y = Where(c, one, zero) }", ["Greater", "Cast"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "operators"), PAIRS)
def test_other_forms(text, operators):
    model = parsed(text)
    plain = canonical.for_kernels(simplify.run(model))
    assert [node.op_type for node in plain.graph.node] == operators
    index, rng = Index(model), np.random.default_rng(3)
    feeds = {name: rng.standard_normal(index.shape[name]).astype(np.float32) for name in index.inputs}
    np.testing.assert_allclose(evaluate(plain, feeds)["y"], evaluate(model, feeds)["y"], rtol=1e-6)


def test_a_canonical_graph_stays_as_it_is(given):
    model, optimiser, x, labels, *_ = given
    simple = simplify.run(trace_step(model, optimiser, x, labels))
    assert simplify.run(simple).SerializeToString() == simple.SerializeToString()


def test_transfers_in_any_order_come_to_stand_beside_their_operators():
    text = "(float[256,16] x, float[256,16] z) => (float[256,16] y) { r = Relu(x) e = Exp(z) y = Mul(r, e) }"
    model = lower(parsed(text), "layout", "transfer")
    names = [node.name for node in model.graph.node]
    mixed = onnx.ModelProto.FromString(model.SerializeToString())
    loads = [node for node in model.graph.node if node.op_type == "DL" and node.input[0] in ("x", "z")]
    others = [node for node in model.graph.node if node not in loads]
    del mixed.graph.node[:]
    mixed.graph.node.extend([*loads, *others])
    assert [node.name for node in _beside_their_operators(mixed).graph.node] == names
