"""What is deployed of a graph, and whole programs of ONNX graphs with their weights inside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from haribote.commands.cli import main
from haribote.deploy.folder import write_folder
from haribote.deploy.graphs import INFER, TRAIN, deployable
from haribote.errors import HariboteError, UnsupportedOp
from haribote.graph import Builder, Index, evaluate, save
from haribote.graphs.textual import parsed
from tests.haribote.deploy.programs import Array, build, run, step_case

random = np.random.default_rng(3)


def normal(*shape: int) -> Array:
    return np.asarray(random.standard_normal(shape), np.float32)


def cnn() -> onnx.ModelProto:
    """Two convolutions with batch normalisation, pools, and a classifier, for images [2, 1, 12, 10]."""
    b = Builder("cnn")
    x = b.input("x", (2, 1, 12, 10), np.float32)
    for number, (inputs, outputs) in enumerate(((1, 4), (4, 6))):
        weight = b.constant(normal(outputs, inputs, 3, 3) / 3, f"w{number}")
        x = b.op("Conv", x, weight, name=f"conv{number}", pads=[1, 1, 1, 1])
        values = (abs(normal(outputs)) + 0.5, normal(outputs), normal(outputs), abs(normal(outputs)) + 0.5)
        parts = [b.constant(value, f"norm{number}.{i}") for i, value in enumerate(values)]
        x = b.op("Relu", b.op("BatchNormalization", x, *parts, name=f"norm{number}"), name=f"relu{number}")
        x = b.op(("MaxPool", "AveragePool")[number], x, name=f"pool{number}", kernel_shape=[2, 2], strides=[2, 2])
    x = b.op("Flatten", b.op("GlobalAveragePool", x, name="mean"), name="flat")
    x = b.op("Gemm", x, b.constant(normal(5, 6), "w"), b.constant(normal(5), "b"), name="logits", transB=1)
    b.output(b.op("Softmax", x, name="shares", axis=1))
    return b.finish()


def attention() -> onnx.ModelProto:
    """A transformer's block: embedding, two heads, masked, LayerNormalization, Gelu; tokens [1, 6] of 11."""
    b, width, heads, length = Builder("attention"), 8, 2, 6
    tokens = b.input("tokens", (1, length), np.int64)
    x = b.op("Gather", b.constant(normal(11, width), "embedding"), tokens, name="embedded")
    norm = [b.constant(abs(normal(width)), "scale"), b.constant(normal(width), "shift")]
    h = b.op("LayerNormalization", x, *norm, name="normed")
    shape = b.constant(np.array([1, length, heads, width // heads]), "shape")
    parts = []
    for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        part = b.op("MatMul", h, b.constant(normal(width, width), f"w{name}"), name=name)
        parts.append(b.op("Transpose", b.op("Reshape", part, shape, name=f"{name}4"), name=f"{name}t", perm=order))
    scores = b.op("Div", b.op("MatMul", parts[0], parts[1], name="scores"), b.scalar(2.0), name="scaled")
    mask = b.constant(np.tril(np.ones((length, length), bool)), "mask")
    masked = b.op("Where", mask, scores, b.scalar(-1e9), name="masked")
    mixed = b.op("MatMul", b.op("Softmax", masked, name="shares"), parts[2], name="mixed")
    flat = b.constant(np.array([1, length, width]), "flat")
    y = b.op("Reshape", b.op("Transpose", mixed, name="back", perm=[0, 2, 1, 3]), flat, name="joined")
    y = b.op("Add", x, y, name="sum")
    b.output(b.op("Gelu", b.op("MatMul", y, b.constant(normal(width, 16), "w1"), name="wide"), name="y"))
    return b.finish()


def test_a_step_gives_two_graphs_and_parameters_once() -> None:
    case = step_case()
    found = deployable(case.model, case.inputs)
    assert set(found.graphs) == {TRAIN, INFER} == found.rows
    assert found.data(TRAIN) == ["x", "labels"] and found.data(INFER) == ["x"]
    assert sorted(found.parameters) == ["0.bias", "0.weight", "2.bias", "2.weight"]
    assert Index(found.graphs[INFER]).outputs == ["logits"]


@pytest.mark.slow
def test_a_cnn_with_its_weights_inside(tmp_path: Path) -> None:
    save(cnn(), tmp_path / "cnn.onnx")
    assert main(["deploy", str(tmp_path / "cnn.onnx"), "-o", str(tmp_path / "program")]) == 0
    names = {path.stem for path in (tmp_path / "program" / "parameters").iterdir()}
    assert {"w0", "w1", "w", "b"} <= names
    images = normal(5, 1, 12, 10)
    np.save(tmp_path / "x.npy", images)
    program = build(tmp_path / "program")
    result = run(program, "infer", tmp_path / "x.npy", "-o", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    padded = np.concatenate([images, images[:1]])
    wanted = np.concatenate([evaluate(cnn_of(tmp_path), {"x": padded[i : i + 2]})["shares"] for i in (0, 2, 4)])[:5]
    np.testing.assert_allclose(np.load(tmp_path / "out" / "shares.npy"), wanted, atol=1e-5)


def cnn_of(folder: Path) -> onnx.ModelProto:
    return onnx.load_model(str(folder / "cnn.onnx"))


@pytest.mark.slow
def test_a_transformers_block(tmp_path: Path) -> None:
    model = attention()
    write_folder(tmp_path / "program", deployable(model, {}))
    program = build(tmp_path / "program", ("-O1",))
    tokens = np.array([[3, 1, 4, 1, 5, 9]])
    np.save(tmp_path / "tokens.npy", tokens)
    result = run(program, "infer", tmp_path / "tokens.npy", "-o", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    np.testing.assert_allclose(np.load(tmp_path / "out" / "y.npy"), evaluate(model, {"tokens": tokens})["y"], atol=1e-4)
    np.save(tmp_path / "tokens.npy", tokens + 7)  # some are no tokens: they read nothing, not foreign memory
    assert run(program, "infer", tmp_path / "tokens.npy", "-o", tmp_path / "out").returncode == 0
    assert np.isnan(np.load(tmp_path / "out" / "y.npy")).any()


def test_a_known_result_is_written(tmp_path: Path) -> None:
    """A constant that is large enough for a file of its own, and an input that is a result."""
    b, known = Builder("known"), np.arange(100, dtype=np.float32)
    for name in (b.constant(known, "known"), b.input("x", (3,), np.float32)):
        b.output(name)
    write_folder(tmp_path / "program", deployable(b.finish(), {}))
    np.save(tmp_path / "x.npy", known[:3])
    result = run(build(tmp_path / "program"), "infer", tmp_path / "x.npy", "-o", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    for name, wanted in (("known", known), ("x", known[:3])):
        np.testing.assert_array_equal(np.load(tmp_path / "out" / f"{name}.npy"), wanted)


def test_rows_that_know_of_each_other_are_found() -> None:
    b = Builder("mean")
    x = b.input("x", (4, 3), np.float32)
    axes = b.constant(np.array([0]), "axes")
    b.output(b.op("Sub", x, b.op("ReduceMean", x, axes, name="mean", keepdims=1), name="y"))
    assert deployable(b.finish(), {}).rows == frozenset()


@pytest.mark.parametrize(
    "body",
    [
        "(float[4,3] x) => (float[4,3] y) <int64 a = {0}> { y = CumSum(x, a) }",
        "(float[4,3] x) => (float[4,3] y) <float[4,1] p = {0, 1, 2, 3}> { y = Add(x, p) }",
        "(float[4,3] x) => (float[4,3] y) <int64[4] k = {0, 0, 2, 3}> { y = Gather(x, k) }",
        "(float[4,4] x) => (float[4,4] y) { y = Trilu(x) }",
    ],
)
def test_rows_that_know_their_place_or_rows_before_them_are_found(body: str) -> None:
    assert deployable(parsed(body), {}).rows == frozenset()


def test_a_graph_that_does_not_take_random_values_has_its_own_rows() -> None:
    b = Builder("picked")
    table = b.constant(np.ones((1, 3), np.float32), "table")  # its only index is 0
    b.output(b.op("Gather", table, b.input("x", (4,), np.int64), name="y"))
    assert deployable(b.finish(), {}).rows == frozenset()


def test_what_has_no_template_is_one_error_and_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    b = Builder("det")
    b.output(b.op("Det", b.input("x", (3, 3), np.float32), name="y"))
    save(b.finish(), tmp_path / "det.onnx")
    assert main(["deploy", str(tmp_path / "det.onnx"), "-o", str(tmp_path / "out")]) == 2
    assert "haribote deploy: C++: node 'y': there is no template for Det" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    with pytest.raises(UnsupportedOp):
        write_folder(tmp_path / "out", deployable(b.finish(), {}))


def test_mistakes_of_the_user(tmp_path: Path) -> None:
    case = step_case()
    with pytest.raises(HariboteError, match=r"the parameter '0.weight' has no value"):
        deployable(case.model, {})
    with pytest.raises(HariboteError, match="no input 'z'"):
        deployable(case.model, case.inputs, ["z"])
