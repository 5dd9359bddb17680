"""Build, verify, evaluate, save and load."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper

from haribote.errors import GraphError
from haribote.graph import Builder, Index, attributes, clone, evaluate, is_loss, load, mark_loss, save, verify
from haribote.operators.functions import FUNCTIONS
from simulator.files import FileError


def small_graph() -> onnx.ModelProto:
    """y = relu(x) + 1, z = relu(x)."""
    builder = Builder("small")
    x = builder.input("x", (2, 3), np.float32)
    relu = builder.op("Relu", x, name="relu")
    builder.op("Add", relu, builder.scalar(1), name="y")
    builder.output("y")
    builder.output(relu)
    return builder.finish()


def test_outputs_may_be_inputs_or_constants_but_each_once() -> None:
    builder = Builder("ends")
    builder.input("x", (2, 3), np.int64)
    builder.constant(np.ones(4, np.float32), "c")
    for name in ("x", "c"):
        builder.output(name)
    index = Index(builder.finish())
    assert (index.shape["c"], index.dtype["c"], index.dtype["x"]) == ((4,), np.float32, np.int64)
    builder.output("c")
    with pytest.raises(GraphError, match="output 'c' is listed twice"):
        builder.finish()


X = np.array([[-1, 0, 2], [3, -4, 5]], np.float32)


def test_build_and_look_up():
    index = Index(small_graph())
    assert (index.inputs, index.outputs) == (["x"], ["y", "relu"])
    assert index.shape == {"x": (2, 3), "relu": (2, 3), "y": (2, 3), "constant_1": ()}
    assert index.dtype["y"] == np.float32
    assert index.producer["y"].op_type == "Add"
    assert [node.name for node in index.consumers["relu"]] == ["y"]
    assert index.consumers["y"] == []
    assert index.node["relu"].input == ["x"]


def test_builder_keeps_names_unique_and_shares_equal_constants():
    builder = Builder("names")
    x = builder.input("x", (2,), np.float32)
    assert [builder.op("Relu", x, name="relu") for _ in range(3)] == ["relu", "relu_1", "relu_2"]
    assert builder.scalar(2) == builder.scalar(2.0) == "constant_2"
    assert builder.constant(np.array([2], np.int64), "constant_2") == "constant_2_1"


def test_like_reserves_the_names_of_the_model():
    builder = Builder.like(small_graph())
    assert builder.fresh("relu") == "relu_1"
    assert builder.op("Relu", "x", name="relu", reserved=True) == "relu"


def test_evaluate():
    outputs = evaluate(small_graph(), {"x": X})
    np.testing.assert_array_equal(outputs["relu"], np.maximum(X, 0))
    np.testing.assert_array_equal(outputs["y"], np.maximum(X, 0) + 1)
    assert set(evaluate(small_graph(), {"x": X}, every_value=True)) == {"x", "constant_1", "relu", "y"}


@pytest.mark.parametrize("name", ["DL", "UL"])
def test_transfers_are_the_identity(name):
    builder = Builder("transfer")
    builder.output(builder.op(name, builder.input("x", (2, 3), np.float32), name="y"))
    model = builder.finish()
    assert [function.name for function in model.functions] == [name]
    np.testing.assert_array_equal(evaluate(model, {"x": X})["y"], X)
    assert FUNCTIONS[name].domain == "haribote"


@pytest.mark.parametrize(
    ("feeds", "fragment"),
    [
        ({}, r"inputs must be \['x'\]"),
        ({"x": X, "y": X}, "inputs must be"),
        ({"x": X[:1]}, r"float32\[2, 3\], received float32\[1, 3\]"),
        ({"x": X.astype(np.float64)}, "received float64"),
    ],
)
def test_evaluate_refuses_other_inputs(feeds, fragment):
    with pytest.raises(GraphError, match=fragment):
        evaluate(small_graph(), feeds)


def broken(change) -> onnx.ModelProto:
    model = clone(small_graph())
    change(model.graph)
    return model


def swap(graph):
    first = onnx.NodeProto.FromString(graph.node[0].SerializeToString())
    del graph.node[0]
    graph.node.append(first)


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (swap, "reads 'relu' before it is defined"),
        (lambda g: g.node.append(helper.make_node("Relu", ["x"], ["y"], name="again")), "defines 'y' a second time"),
        (lambda g: setattr(g.node[1], "name", "relu"), "a name of its own"),
        (lambda g: setattr(g.node[1], "name", ""), "a name of its own"),
        (lambda g: setattr(g.node[1], "domain", "elsewhere"), "domain 'elsewhere' is not imported"),
        (lambda g: g.output[0].type.tensor_type.shape.dim[0].ClearField("dim_value"), "shape of 'y' is not known"),
        (lambda g: setattr(g.output[0].type.tensor_type.shape.dim[0], "dim_value", 9), "onnx.checker"),
        (lambda g: setattr(g.node[1], "op_type", "Plus"), "onnx.checker"),
        (lambda g: g.output.append(helper.make_tensor_value_info("w", 1, [1])), "nothing defines its output 'w'"),
    ],
)
def test_verify_names_what_is_wrong(change, fragment):
    with pytest.raises(GraphError, match=fragment):
        verify(broken(change))


def test_finish_refuses_shapes_that_do_not_fit():
    builder = Builder("bad")
    x = builder.input("x", (2, 3), np.float32)
    builder.output(builder.op("Gemm", x, x, name="y"))
    with pytest.raises(GraphError, match="shapes do not fit"):
        builder.finish()


def test_save_and_load(tmp_path):
    path = tmp_path / "model.onnx"
    save(small_graph(), path)
    assert load(path) == small_graph()
    assert [file.name for file in tmp_path.iterdir()] == ["model.onnx"]


def test_a_loaded_graph_has_names_for_all_nodes(tmp_path):
    model = small_graph()
    for node in model.graph.node:
        node.ClearField("name")
    onnx.save(model, tmp_path / "nameless.onnx")
    names = [node.name for node in load(tmp_path / "nameless.onnx").graph.node]
    assert all(names) and len({*names}) == len(model.graph.node)


def test_a_failed_save_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(FileError, match="disk is full"):
        save(small_graph(), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_load_says_what_is_wrong(tmp_path):
    with pytest.raises(GraphError, match="cannot read"):
        load(tmp_path / "absent.onnx")
    (tmp_path / "text.onnx").write_text("not a graph")
    with pytest.raises(GraphError, match="not an ONNX file"):
        load(tmp_path / "text.onnx")
    with pytest.raises(FileError, match="cannot write"):
        save(small_graph(), tmp_path / "text.onnx" / "model.onnx")  # the folder is a file


def test_marks_and_attributes():
    node = helper.make_node("Gemm", ["a", "b"], ["y"], transA=1)
    assert attributes(node) == {"transA": 1}
    assert not is_loss(node)
    mark_loss(node)
    assert is_loss(node)
