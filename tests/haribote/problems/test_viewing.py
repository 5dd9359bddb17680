"""`haribote kernel NAME --view`: real operands, and what the kernel makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from haribote.commands.cli import main
from haribote.kernel_table import BY_NAME, problem
from haribote.problems import viewing
from haribote.problems.judge_case import judge_case
from simulator import Machine
from simulator.judge.verdict import read_testcase


@pytest.mark.parametrize("name", ["relu", "dl_16x16"])
def test_the_operands_are_those_of_the_judges_case(name: str) -> None:
    row = BY_NAME[name]
    machine, other = viewing.prepared(row, problem(row)), Machine()
    other.run(read_testcase(judge_case(row, problem(row)), name).prefix)
    assert np.array_equal(machine.lm0, other.lm0) and np.array_equal(machine.lm1, other.lm1)
    assert all(np.array_equal(a[0:4096], b[0:4096]) for a, b in zip(machine.dram, other.dram, strict=True))
    assert machine.lm0.any() or machine.dram[0][0:4096].any()


def test_a_kernel_or_a_task_as_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(viewing, "FOLDER", tmp_path)
    for name in ("relu", "5.12"):
        assert main(["kernel", name, "--view", "--no-open", "--solutions"]) == 0
        assert "relu.html: 2 steps" in capsys.readouterr().out
    assert (tmp_path / "relu.html").read_text().startswith("<!doctype html>")
