"""Drawings: every node once, no overlap, wires that end where they should, XML that parses, the same text each time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import haribote
from haribote import draw
from haribote.compiler import STAGES, lower
from haribote.draw.compare import compare
from haribote.draw.picture import Picture, picture
from haribote.draw.scene import Rect, Scene, lay_out
from haribote.draw.words import details, shape_text, short, value_text
from haribote.graph import Builder, Index
from simulator.files import FileError

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def stages() -> dict[str, onnx.ModelProto]:
    """The training step of 784-16-10 as traced, and after every stage."""
    import torch

    from haribote.frontend.torch import trace_step
    from haribote.training.models import mlp

    model = mlp(784, 16, 10)
    labels = torch.zeros(256, dtype=torch.int64)
    graph = trace_step(model, torch.optim.SGD(model.parameters(), lr=0.01), torch.zeros(256, 784), labels)
    result = {"trace": graph}
    for stage in STAGES:
        graph = result[stage] = lower(graph, stage, stage)
    return result


@pytest.fixture(params=["trace", *STAGES])
def model(request: pytest.FixtureRequest, stages: dict[str, onnx.ModelProto]) -> onnx.ModelProto:
    """The graph after each stage in turn."""
    return stages[request.param]


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


def tree(drawing: draw.Svg) -> ElementTree.Element:
    return ElementTree.fromstring(drawing.text)


def boxes(root: ElementTree.Element, kind: str) -> list[str]:
    """The names of the boxes of one kind."""
    return [g.attrib["data-name"] for g in root.iter(f"{SVG}g") if {"box", kind} <= set(g.get("class", "").split())]


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


# --- the picture --------------------------------------------------------------------------------------------------


def test_every_node_is_drawn_once(model: onnx.ModelProto) -> None:
    root = tree(draw.svg(model))
    drawn = Counter(boxes(root, "node") + boxes(root, "transfer"))
    assert drawn == Counter(node.name for node in model.graph.node)
    assert set(boxes(root, "input")) == {n for n in Index(model).inputs if Index(model).consumers[n]}
    assert boxes(root, "output") == Index(model).outputs


def test_every_use_of_a_value_is_a_wire(model: onnx.ModelProto) -> None:
    index, drawn = Index(model), picture(model)
    wires = Counter(
        (value.name, drawn.boxes[target].name)
        for value in drawn.values
        for target in value.targets
        if drawn.boxes[target].kind != "output"
    )
    uses = {(name, node.name) for node in model.graph.node for name in node.input if name not in index.constants}
    assert wires == Counter(uses)
    ends = {drawn.boxes[t].name for value in drawn.values for t in value.targets if drawn.boxes[t].kind == "output"}
    assert ends == set(index.outputs)


def test_wires_in_the_file_name_their_readers(model: onnx.ModelProto) -> None:
    index, root = Index(model), tree(draw.svg(model))
    for path in root.iter(f"{SVG}path"):
        if "data-value" in path.attrib:
            name, readers = path.attrib["data-value"], path.attrib["data-readers"].split()
            assert set(readers) <= {node.name for node in index.consumers[name]} | {name}
            assert path.attrib["d"].startswith("M") and "nan" not in path.attrib["d"]


def test_labels_are_the_shapes(model: onnx.ModelProto) -> None:
    index = Index(model)
    for value in picture(model).values:
        assert value.label.split()[0] == ("×".join(map(str, index.shape[value.name])) or "scalar")


def test_constants_are_told_in_the_node(stages: dict[str, onnx.ModelProto]) -> None:
    lines = {box.name: (box.title, *box.lines[1:]) for box in picture(stages["decompose"]).boxes}
    assert lines["0.weight.next.scaled"] == ("Mul", "× 0.01")
    assert lines["logits.grad"] == ("Mul", "× 1/256")
    assert lines["softmax.max"] == ("ReduceMax", "axes 1")
    assert lines["2.weight.grad"] == ("Gemm Aᵀ·B",)
    assert lines["0.out.grad.mask"] == ("Cast", "to float")


def test_attributes_with_their_default_are_for_the_tooltip_only() -> None:
    node = onnx.helper.make_node(
        "Conv", ["x", "w"], ["y"], strides=[1, 1], pads=[2, 2, 2, 2], group=1, dilations=[1, 2]
    )
    assert details(node, Index(onnx.ModelProto())) == "dilations [1, 2], pads [2, 2, 2, 2]"


def test_partitions_and_memories_after_placing(stages: dict[str, onnx.ModelProto]) -> None:
    placed = picture(stages["place"])
    paint = {box.name: box.paint for box in placed.boxes if box.kind in ("node", "transfer")}
    assert paint["0.out"] == "chip" and paint["0.out.dl0"] == "chip" and paint["loss.log"] == "loss"
    memory = {value.name: value.memory for value in placed.values}
    assert (memory["x"], memory["0.out.dl0"], memory["0.out.lm"], memory["0.out"]) == ("DRAM", "LM0", "LM1", "DRAM")
    legend = "".join(tree(draw.svg(stages["place"])).itertext())
    assert "runs on the chip" in legend and "in LM0" in legend and "runs on the host" not in legend
    assert not picture(stages["decompose"]).memories


def test_a_node_without_a_kernel_is_on_the_host(stages: dict[str, onnx.ModelProto]) -> None:
    model = onnx.ModelProto()
    model.CopyFrom(stages["layout"])
    node = next(node for node in model.graph.node if node.op_type == "Exp")
    del node.metadata_props[:]
    assert {box.paint for box in picture(model).boxes if box.title == "Exp"} == {"host"}


def test_a_compiled_step_shows_who_runs_what(stages: dict[str, onnx.ModelProto]) -> None:
    """Without any kernel all is the host's, with the reference kernels nothing but the loss."""
    from haribote.chip.codegen import HostPiece
    from haribote.chip.program import link
    from haribote.compiler import compile_for_sim

    done = compile_for_sim(stages["trace"], solutions=True)
    assert "host" not in picture(draw.as_it_runs(done)).paints
    nothing = link(done.model, [HostPiece(node, "no kernel") for node in stages["layout"].graph.node])
    drawn = picture(draw.as_it_runs(nothing))
    assert set(drawn.paints) == {"host", "loss"} and drawn.memories == ["DRAM"]
    assert draw.svg(nothing).text == draw.svg(draw.as_it_runs(nothing)).text


