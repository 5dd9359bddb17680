"""What the axes of a training step stand for."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest

from benchmarks.shapes import mlp_model
from haribote.graph import Builder, Index, set_metadata
from haribote.stack.planner.roles import roles
from haribote.stack.program.compiled import prepared
from haribote.stack.tiling import sizes as tiling_sizes


def test_layers_are_even_and_odd_in_turn() -> None:
    found = roles(prepared(mlp_model("40-30-20-10:64")[0]))
    assert found is not None
    given = {name: found[name] for name in found if name.split(".")[0] in ("x+1", "0", "2", "4")}
    assert given["x+1"] == ("batch", "even")
    assert given["0.weight+0.bias"] == ("odd", "even") and given["0.out"] == ("batch", "odd")
    assert given["2.weight"] == ("even", "odd") and given["2.bias"] == ("even",)
    assert given["4.weight"] == ("odd", "even")
    gradients = {name: role for name, role in found.items() if name.endswith("weight.grad")}
    assert gradients == {"2.weight.grad": ("even", "odd"), "4.weight.grad": ("odd", "even")}
    assert all(role[0] == "batch" for name, role in found.items() if name.startswith("softmax"))


def test_a_batch_in_pieces_is_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling_sizes, "MOST_WORDS", 3072)
    model = prepared(mlp_model("169-284-269-464:383")[0])
    found = roles(model)
    assert found is not None
    rows = {name: shape[0] for name, shape in Index(model).shape.items() if name.startswith(("x+1[", "labels["))}
    assert set(rows.values()) == {256, 127}, "the batch is in two pieces"
    assert {found[name][0] for name in rows} == {"batch"}
    assert found["0.weight+0.bias[0,0]"] == found["0.weight+0.bias[1,0]"] == ("odd", "even")


def step(shapes: dict[str, tuple[int, ...]] | None = None, inner: int = 1) -> onnx.ModelProto:
    """y = x w, or x w v, or x w w with as many columns as rows; w is trained."""
    sizes = {"x": (64, 32), "w": (32, 32), "v": (32, 16)} | (shapes or {})
    builder = Builder("step")
    builder.input("x", sizes["x"], np.float32)
    builder.input("w", sizes["w"], np.float32)
    builder.op("MatMul", "x", "w", name="y")
    if inner > 1:
        builder.op("MatMul", "y", "w", name="z")
    builder.op("Mul", "w", builder.constant(np.array(0.5, np.float32), "half"), name="w.next")
    builder.output("z" if inner > 1 else "y")
    builder.output("w.next")
    return builder.finish()


def trained(model: onnx.ModelProto) -> onnx.ModelProto:
    set_metadata(model, updates=json.dumps({"w": "w.next"}))
    return model


def test_a_weight_that_joins_a_layer_with_itself_has_no_order() -> None:
    assert roles(trained(step())) is not None
    assert roles(trained(step(inner=2))) is None


@pytest.mark.parametrize("shapes", [{"x": (4, 64, 32)}, {"x": (32,)}])
def test_other_steps_than_those_of_matrices_have_no_roles(shapes: dict[str, tuple[int, ...]]) -> None:
    assert roles(trained(step(shapes))) is None
    assert roles(step()) is None  # nothing is trained
