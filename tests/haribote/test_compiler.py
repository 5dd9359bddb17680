"""The pipelines: every stage means the same, and every operator of the chip has a kernel."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest

from haribote.compiler import STAGES, lower
from haribote.errors import HariboteError
from haribote.frontend.torch import trace_inference
from haribote.graph import evaluate, load
from haribote.passes import pad
from haribote.passes.placement import row_of
from haribote.training.backends import example_batch
from haribote.training.models import mlp
from tests.haribote.whole_outputs import cropped


def test_the_step_is_28_operators_each_with_a_kernel(traced: onnx.ModelProto) -> None:
    placed = lower(traced)
    counts = Counter(node.op_type for node in placed.graph.node if row_of(node))
    transfers = counts.pop("DL") + counts.pop("UL")
    assert counts == {
        "Gemm": 5, "Add": 2, "Relu": 1, "ReduceMax": 1, "Sub": 2 + 4, "Exp": 1, "ReduceSum": 3, "Div": 1, "OneHot": 1,
        "Mul": 2 + 4, "GreaterCast": 1,
    }  # fmt: skip
    assert transfers == 66
    assert all(node.name.startswith("loss") for node in placed.graph.node if row_of(node) is None)


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_means_the_same(
    stage: str, traced: onnx.ModelProto, feeds: dict[str, np.ndarray], tmp_path: Path
) -> None:
    lower(traced, stop_after=stage, save_to=tmp_path)
    assert sorted(file.stem for file in tmp_path.iterdir()) == sorted(list(STAGES)[: list(STAGES).index(stage) + 1])
    model = load(tmp_path / f"{stage}.onnx")
    expected = evaluate(traced, feeds)
    outputs = cropped(model, evaluate(model, pad.pad_inputs(model, feeds)))  # one tile each: nothing to cut
    assert outputs.keys() == expected.keys()
    for name, value in expected.items():
        assert np.abs(outputs[name] - value).max() < 1e-6, name


def test_an_unknown_stage_is_refused(traced: onnx.ModelProto) -> None:
    with pytest.raises(HariboteError, match="simplify, pad, decompose"):
        lower(traced, stop_after="fold")


def test_inference_lowers_to_five_operators() -> None:
    model = mlp(784, 16, 10)
    placed = lower(trace_inference(model, example_batch(model, 256, 0.01)[1]))
    names = [row.op for node in placed.graph.node if (row := row_of(node)) and row.op not in ("DL", "UL")]
    assert names == ["Gemm", "Add", "Relu", "Gemm", "Add"]
