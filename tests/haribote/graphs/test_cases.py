"""Cases of graphs survive the disk, and a damaged one is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from haribote.compiler import lower
from haribote.errors import HariboteError
from haribote.graph import Index, evaluate
from haribote.graphs.cases import load_case, reference_case, save_case, unit_cases, unit_name
from haribote.passes import pad


def test_a_case_survives_the_disk(traced: onnx.ModelProto, feeds: dict[str, np.ndarray], tmp_path: Path) -> None:
    case = reference_case("step", traced, feeds)
    save_case(case, tmp_path)
    again = load_case(tmp_path)
    assert again.model == case.model
    for mine, theirs in ((case.inputs, again.inputs), (case.outputs, again.outputs)):
        assert all(np.array_equal(mine[name], theirs[name]) for name in mine) and mine.keys() == theirs.keys()


def test_a_damaged_case_is_named(traced: onnx.ModelProto, feeds: dict[str, np.ndarray], tmp_path: Path) -> None:
    with pytest.raises(HariboteError, match="not a case"):
        load_case(tmp_path)
    save_case(reference_case("step", traced, feeds), tmp_path)
    broken = tmp_path / "inputs" / "x.npy"
    broken.write_bytes(broken.read_bytes()[:1000])
    with pytest.raises(HariboteError, match=r"x\.npy is not a complete"):
        load_case(tmp_path)
    np.save(broken, np.zeros((2, 2), np.float32))
    with pytest.raises(HariboteError, match=r"float32\[256, 784\], received float32\[2, 2\]"):
        load_case(tmp_path)
    broken.unlink()
    with pytest.raises(HariboteError, match="inputs must hold"):
        load_case(tmp_path)


def test_unit_cases_cover_every_node(traced: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> None:
    graph = lower(traced, stop_after="decompose")
    cases = list(unit_cases(graph, pad.pad_inputs(graph, feeds)))
    assert len(cases) == len(graph.graph.node)
    for case in cases:
        for name, value in evaluate(case.model, case.inputs).items():
            assert np.array_equal(value, case.outputs[name]), case.name
    assert unit_name(graph.graph.node[0], Index(graph)) == "Gemm_256x1024_16x1024_256x16_transB"
