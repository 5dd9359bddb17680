"""The words of a drawing of a graph."""

from __future__ import annotations

import numpy as np
import onnx

from haribote.draw.words import details, shape_text, short, value_text
from haribote.graph import Index


def test_attributes_with_their_default_are_for_the_tooltip_only() -> None:
    node = onnx.helper.make_node(
        "Conv", ["x", "w"], ["y"], strides=[1, 1], pads=[2, 2, 2, 2], group=1, dilations=[1, 2]
    )
    assert details(node, Index(onnx.ModelProto())) == "dilations [1, 2], pads [2, 2, 2, 2]"


def test_words() -> None:
    assert short("a" * 40, 9) == "aaaa…aaaa" and short("abc", 3) == "abc" and len(short("x" * 99, 10)) == 10
    assert shape_text((), np.dtype("float32")) == "scalar" and shape_text((2, 3), np.dtype("int64")) == "2×3 int64"
    assert value_text(np.float32(1 / 256)) == "1/256" and value_text(np.array([0, 1])) == "[0, 1]"
    assert value_text(np.zeros((2, 3), np.float32)) == "constant 2×3" and value_text(np.zeros(0)) == "[]"
    assert value_text(np.float32(0)) == "0" and value_text(np.float32("nan")) == "nan"
