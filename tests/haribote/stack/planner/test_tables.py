"""Rows of tables by computed indices, against ONNX's own reference, infinities included."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from haribote.compiler import compile_stack, start_session
from haribote.graph import Index
from haribote.graphs.textual import parsed
from haribote.stack.planner import elementary, tables

CASES = {
    "rows": "(float[37,5] x, int64[6] i) => (float[6,5] y) { y = Gather(x, i) }",
    "a row": "(float[37,5] x, int64 i) => (float[5] y) { y = Gather(x, i) }",
    "columns": "(float[5,37] x, int64[2,3] i) => (float[5,2,3] y) { y = Gather<axis = 1>(x, i) }",
    "between": "(float[3,37,4] x, int64[2,3] i) => (float[3,2,3,4] y) { y = Gather<axis = -2>(x, i) }",
    "integers": "(int64[37,5] x, int64[6] i) => (int64[6,5] y) { y = Gather(x, i) }",
    "narrow indices": "(float[37,5] x, int32[6] i) => (float[6,5] y) { y = Gather(x, i) }",
    "elements": "(float[37,5] x, int64[9,5] i) => (float[9,5] y) { y = GatherElements(x, i) }",
    "elements along the last axis": "(float[4,37] x, int64[4,9] i) => (float[4,9] y) "
    "{ y = GatherElements<axis = 1>(x, i) }",
    "tuples": "(float[5,7,3] x, int64[4,2] i) => (float[4,3] y) { y = GatherND(x, i) }",
    "whole tuples": "(float[5,7] x, int64[3,4,2] i) => (float[3,4] y) { y = GatherND(x, i) }",
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("fetched", [False, True])
def test_rows(name: str, fetched: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """As sums, and fetched one by one."""
    if fetched:
        monkeypatch.setattr(tables, "MOST_COMPARED", 0)
    model = parsed(CASES[name])
    assert _fetches(model) == fetched
    feeds = _values(model)
    session = start_session(compile_stack(model))
    session.step(feeds)
    (expected,) = ReferenceEvaluator(model).run(None, feeds)
    np.testing.assert_array_equal(session.read("y"), expected)


def _values(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Floats with infinities among them; indices of which every other one counts from the end."""
    index, random = Index(model), np.random.default_rng(3)
    x, rows = random.standard_normal(index.shape["x"]), index.shape["i"]
    if index.dtype["x"] == np.float32:
        x.flat[:6] = np.inf, -np.inf, 3e38, 1e-30, -1e38, 0.0
    else:
        x *= 1e6
    sizes = np.broadcast_to((5, 7) if rows[-1:] == (2,) else 37, rows)
    picked = random.integers(0, sizes)
    picked = np.where(np.arange(picked.size).reshape(rows) % 2, picked - sizes, picked)
    return {"x": x.astype(index.dtype["x"]), "i": picked.astype(index.dtype["i"])}


def test_what_is_too_large_is_fetched() -> None:
    rows = "(float[{count},64] x, int64[128] i) => (float[128,64] y) {{ y = Gather(x, i) }}"
    assert not _fetches(parsed(rows.format(count=1536)))
    assert _fetches(parsed(rows.format(count=1537)))


def _fetches(model: onnx.ModelProto) -> bool:
    """Whether the chip's graph picks by numbers that it computes."""
    index = Index(elementary.run(model))
    return any(node.op_type == "Pick" and node.input[1] not in index.constants for node in index.node.values())
