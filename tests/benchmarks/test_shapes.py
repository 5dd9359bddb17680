"""The table of shapes: a row with all columns, and what it keeps can be run again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import numpy as np
import onnx
import pytest

from benchmarks.shapes import BATCHES, COLUMNS, SIDES, WEIGHTS, WIDTHS, main, random_shapes
from haribote.stack.products.bound import gemm_bound, mlp_bound
from haribote.stack.program.executable import from_bytes
from haribote.stack.program.session import session_of
from simulator import Machine


def test_bounds_are_those_of_the_rates() -> None:
    assert round(gemm_bound(512, 512, 512).mac) == round(gemm_bound(512, 512, 512).dram) == 6144
    assert gemm_bound(256, 784, 256).cycles == 3648 and mlp_bound((784, 64, 10), 256).cycles == 1570


@pytest.mark.slow
def test_what_is_kept_gives_what_was_compared(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--gemm", "40x24x33", "--json", "--keep", str(tmp_path)]) == 0
    row = json.loads(capfd.readouterr().out)
    assert tuple(row) == COLUMNS and row["error"] < 1e-6 and row["overlapped"] <= row["serial"]
    folder = tmp_path / "gemm-40x24x33"
    assert sorted(file.name for file in folder.iterdir()) == ["executable.npz", "model.onnx", "step.vsm", "values.npz"]
    values = np.load(folder / "values.npz")
    session = session_of(from_bytes((folder / "executable.npz").read_bytes()), Machine())
    session.step({name: values[name] for name in "ab"})
    assert np.array_equal(session.read("c"), values["c"])


@pytest.mark.slow
def test_few_classes_and_files_of_others(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Labels are of the classes that there are; nodes need no names; files of one name are kept apart, and axes
    that they leave open get sizes."""
    text = '<ir_version: 10, opset_import: ["": 20]> g (float[N] x) => (float[N] y) { y = Relu (x) }'
    files = [tmp_path / folder / "model.onnx" for folder in "ab"]
    for file in files:
        file.parent.mkdir()
        onnx.save(onnx.parser.parse_model(text), file)
    given = [f"--onnx={file}" for file in files]
    assert main(["--mlp", "5-3-2:1", *given, "--size=N=8", "--json", "--keep", str(tmp_path / "kept")]) == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["shape"] for row in rows] == ["5-3-2:1", *map(str, files)]
    assert len(list((tmp_path / "kept").iterdir())) == 3


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["--gemm=3x4", "--mlp=784:64", "--mlp=784-10:x", "--mlp=784-10"])
def test_a_shape_that_is_none_is_said(wrong: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([wrong]) == 1
    assert "is no shape" in (text := capfd.readouterr().err) or "has no layer" in text


def test_random_shapes_are_those_of_their_seed() -> None:
    found = list(random_shapes(30, 20, Random(1)))
    assert found == list(random_shapes(30, 20, Random(1))) != list(random_shapes(30, 20, Random(2)))
    for kind, shape in found:
        sizes = [int(size) for size in re.split("[x:-]", shape)]
        least, most = SIDES if kind == "gemm" else (min(WIDTHS[0], BATCHES[0]), max(WIDTHS[1], BATCHES[1]))
        assert all(least <= size <= most for size in sizes)
    assert {shape.count("-") for kind, shape in found if kind == "mlp"} == set(range(WEIGHTS[0], WEIGHTS[1] + 1))


@pytest.mark.parametrize("error", [1e-7, 1e-3, float("nan")])
def test_a_wrong_value_is_said(
    error: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = dict.fromkeys(COLUMNS, 1) | {"shape": "3x4x5", "error": error}
    monkeypatch.setattr("benchmarks.shapes.row_in_a_new_process", lambda *_: row)
    right = error == 1e-7
    assert main(["--gemms", "2"]) == (0 if right else 1)
    found = capsys.readouterr()
    assert ("is not one of rounding" in found.err) == (not right)
    assert "gemm, 2: overlapped/bound 1.00 at the median, 1.00 at most" in found.out