def test_compact_drawing_has_operators_only(stages: dict[str, onnx.ModelProto]) -> None:
    drawn = picture(stages["decompose"]).compact()
    check_scene(lay_out(drawn))
    root = tree(draw.svg(stages["decompose"], compact=True))
    kinds = {text.get("class") for text in root.iter(f"{SVG}text")}
    assert kinds == {"caption", "key", "title"}
    assert Counter(boxes(root, "node")) == Counter(node.name for node in stages["decompose"].graph.node)


# --- the layout ---------------------------------------------------------------------------------------------------


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


# --- the file -----------------------------------------------------------------------------------------------------


def test_text_is_the_same_each_time(model: onnx.ModelProto) -> None:
    assert draw.svg(model).text == draw.svg(model).text


def test_file_needs_nothing_from_elsewhere(model: onnx.ModelProto) -> None:
    text = draw.svg(model).text
    assert text.count("://") == 1 and 'xmlns="http://www.w3.org/2000/svg"' in text
    assert not re.search(r"<(script|image|foreignObject|use|link)\b|@import|url\(", text)
    assert "prefers-color-scheme: dark" in text


def test_style_touches_only_the_drawing(stages: dict[str, onnx.ModelProto]) -> None:
    style = tree(draw.svg(stages["trace"])).findtext(f"{SVG}style") or ""
    selectors = re.findall(r"([^{}]+)\{", style.replace("@media (prefers-color-scheme: dark) {", ""))
    assert selectors
    assert all(part.strip().split("] ")[-1].startswith(".haribote") for names in selectors for part in names.split(","))


