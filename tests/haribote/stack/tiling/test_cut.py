"""A graph on pieces gives what the whole graph gives."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest

from haribote.graph import Builder, Index, evaluate, set_metadata, updates
from haribote.graphs.textual import parsed
from haribote.graphs.tiles import Tiles, tile_table
from haribote.stack.planner import elementary
from haribote.stack.planner.families import candidates
from haribote.stack.tiling import cut, sizes
from haribote.stack.tiling.axes import Axes


@pytest.fixture(autouse=True)
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chip on which next to nothing fits."""
    monkeypatch.setattr(sizes, "MOST_WORDS", 0.02)
    monkeypatch.setattr(sizes, "LEAST", 3)


def layer() -> onnx.ModelProto:
    """A layer with its update, sizes that are no multiples of each other, and a reduction along each axis."""
    b = Builder("layer")
    x, w, c = b.input("x", (10, 12), np.float32), b.input("w", (7, 12), np.float32), b.input("c", (7,), np.float32)
    y = b.op("Add", b.op("Gemm", x, w, name="z", transB=1), c, name="y")
    top = b.op("ReduceMax", y, b.constant(np.array([1]), "one"), name="top")
    e = b.op("Exp", b.op("Sub", y, top, name="below"), name="e")
    s = b.op("ReduceSum", e, b.constant(np.array([1]), "one"), name="s", keepdims=0)
    column = b.op("Reshape", s, b.constant(np.array([10, 1]), "tall"), name="column")
    p = b.op("Div", e, column, name="p")
    turned = b.op("Transpose", p, name="turned", perm=[1, 0])
    g = b.op("MatMul", turned, x, name="g")
    b.output(b.op("ReduceSum", p, b.constant(np.array([0]), "none"), name="sums"))
    d = b.op("Mul", g, b.constant(np.full((7, 12), 0.5, np.float32), "rate"), name="d")
    b.output(b.op("Sub", w, d, name="w.next"))
    model = b.finish()
    set_metadata(model, updates=json.dumps({"w": "w.next"}))
    return model


def test_pieces_give_what_the_whole_gives() -> None:
    model = layer()
    cut_model = cut(model)
    tiles = gives_the_same(cut_model, model)
    assert {"x", "w", "c", "w.next"} <= set(tiles.table)
    assert updates(cut_model) == dict(zip(tiles.names("w"), tiles.names("w.next"), strict=True))


@pytest.mark.parametrize("equation", ["ab,cb->ac", "ba,bc->ac", "ab,cb->ca"])
def test_pieces_of_a_product_of_a_value_with_itself(equation: str) -> None:
    """Its axis is one of rows and one of columns."""
    builder = Builder("itself")
    x = builder.input("x", (10, 12), np.float32)
    y = builder.op("Einsum", x, x, name="y", equation=equation)
    builder.output(y)
    builder.output(builder.op("ReduceSum", y, name="s", keepdims=0))
    model = builder.finish()
    axes, rows = Axes(model), equation.split(",")[0].index("a")
    assert axes.of("x", rows) == axes.of("y", 0) == axes.of("y", 1) is not None
    assert gives_the_same(cut(model), model).table


@pytest.mark.parametrize(
    "body",
    [
        "(float[7,1] x, float[12,12] z) => (float[7] y, float[12] d)"
        ' { r = Relu(x) y = Squeeze(r) d = Einsum<equation = "aa->a">(z) }',
        "(float[12,9] x, float[2,5,6] z) => (float[9] y, float[5,6] p)"
        " <int64[1] a = {0}, int64 one = {1}>"
        " { y = ReduceSum<keepdims = 0>(x, a) p = Gather<axis = 0>(z, one) }",
    ],
)
def test_pieces_of_one_element_and_operands_that_are_not_cut(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last piece of seven or nine by twos has one; what is picked from may have more axes than what is picked."""
    monkeypatch.setattr(sizes, "MOST_WORDS", 0.002)
    model = elementary.run(parsed(body))
    assert gives_the_same(cut(model), model).table


def gives_the_same(cut_model: onnx.ModelProto, model: onnx.ModelProto) -> Tiles:
    """The values that are cut, where the pieces give what the whole gives."""
    random = np.random.default_rng(0)
    tiles, index = Tiles(tile_table(cut_model)), Index(model)
    values = {name: random.standard_normal(index.shape[name]).astype(np.float32) for name in index.inputs}
    found = evaluate(cut_model, {n: a for name, value in values.items() for n, a in tiles.split(name, value)})
    for name, wanted in evaluate(model, values).items():
        pieces = [found[piece] for piece in tiles.names(name)]
        got = tiles.join(name, pieces) if name in tiles else pieces[0]
        assert np.allclose(got, wanted, rtol=1e-5, atol=1e-6), name
    return tiles


@pytest.mark.parametrize("shape", [(1_500_007,), (2, 750_001)])
def test_what_does_not_fill_all_units_is_cut_earlier(shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """One long axis is not dealt out over all PEs: 3 million words may be too many."""
    monkeypatch.setattr(sizes, "MOST_WORDS", 3072)
    monkeypatch.setattr(sizes, "LEAST", 64)
    builder = Builder("long")
    builder.input("x", shape, np.float32)
    builder.output(builder.op("Relu", "x", name="y"))
    found = sizes.sizes(model := builder.finish(), Axes(model))
    words = [2 * min(layout.longs for _, layout in candidates((*shape[:-1], length))) for length in found.values()]
    assert words and 2 * max(words) <= 3072


def test_what_fits_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "MOST_WORDS", 3072)
    model = layer()
    assert cut(model) is model


def test_axes_that_an_operator_runs_along_are_tied() -> None:
    axes = Axes(layer())
    assert axes.of("x", 1) == axes.of("w", 1) == axes.of("w.next", 1) is not None
    assert axes.of("y", 0) == axes.of("x", 0) == axes.of("turned", 1)
    assert axes.of("top", 1) is None


def test_what_moves_elements_is_not_cut() -> None:
    b = Builder("moved")
    x = b.input("x", (16, 16), np.float32)
    b.output(b.op("Concat", b.op("Exp", x, name="e"), x, name="y", axis=0))
    model = b.finish()
    assert Axes(model).of("e", 0) is None and cut(model) is model


def test_an_output_is_finished_before_the_next_begins() -> None:
    b = Builder("chain")
    x = b.input("x", (64, 64), np.float32)
    b.output(b.op("Exp", b.op("Neg", x, name="n"), name="y"))
    names = [node.output[0] for node in cut(b.finish()).graph.node]
    assert len(names) > 4 and [name[0] for name in names] == ["n", "y"] * (len(names) // 2)
