"""The table of shapes: a row with all columns, and what it keeps can be run again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.shapes import COLUMNS, main
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
@pytest.mark.parametrize("wrong", ["--gemm=3x4", "--mlp=784:64", "--mlp=784-10:x"])
def test_a_shape_that_is_none_is_said(wrong: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([wrong]) == 1
    assert "is no shape" in (text := capfd.readouterr().err) or "has no layer" in text