def test_names_are_escaped() -> None:
    builder = Builder('a<b & "c"')
    builder.input("<x>", (2,), np.float32)
    builder.output(builder.op("Relu", "<x>", name='y&"<'))
    root = tree(draw.svg(builder.finish()))
    assert boxes(root, "node") == ['y&"<'] and boxes(root, "input") == ["<x>"]


def test_notebooks_show_the_object(stages: dict[str, onnx.ModelProto]) -> None:
    drawing = draw.svg(stages["trace"])
    assert drawing._repr_svg_() == drawing.text == str(drawing)


def test_saving_where_one_cannot(tmp_path: Any, stages: dict[str, onnx.ModelProto]) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot write"):
        draw.svg(stages["trace"]).save(tmp_path / "file" / "x.svg")


def test_words() -> None:
    assert short("a" * 40, 9) == "aaaa…aaaa" and short("abc", 3) == "abc" and len(short("x" * 99, 10)) == 10
    assert shape_text((), np.dtype("float32")) == "scalar" and shape_text((2, 3), np.dtype("int64")) == "2×3 int64"
    assert value_text(np.float32(1 / 256)) == "1/256" and value_text(np.array([0, 1])) == "[0, 1]"
    assert value_text(np.zeros((2, 3), np.float32)) == "constant 2×3" and value_text(np.zeros(0)) == "[]"
    assert value_text(np.float32(0)) == "0" and value_text(np.float32("nan")) == "nan"


# --- before and after ---------------------------------------------------------------------------------------------


def paints(pictures: tuple[Picture, Picture]) -> list[dict[str, str]]:
    return [{box.name: box.paint for box in each.boxes if box.kind in ("node", "transfer")} for each in pictures]


def test_a_graph_compared_with_itself_is_unchanged(model: onnx.ModelProto) -> None:
    assert set(draw.changes(model, model).values()) == {""}
    assert {box.paint for each in compare(model, model) for box in each.boxes} == {"same"}


def test_what_a_pass_did_is_painted(stages: dict[str, onnx.ModelProto]) -> None:
    before, after = stages["pad"], stages["decompose"]
    names = [{node.name for node in model.graph.node} for model in (before, after)]
    left, right = paints(compare(before, after))
    assert {name for name, paint in left.items() if paint == "removed"} == names[0] - names[1]
    assert {name for name, paint in right.items() if paint == "added"} == names[1] - names[0]
    assert {name: left[name] for name in names[0] & names[1]} == {name: right[name] for name in names[0] & names[1]}
    assert right["0.out"] == "same" and right["logits.grad"] == "changed"


def test_changes_say_what(stages: dict[str, onnx.ModelProto]) -> None:
    simplified = draw.changes(stages["trace"], stages["simplify"])
    assert simplified["0.out.matmul"] == "was MatMul" and simplified["t"] == "removed" and simplified["1.out"] == ""
    assert draw.changes(stages["simplify"], stages["pad"])["logits"] == "was 256×10"
    assert draw.changes(stages["tile"], stages["layout"])["1.out"] == "other kernel"
    placed = draw.changes(stages["transfer"], stages["place"])
    assert set(placed.values()) == {"other addresses", ""}
    assert draw.summary(stages["trace"], stages["simplify"]) == "17 unchanged, 8 changed, 12 removed, 0 added"


def test_both_graphs_are_in_one_drawing(stages: dict[str, onnx.ModelProto]) -> None:
    before, after = stages["trace"], stages["simplify"]
    root = tree(draw.diff(before, after, ("trace", "simplify")))
    graphs = [g for g in root.iter(f"{SVG}g") if g.get("class") == "graph"]
    assert [boxes(graph, "node") for graph in graphs] == [[n.name for n in m.graph.node] for m in (before, after)]
    captions = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "caption"]
    assert captions == ["trace · 37 nodes", "simplify · 25 nodes"]


def test_picture_of_the_readme_is_small_and_self_contained() -> None:
    file = Path(haribote.__file__).parent.parent / "docs" / "images" / "pipeline.svg"
    text = file.read_text(encoding="utf-8")
    assert len(text) < 200_000 and text.count("://") == 1 and "<script" not in text
    assert ElementTree.fromstring(text).tag == f"{SVG}svg"
