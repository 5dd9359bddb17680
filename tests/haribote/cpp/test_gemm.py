"""Products written out as C++ loops, and the training step with all answers of stage 03 in the product's place."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from haribote.answers import ownership, resolve
from haribote.answers.tasks import find_task
from haribote.compiler import lower, lower_for_cpp
from haribote.cpp.emit import emit
from haribote.cpp.gemm import Product, default_gemm, products
from haribote.cpp.session import sessions
from haribote.errors import HariboteError
from haribote.graph import Builder, Index, evaluate
from haribote.passes import nhwc
from haribote.passes.report import counts
from haribote.training.cpp_backend import CppBackend
from haribote.training.models import lenet, mlp

STAGE = ("3.1", "3.2", "3.3", "3.4", "3.5")


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The solutions of stage 03 stand where a learner's files would; how often each was called."""
    calls: dict[str, int] = {}

    def learners(task: str) -> Callable[..., Any] | None:
        if task not in STAGE:
            return None
        calls[task] = calls.get(task, 0) + 1
        found = find_task(task)
        module = importlib.import_module("solutions." + found.file.removesuffix(".py").replace("/", "."))
        function: Callable[..., Any] = getattr(module, found.name)
        return function

    for module in (ownership, resolve):
        monkeypatch.setattr(module, "learners_function", learners)
    return calls


@pytest.mark.slow
def test_the_step_with_all_answers_in_place(answered, make_step, assert_equal) -> None:
    step = make_step((20, 7, 5), True, 6)
    graphs = {"single": lower_for_cpp(step.graph), "half": lower_for_cpp(step.graph, "half")}
    assert default_gemm() == "emitted"
    built = sessions(graphs)
    assert set(answered) == {"3.1", "3.3", "3.5"}
    for session in built.values():
        for name, value in step.feeds.items():
            session.write(name, value)
        session.run()
    assert_equal(built["half"].outputs(), evaluate(graphs["half"], step.feeds))
    assert_equal(built["single"].outputs(), step.expected(1))


def test_the_other_passes_with_all_answers_in_place(answered, make_step, assert_equal) -> None:
    step = make_step((20, 7, 5), True, 6)
    decomposed = lower(step.graph, stop_after="decompose")
    turned = nhwc.run(decomposed)
    assert {"3.2", "3.4"} <= set(answered) and counts(turned) == counts(decomposed)


@pytest.mark.slow
def test_a_backend_trains_with_the_answer(answered) -> None:
    ours, templates = CppBackend(mlp(12, 7, 4), 0.1, 8), CppBackend(mlp(12, 7, 4), 0.1, 8, "tiled")
    random = np.random.default_rng(5)
    for _ in range(3):
        images, labels = random.standard_normal((8, 12), np.float32), random.integers(0, 4, 8)
        assert ours.step(images, labels) == pytest.approx(templates.step(images, labels), rel=1e-5)
    assert ours.summary.endswith("Gemm emitted") and templates.summary.endswith("Gemm tiled")


def test_products_are_found_in_fused_nodes_and_in_every_form(make_step) -> None:
    step = lower_for_cpp(make_step((20, 7, 5), True, 6).graph)
    assert products(step) == {
        Product(6, 7, 20, trans_b=True), Product(6, 5, 7, trans_b=True), Product(6, 7, 5),
        Product(5, 7, 6, trans_a=True), Product(7, 20, 6, trans_a=True),
    }  # fmt: skip
    source = emit({"step": step}, "emitted")
    assert source.count("static void product_") == 5 and "gemm<op::emitted, 'N', 'T'>" in source


def test_what_is_no_single_is_done_by_the_template() -> None:
    builder = Builder("doubles")
    inputs = [builder.input(name, shape, np.float64) for name, shape in (("a", (3, 4)), ("b", (4, 2)))]
    builder.output(builder.op("MatMul", *inputs, name="y"))
    assert products(builder.finish()) == set()
    session = sessions({"doubles": builder.finish()}, "emitted")["doubles"]
    a, b = np.arange(12.0).reshape(3, 4), np.ones((4, 2))
    session.write("a", a)
    session.write("b", b)
    session.run()
    np.testing.assert_array_equal(session.read("y"), a @ b)


STACKS = {
    ((2, 3, 4), (2, 4, 5)): Product(3, 5, 4),
    ((1, 3, 4), (6, 1, 4, 2)): Product(3, 2, 4),
    ((3, 4), (4,)): Product(3, 1, 4),
    ((4,), (2, 4, 5)): Product(1, 5, 4),
    ((4,), (4,)): Product(1, 1, 4),
    ((2, 3, 0), (2, 0, 5)): None,
}


@pytest.mark.parametrize(("shapes", "product"), STACKS.items())
def test_products_of_stacks_and_of_vectors(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], product: Product | None
) -> None:
    builder, random = Builder("stacks"), np.random.default_rng(1)
    feeds = {name: random.standard_normal(shape).astype(np.float32) for name, shape in zip("ab", shapes, strict=True)}
    for name, value in feeds.items():
        builder.input(name, value.shape, value.dtype)
    builder.output(builder.op("MatMul", *feeds, name="y"))
    assert products(builder.finish()) == ({product} if product else set())
    session = sessions({"stacks": builder.finish()}, "emitted")["stacks"]
    for name, value in feeds.items():
        session.write(name, value)
    session.run()
    np.testing.assert_allclose(session.read("y"), np.matmul(feeds["a"], feeds["b"]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("gemm", ["naive", "reordered", "tiled", "packed", "emitted"])
def test_products_of_no_terms_are_0_wherever_they_lie(gemm: str) -> None:
    """In memory that another value has used before."""
    b = Builder("nothing")
    x, empty = b.input("x", (3, 40), np.float32), b.input("empty", (3, 0), np.float32)
    total = b.op("ReduceSum", b.op("Exp", x, name="used"), name="total", keepdims=0)
    product = b.op("MatMul", empty, b.op("Transpose", empty, name="turned", perm=[1, 0]), name="product")
    b.output(b.op("Add", product, total, name="y"))
    session = sessions({"nothing": b.finish()}, gemm)["nothing"]
    for _ in range(2):
        session.write("x", np.ones((3, 40), np.float32))
        session.write("empty", np.zeros((3, 0), np.float32))
        session.run()
        np.testing.assert_allclose(session.read("y"), np.full((3, 3), 120 * np.e), rtol=1e-5)


@pytest.mark.slow
def test_lenets_convolutions_use_the_template() -> None:
    from haribote.frontend.torch import trace_step
    from haribote.training.backends import example_batch

    model = lenet()
    step = lower_for_cpp(trace_step(model, *example_batch(model, 2, 0.1)))
    random = np.random.default_rng(0)
    index = Index(step)
    feeds = {name: random.standard_normal(index.shape[name]).astype(np.float32) for name in index.inputs}
    feeds["labels"] = np.array([1, 3])
    built = {name: sessions({"step": step}, name)["step"] for name in ("emitted", "tiled")}
    for session in built.values():
        for name, value in feeds.items():
            session.write(name, value)
        session.run()
    for name, value in built["tiled"].outputs().items():
        np.testing.assert_allclose(built["emitted"].read(name), value, rtol=1e-3, atol=1e-4, err_msg=name)


def test_lines_that_are_no_text_are_told() -> None:
    with pytest.raises(HariboteError, match="must yield lines of C"):
        Product(1, 1, 1).definition(["y[0] = 0;", 3])  # type: ignore[list-item]
