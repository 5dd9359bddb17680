"""What graphs may contain at each stage, and that lowered ones contain nothing else."""

from __future__ import annotations

import pytest

from haribote.core import checker, rewrite
from haribote.core.from_onnx import lower
from haribote.errors import GraphError
from haribote.graphs.textual import parsed
from haribote.stack.planner import elementary

SOFTMAX = "(float[4,6] x) => (float[4,6] y) { y = Softmax<axis = 0>(x) }"
SLICE = "(float[4,6] x) => (float[2,3] y) <int64[2] a = {1,2}, int64[2] e = {3,5}> { y = Slice(x, a, e) }"
MISTAKES = [
    ("core", SOFTMAX, r"node 'y' \(Softmax\) is no operator of the stage"),
    ("chip", SLICE, r"node 'y' \(Slice\) is no operator of the stage"),
    ("core", "(float[2,3] x, float[3] b) => (float[2,3] y) { y = Gemm(x, w, b) }", "factor or an addend"),
    ("core", "(float[2,3,4] x, float[4,5] w) => (float[2,3,5] y) { y = MatMul(x, w) }", "no matrices"),
    ("core", '(float[3,3] x) => (float[3] y) { y = Einsum<equation = "ii->i">(x) }', "no product of two operands"),
    ("core", "(float[2,3] x, int64[2] k) => (float[2,2] y) { y = Gather<axis = 1>(x, k) }", "'k' is no constant"),
    ("core", "(bool[2,3] x) => (bool[1,1] y) { y = ReduceMax(x) }", "it is of truths"),
    ("core", "(float[2] x) => (float[1] y) <int64[1] k = {5}> { y = haribote.Pick(x, k) }", "5 to 5"),
]


@pytest.mark.parametrize(("stage", "text", "message"), MISTAKES)
def test_what_may_not_be_there_is_named(stage: str, text: str, message: str) -> None:
    if "w, b" in text:
        text = text.replace("x, float[3] b", "x, float[3,3] w, float[3] b")
    with pytest.raises(GraphError, match=message):
        checker.check(parsed(text), stage)


@pytest.mark.parametrize("text", [text for _, text, _ in MISTAKES if "Pick" not in text and "w, b" not in text])
def test_lowered_graphs_pass(text: str) -> None:
    checker.check(lower(parsed(text)), "core")
    checker.check(elementary.run(parsed(text)), "chip")


def test_a_rule_that_gives_another_shape_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(checker.VARIABLE, "1")
    model = parsed(
        "(float[2,1] x, float[2,3] z) => (float[2,3] y) <int64[2] s = {2,3}> { w = Expand(x, s) y = Mul(w, z) }"
    )

    def forgets(g: rewrite.Rewriter) -> str | bool:
        return g.node.op_type == "Expand" and g.op("Neg", g.node.input[0])

    with pytest.raises(GraphError, match=r"'w' was float32\[2, 3\], and is float32\[2, 1\]"):
        rewrite.once(model, forgets)
