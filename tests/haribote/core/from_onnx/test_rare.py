"""What is rare, written in other operators."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.graph import Builder, evaluate
from haribote.partition.host import engines
from haribote.stack.planner import elementary


def test_bernoulli_is_one_with_the_probability_that_is_given() -> None:
    """ONNX's body of it gives 1 - p, and onnxruntime runs that."""
    builder = Builder("sure")
    builder.output(builder.op("Bernoulli", builder.input("p", (4,), np.float32), name="y", seed=1.0))
    model, p = builder.finish(), np.array([0, 1, 1, 0], np.float32)
    written = elementary.run(model)
    assert "Bernoulli" not in {node.op_type for node in written.graph.node}
    assert np.array_equal(evaluate(written, {"p": p})["y"], p)
    for name, make in engines().items():
        run = make(model)
        if run is None:
            assert name != "reference"
            pytest.importorskip("onnxruntime")
        else:
            assert np.array_equal(run({"p": p})["y"], p), name
