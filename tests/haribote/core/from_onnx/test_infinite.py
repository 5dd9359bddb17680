"""What an infinity does in a reduction, in C++, against torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from onnx import parser
from onnx.reference import ReferenceEvaluator

from haribote import onnx_backend
from haribote.errors import GraphError

X = np.array(
    [[np.inf, 1, 2], [-np.inf, -np.inf, 5], [-np.inf] * 3, [1, np.inf, np.inf], [3e38, 3e38, -3e38]], np.float32
)


@pytest.mark.slow
def test_the_logarithm_of_a_sum_of_exponentials():
    model = parser.parse_model(
        '<ir_version: 9, opset_import: ["": 20]> g (float[5,3] x) => (float[5] y) '
        "<int64[1] a = {1}> { y = ReduceLogSumExp<keepdims=0>(x, a) }"
    )
    wanted = torch.logsumexp(torch.from_numpy(X), 1).numpy()  # ONNX's reference gives NaN for a row of -inf
    np.testing.assert_allclose(onnx_backend.prepare(model, "CPU").run([X])[0], wanted, rtol=1e-6)


def test_what_the_reference_fails_at_too_is_our_error(monkeypatch: pytest.MonkeyPatch):
    """A model that we refuse, and that ONNX's reference takes but cannot run."""

    def refuse(*_):
        raise GraphError("no rule for it")

    def fail(*_):
        raise RuntimeError("different types")

    model = parser.parse_model(
        '<ir_version: 9, opset_import: ["": 20]> g (float[2] x) => (float[2] y) { y = Identity(x) }'
    )
    rep = onnx_backend.prepare(model, "CHIP")
    monkeypatch.setattr(onnx_backend, "prepared", refuse)
    monkeypatch.setattr(ReferenceEvaluator, "run", fail)
    with pytest.raises(GraphError, match="no rule for it") as raised:
        rep.run([np.ones(2, np.float32)])
    assert "ONNX's reference does not take the model either (different types)" in str(raised.value)
