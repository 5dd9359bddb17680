"""What the notebooks of stage 03 measure and draw."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.cpp.operators import ALGORITHMS
from haribote.errors import HariboteError
from haribote.graph import evaluate
from haribote.graphs.textual import parsed
from haribote.lessons.cpp import (
    chain,
    compiling,
    measured,
    node_times,
    ready,
    rounded,
    template_text,
    turning,
    turns,
    turns_around,
    work,
    written_by,
)
from haribote.passes import nhwc

pytestmark = pytest.mark.usefixtures("builds")


LAYER = (
    "(float[3,4] x, float[2,4] w, float[2] b) => (float[3,2] y) { p = Gemm<transB=1>(x, w) q = Add(p, b) y = Relu(q) }"
)


def test_work_counts_the_multiplications_of_a_product() -> None:
    assert work(parsed(LAYER)) == {"Gemm p": 24, "Add q": 6, "Relu y": 6}


@pytest.mark.slow
def test_every_node_is_timed_and_gives_what_the_reference_gives() -> None:
    model = parsed(LAYER)
    random = np.random.default_rng(0)
    feeds = {name: random.standard_normal(s).astype(np.float32) for name, s in (("x", (3, 4)), ("w", (2, 4)), ("b", 2))}
    assert set(node_times(model, feeds)) == {"Gemm p", "Add q", "Relu y"}
    session = ready(model, feeds)
    run = session.prepared()
    assert measured({"all": run}, rounds=2)["all"] > 0
    np.testing.assert_allclose(session.read("y"), evaluate(model, feeds)["y"], rtol=1e-6)


def test_a_prepared_run_outlives_its_session() -> None:
    run = ready(chain(2, 1000), {"x": np.ones(1000, np.float32)}).prepared()
    for _ in range(100):
        np.empty(1000, np.float32)[:] = 1
        run()


def test_transposes_around_every_operator_and_those_that_are_left() -> None:
    text = (
        "(float[1,2,4,4] x, float[2,2,3,3] w) => (float[1,2,2,2] y) { c = Conv<kernel_shape=[3,3]>(x, w) y = Relu(c) }"
    )
    model = parsed(text)
    assert len(turns_around(model)) == len(turns(nhwc.run(model))) == 3
    turning(turns_around(model)).run()


def test_rounding_of_the_short_formats() -> None:
    assert rounded([1025, 1e-10]).tolist() == [1024, 0]
    assert rounded(257, "bfloat16").tolist() == [256]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_text_of_a_template(name: str) -> None:
    assert template_text(name).startswith("// ") and f"struct {name} {{" in template_text(name)
    with pytest.raises(HariboteError, match="naive, reordered, tiled"):
        template_text("fast")


def test_an_answer_as_a_whole_function() -> None:
    text = written_by(lambda *sizes: iter([f"// {sizes}"]), 5, 3, 4, False, True)
    assert text.splitlines()[1:] == ["    // (5, 3, 4, False, True)", "}"]


def test_a_missing_compiler_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    with compiling():
        ready(chain(1, 3), {"x": np.ones(3, np.float32)})
    assert "the rest of this cell is skipped" in capsys.readouterr().out
