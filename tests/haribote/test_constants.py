"""Large constants: not copied where nothing is asked of them, and where they were when a pass is done."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from haribote.constants import LARGE, Constants, without_large_constants
from haribote.graph import Builder, Index, clone, complete


def model() -> onnx.ModelProto:
    """A large constant between two small ones."""
    builder = Builder("large")
    builder.input("x", (4, LARGE), np.float32)
    first = builder.constant(np.float32(2), "first")
    table = builder.constant(np.arange(LARGE, dtype=np.float32), "table")
    last = builder.constant(np.float32(3), "last")
    scaled = builder.op("Mul", "x", first, name="scaled")
    added = builder.op("Add", scaled, table, name="added")
    builder.output(builder.op("Sub", added, last, name="result"))
    return builder.finish()


def test_a_pass_leaves_constants_as_they_were() -> None:
    found = model()
    after = complete(clone(found))
    assert [one.SerializeToString() for one in after.graph.initializer] == [
        one.SerializeToString() for one in found.graph.initializer
    ]
    assert [one.name for one in after.graph.input] == ["x"]
    assert Index(after).shape["result"] == (4, LARGE)
    assert complete(clone(after)).SerializeToString() == after.SerializeToString()


def test_only_large_constants_are_left_out() -> None:
    light = without_large_constants(model())
    assert [one.name for one in light.graph.initializer] == ["first", "last"]
    assert [one.name for one in light.graph.input] == ["x", "table"]
    onnx.checker.check_model(light)


def test_a_constant_that_is_an_input_too_stays() -> None:
    found = model()
    table = next(one for one in found.graph.initializer if one.name == "table")
    found.graph.input.append(onnx.helper.make_tensor_value_info("table", table.data_type, table.dims))
    assert without_large_constants(found).SerializeToString() == found.SerializeToString()


def test_arrays_are_made_once() -> None:
    found = Constants([numpy_helper.from_array(np.arange(3), "a"), numpy_helper.from_array(np.arange(4), "b")])
    assert found["a"] is found["a"] and [*found] == ["a", "b"] and "c" not in found and len(found) == 2
    found["c"] = np.zeros(1)
    del found["a"]
    assert {name: value.size for name, value in found.items()} == {"b": 4, "c": 1}
    with pytest.raises(KeyError):
        found["a"]
    other = {"b": np.ones(9)}
    assert [value.size for value in (found | other).values()] == [9, 1]
    assert [value.size for value in (other | found).values()] == [4, 1]
