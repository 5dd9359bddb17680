"""Where boxes and wires lie: no overlap, wires that end where they should."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import onnx
import pytest

from haribote import draw
from haribote.draw.picture import picture
from haribote.draw.scene import Rect, Scene, lay_out
from haribote.graph import Builder
from tests.haribote.draw.drawings import SVG, boxes, tree


def random_graph(seed: int) -> onnx.ModelProto:
    """Some 40 operators, each reading one to three of the values before it."""
    random = np.random.default_rng(seed)
    builder = Builder("random")
    values = [builder.input(name, (4, 3), np.float32) for name in ("a", "b")]
    for number in range(40):
        inputs = [values[place] for place in random.integers(0, len(values), random.integers(1, 4))]
        values.append(builder.op("Sum", *inputs, name=f"v{number}"))
    for name in values[-3:]:
        builder.output(name)
    return builder.finish()


def overlap(a: Rect, b: Rect) -> bool:
    return (
        a.left < b.left + b.width
        and b.left < a.left + a.width
        and a.top < b.top + b.height
        and b.top < a.top + a.height
    )


def check_scene(scene: Scene) -> None:
    """Boxes and labels do not overlap, everything is inside, and wires lead down from box to box, around the others."""
    rects = scene.rects
    for number, other in combinations(range(len(rects)), 2):
        assert not overlap(rects[number], rects[other]), (scene.picture.boxes[number], scene.picture.boxes[other])
    for label in scene.labels:
        assert not any(overlap(label, rect) for rect in rects)
    for rect in [*rects, *scene.labels]:
        assert rect.left >= 0 and rect.top >= 0
        assert rect.left + rect.width <= scene.width and rect.top + rect.height <= scene.height
    for value, paths in zip(scene.picture.values, scene.paths, strict=True):
        assert [path.target for path in paths] != [] and {path.target for path in paths} == set(value.targets)
        for path in paths:
            source, target, points = rects[value.source], rects[path.target], path.points
            assert points[0].y == source.top + source.height and points[-1].y == target.top
            assert source.left < points[0].x < source.left + source.width
            assert target.left < points[-1].x < target.left + target.width
            assert [point.y for point in points] == sorted(point.y for point in points)
            for start, end in zip(points[::2], points[1::2], strict=True):
                assert start.x == end.x  # the straight pieces, the only ones that pass boxes
                wire = Rect(start.x - 1, start.y + 0.1, 2, end.y - start.y - 0.2)
                assert not any(overlap(wire, rect) for rect in rects)


def test_compact_drawing_has_operators_only(stages: dict[str, onnx.ModelProto]) -> None:
    drawn = picture(stages["decompose"]).compact()
    check_scene(lay_out(drawn))
    root = tree(draw.svg(stages["decompose"], compact=True))
    kinds = {text.get("class") for text in root.iter(f"{SVG}text")}
    assert kinds == {"caption", "key", "title"}
    assert Counter(boxes(root, "node")) == Counter(node.name for node in stages["decompose"].graph.node)


@pytest.mark.some(3)
def test_layout_of_every_stage(model: onnx.ModelProto) -> None:
    check_scene(lay_out(picture(model)))


@pytest.mark.parametrize("seed", range(8))
def test_layout_of_random_graphs(seed: int) -> None:
    check_scene(lay_out(picture(random_graph(seed))))


def test_empty_graph_and_graph_without_operators() -> None:
    assert tree(draw.svg(onnx.ModelProto())).tag == f"{SVG}svg"
    builder = Builder("through")
    builder.input("x", (2,), np.float32)
    builder.output("x")
    check_scene(lay_out(picture(builder.model)))


def test_chains_are_straight() -> None:
    """Two chains side by side, their nodes in alternating order: every wire is straight."""
    builder = Builder("chains")
    values = [builder.input(name, (2,), np.float32) for name in ("a", "b")]
    for number in range(6):
        values = [builder.op("Relu", value, name=f"{'pq'[k]}{number}") for k, value in enumerate(values)]
    for value in values:
        builder.output(value)
    scene = lay_out(picture(builder.finish()))
    assert all(path.points[0].x == path.points[-1].x for paths in scene.paths for path in paths)
