"""Cases run on the chip, and the table of what came out."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from haribote.commands.run_cases import compare, run_on_sim, table
from haribote.frontend.torch import trace_step
from haribote.graphs.cases import reference_case
from haribote.training.backends import example_batch
from haribote.training.models import mlp
from simulator.language import VARIABLE
from tests.haribote.batches import batch


def test_the_comparison_table_tells_every_kind_of_failure() -> None:
    expected = {name: np.arange(4, dtype=np.float32) for name in ("good", "off", "nan", "missing", "shape", "infinite")}
    expected["infinite"][0] = np.inf
    actual = {name: value.copy() for name, value in expected.items() if name != "missing"} | {"new": np.zeros(1)}
    actual["off"][1] += 1e-3
    actual["nan"][2] = np.nan
    actual["shape"] = actual["shape"][:2]
    rows = {row.name: row for row in compare(expected, actual)}
    assert [name for name, row in rows.items() if row.passed] == ["good", "infinite"]
    assert rows["off"].error == pytest.approx(1e-3, rel=1e-3)
    text = table(rows.values())
    assert text.splitlines()[0].split() == ["Var", "Error", "Ref", "Min", "Ref", "Max", "Ref", "Avg", "Shape", "✓"]
    for note in ("NaN", "missing", "shape [2]", "unexpected output"):
        assert note in text


def test_in_japanese_the_comparison_table_is_japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "ja")
    value = np.zeros(2, np.float32)
    text = table(compare({"a": value, "b": value, "c": np.float32(0)}, {"b": value[:1], "c": np.float32(0)}))
    assert re.findall(r"[A-Za-z]{2,}", text.replace("nan", "")) == []


def test_an_exported_case_runs_on_the_chip(tmp_path: Path) -> None:
    model = mlp(784, 16, 10)
    images, labels = batch(3)
    inputs = {name: value.detach().numpy() for name, value in model.named_parameters()}
    graph = trace_step(model, *example_batch(model, 256, 0.01))
    case = reference_case("step", graph, inputs | {"x": images, "labels": labels})
    outputs, summary = run_on_sim(case, solutions=True)
    assert all(row.passed for row in compare(case.outputs, outputs))
    assert "on chip 28 of 28 nodes" in summary
