"""Two graphs compared: what a pass did is painted, and changes say what."""

from __future__ import annotations

import onnx

from haribote import draw
from haribote.draw.compare import compare
from haribote.draw.picture import Picture
from tests.haribote.draw.drawings import SVG, boxes, tree


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
