"""Coverage of the step by a learner's own kernels."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from haribote.answers.resolve import Answer, resolve_row
from haribote.kernel import Kernel, Op
from haribote.kernel_table import KernelRow
from haribote.lessons import coverage

pytestmark = pytest.mark.usefixtures("with_solutions")


def test_with_all_kernels_the_whole_step_is_on_the_chip() -> None:
    found = coverage.on_chip()
    assert (found.nodes, found.of, len(found.reference), found.missing) == (28, 28, 34, ())
    assert str(found).startswith("28 of 28 nodes of the training step run on the chip; 66 of the 66 DL and UL")
    start = time.process_time()
    assert "svg" in coverage.on_chip()._repr_html_()
    assert time.process_time() - start < 2


def test_one_kernel_and_its_transfers() -> None:
    found = coverage.on_chip(["5.3", "5.9", "5.12"])
    assert (found.nodes, len(found.missing)) == (1, 31)
    assert "missing (31): DL 16 (5.1), " in str(found) and "… and 19 more" in str(found)
    assert coverage.on_chip(["5.1"]).nodes == 0


def test_a_kernel_that_does_not_work_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(row: KernelRow, solutions: bool | None = None) -> Answer | None:
        if row.name not in ("relu", "exp"):
            return resolve_row(row, solutions)
        return Answer(Kernel(row.task, row.name, _half_written if row.name == "relu" else _failing), "yours")

    monkeypatch.setattr(coverage, "resolve_row", wrong)
    found = coverage.on_chip()
    assert found.nodes == 26 and set(found.broken) == {"Relu (5.12)", "Exp (5.24)"}
    assert "ZeroDivisionError" in found.broken["Exp (5.24)"] and "does not work yet: Relu (5.12): " in str(found)


def _with_relu(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """As if the learner had written Relu with these lines, and nothing else were theirs."""

    def found(row: KernelRow, solutions: bool | None = None) -> Answer | None:
        theirs = Answer(Kernel(row.task, "Relu", lambda op: iter(lines)), "yours")
        return theirs if row.name == "relu" else resolve_row(row, solutions)

    monkeypatch.setattr(coverage, "resolve_row", found)


RELU = ("frelu $lm0v $lm0v $ln0v", "frelu $lm8v $lm8v $ln8v")


def test_a_kernel_with_a_wrong_result_is_not_on_the_chip(monkeypatch: pytest.MonkeyPatch) -> None:
    _with_relu(monkeypatch, RELU[0], "lpassa $lm8v $ln8v")
    found = coverage.on_chip()
    assert (found.nodes, found.of, found.yours) == (27, 28, ())
    assert len(found.reference) == 33 and not found.missing and set(found.broken) == {"Relu (5.12)"}
    assert re.search(r"Relu \(5\.12\): out\[\d+, \d+\] is -[\d.]+, should be 0", str(found))
    assert str(found).startswith("27 of 28 nodes") and "is not written" not in found.text
    assert found.picture.text.count('class="box node wrong') == 1 and "fails its check" in found.picture.text
    _with_relu(monkeypatch, *RELU)
    found = coverage.on_chip()
    assert (found.nodes, found.yours, found.broken) == (28, ("Relu (5.12)",), {})
    assert "wrong" not in found.picture.text.partition("</style>")[2]


def test_a_kernel_whose_check_failed_is_not_on_the_chip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever a quick look says: the check saw more of the same file."""
    _with_relu(monkeypatch, *RELU)
    states = {"5.12": "failed"}
    monkeypatch.setattr(coverage, "last_verdict", lambda task: states.get(task.id, ""))
    found = coverage.on_chip()
    assert found.nodes == 27 and found.broken == {"Relu (5.12)": "`grader check 5.12` fails"}
    assert coverage.on_chip(["5.3", "5.9", "5.12"]).nodes == 1  # as if it were written: the reference kernel stands in
    states["5.12"] = "passed"
    assert coverage.on_chip().nodes == 28


def _half_written(op: Op) -> Iterator[str]:
    yield "frelu $lm0v"


def _failing(op: Op) -> Iterator[str]:
    yield f"nop/{1 // 0}"
