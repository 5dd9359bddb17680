"""Tiling: the meaning stays, a step of single tiles stays as it is, and every operator of a wider MLP fits a kernel."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from haribote.frontend.torch import trace_step
from haribote.graph import Index, evaluate, is_loss
from haribote.graphs.tiles import Tiles, tile_table
from haribote.passes import decompose, fuse_greater, pad, simplify, tile
from haribote.passes.assign_layouts import find_row
from haribote.training.backends import example_batch
from haribote.training.models import mlp
from tests.haribote.whole_outputs import cropped, joined

MODELS = {
    "128 hidden": ((784, 128, 10), True, 256),
    "deep, no bias, batch 100": ((784, 64, 32, 10), False, 100),
    "three batches": ((30, 40, 10), True, 600),
    "one hidden": ((784, 1, 10), True, 1),
    "two tiles of features": ((1100, 20, 10), True, 300),
    "40 classes": ((784, 20, 40), True, 256),
}


def decomposed(widths: tuple[int, ...], bias: bool, batch: int) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    model = mlp(*widths, bias=bias)
    graph = trace_step(model, *example_batch(model, batch, 0.1))
    return graph, decompose.run(pad.run(simplify.run(graph)))


def feeds_of(graph: onnx.ModelProto, widths: tuple[int, ...]) -> dict[str, np.ndarray]:
    random, index = np.random.default_rng(0), Index(graph)
    feeds = {name: random.uniform(-0.3, 0.3, index.shape[name]).astype(np.float32) for name in index.inputs}
    return feeds | {"labels": random.integers(0, widths[-1], index.shape["labels"])}


@pytest.mark.parametrize("name", MODELS)
def test_a_tiled_step_means_the_same(name: str) -> None:
    graph, before = decomposed(*MODELS[name])
    feeds, after = feeds_of(graph, MODELS[name][0]), tile.run(before)
    tiled = evaluate(after, tile.split_inputs(after, pad.pad_inputs(before, feeds)))
    outputs = cropped(before, joined(after, tiled))
    expected = evaluate(graph, feeds)
    assert outputs.keys() == expected.keys()
    for output, value in expected.items():
        assert np.abs(outputs[output] - value).max() < 1e-6, output


@pytest.mark.parametrize("name", [name for name in MODELS if name != "40 classes"])
def test_every_operator_on_tiles_fits_a_kernel(name: str) -> None:
    after = fuse_greater.run(tile.run(decomposed(*MODELS[name])[1]))
    index = Index(after)
    assert [n.name for n in after.graph.node if find_row(n, index) is None and not is_loss(n)] == []


def test_a_step_of_single_tiles_stays_as_it_is() -> None:
    before = decomposed((784, 16, 10), True, 256)[1]
    assert tile.run(before).graph == before.graph


def test_updates_name_the_tiles_of_each_parameter() -> None:
    import json

    after = tile.run(decomposed((16, 32, 10), True, 256)[1])
    updates = json.loads({entry.key: entry.value for entry in after.metadata_props}["haribote.updates"])
    assert updates["0.weight[1,0]"] == "0.weight.next[1,0]" and updates["2.bias"] == "2.bias.next"
    names = {info.name for info in after.graph.input} | {info.name for info in after.graph.output}
    assert {*updates, *updates.values()} <= names


def test_split_and_join_are_inverse() -> None:
    array = np.arange(48 * 32).reshape(48, 32)
    tiles = Tiles({"w": {"shape": [48, 32], "tile": [16, 16]}})
    parts = dict(tiles.split("w", array))
    assert list(parts) == [f"w[{i},{j}]" for i in range(3) for j in range(2)] == tiles.names("w")
    assert np.array_equal(tiles.join("w", list(parts.values())), array)


def test_the_state_of_an_optimiser_is_cut_like_the_gradient() -> None:
    model = mlp(784, 40, 10)
    optimiser, x, labels = example_batch(model, 64, 0.1)
    optimiser.param_groups[0]["momentum"] = 0.9
    graph = trace_step(model, optimiser, x, labels)
    before = decompose.run(pad.run(simplify.run(graph)))
    after = tile.run(before)
    cuts = tile_table(after)
    assert cuts["0.weight.momentum"] == cuts["0.weight"] == {"shape": [48, 1024], "tile": [16, 1024]}
    feeds = feeds_of(graph, (784, 40, 10))
    outputs = cropped(before, joined(after, evaluate(after, tile.split_inputs(after, pad.pad_inputs(before, feeds)))))
    for output, value in evaluate(graph, feeds).items():
        assert np.abs(outputs[output] - value).max() < 1e-6, output
