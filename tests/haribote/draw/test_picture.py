"""Drawings of graphs: every node once, wires to their readers, XML that parses, notebooks and files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import haribote
from haribote import draw
from haribote.draw.picture import picture
from haribote.graph import Builder, Index
from simulator.files import FileError
from simulator.language import spoken
from tests.haribote.draw.drawings import SVG, boxes, tree

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


def test_a_label_is_as_wide_as_its_characters() -> None:
    builder = Builder("wide")
    builder.output(builder.op("Neg", builder.input("x", (), np.float32), name="y"))
    with spoken("ja"):
        text = str(draw.svg(builder.finish()))
    assert re.findall(r'<g class="label">.*?width="([\d.]+)".*?>([^<>]*)</text>', text) == [("50", "スカラー")] * 2


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
    parts = [part.strip() for names in selectors for part in names.split(",")]
    assert all(re.sub(r"^body\S* ", "", part).startswith(".haribote") for part in parts)


def test_names_are_escaped() -> None:
    builder = Builder('a<b & "c"')
    builder.input("<x>", (2,), np.float32)
    builder.output(builder.op("Relu", "<x>", name='y&"<'))
    root = tree(draw.svg(builder.finish()))
    assert boxes(root, "node") == ['y&"<'] and boxes(root, "input") == ["<x>"]


def test_names_are_the_same_in_every_language() -> None:
    builder = Builder("step")
    builder.input("sum", (), np.float32)
    builder.output(builder.op("Relu", "sum", name="loss"))
    with spoken("ja"):
        text = draw.svg(builder.finish()).text
    assert ">loss</text>" in text and "<title>出力 loss</title>" in text and "<title>入力 sum</title>" in text
    assert ">スカラー</text>" in text and "損失" not in text


def test_notebooks_show_the_object(stages: dict[str, onnx.ModelProto]) -> None:
    drawing = draw.svg(stages["trace"])
    assert drawing._repr_svg_() == drawing.text == str(drawing)


def test_saving_where_one_cannot(tmp_path: Any, stages: dict[str, onnx.ModelProto]) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot write"):
        draw.svg(stages["trace"]).save(tmp_path / "file" / "x.svg")


def test_picture_of_the_readme_is_small_and_self_contained() -> None:
    file = Path(haribote.__file__).parent.parent / "docs" / "images" / "pipeline.svg"
    text = file.read_text(encoding="utf-8")
    assert len(text) < 200_000 and text.count("://") == 1 and "<script" not in text
    assert ElementTree.fromstring(text).tag == f"{SVG}svg"
