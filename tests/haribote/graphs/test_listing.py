"""The text of a graph, and the times of its operators."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.errors import GraphError
from haribote.graph import Builder
from haribote.graphs.listing import listing, times


def small():
    builder = Builder("small")
    x = builder.input("x", (2, 3), np.float32)
    builder.output(builder.op("Clip", builder.op("Relu", x, name="relu"), "", builder.scalar(1), name="y"))
    return builder.finish()


def test_listing():
    assert listing(small()) == "Relu  x                    ->  relu[2x3]\nClip  relu, -, constant_1  ->  y[2x3]"


def test_listing_with_flags():
    builder = Builder("product")
    a, b = (builder.input(name, (2, 2), np.float32) for name in "ab")
    builder.output(builder.op("Gemm", a, b, name="y", transB=1))
    assert listing(builder.finish(), flags=True) == "Gemm transB=1  a, b  ->  y[2x2]"


def test_times():
    spent = times(small(), {"x": np.zeros((2, 3), np.float32)})
    assert set(spent) == {"Relu", "Clip"} and all(value > 0 for value in spent.values())
    assert list(spent.values()) == sorted(spent.values(), reverse=True)
    with pytest.raises(GraphError, match="inputs must be"):
        times(small(), {})
