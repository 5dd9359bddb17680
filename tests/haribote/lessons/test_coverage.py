"""What a learner sees of their own kernels: coverage of the step, a short training run, the answer for the judge."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from haribote.answers import verdicts
from haribote.answers.resolve import Answer, resolve_row
from haribote.answers.tasks import find_task
from haribote.chip.codegen import Find, KernelFailed, run_kernel
from haribote.chip.step_cost import step_cost
from haribote.data import strokes
from haribote.errors import HariboteError, NotWritten
from haribote.kernel import Kernel, Op
from haribote.kernel_table import BY_NAME, KERNELS, KernelRow, problem
from haribote.lessons import coverage
from haribote.lessons.quick_check import wrong_result
from haribote.problems import judging
from haribote.problems.judge_case import judge_case
from haribote.problems.problem import emit, judge_problem
from simulator import assemble
from simulator.judge.verdict import judge


@pytest.fixture(autouse=True)
def _solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    monkeypatch.delenv("HARIBOTE_SHARED", raising=False)


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


def test_a_verdict_holds_as_long_as_the_file_stays(tmp_path: Path) -> None:
    task, file = find_task("5.12"), tmp_path / "haribote" / find_task("5.12").file
    file.parent.mkdir(parents=True)
    file.write_text("one", encoding="utf-8")
    assert verdicts.last_verdict(task, tmp_path) == ""
    record = tmp_path / verdicts.FILE
    record.parent.mkdir()
    entry = {"state": "failed", "points": 0, "answer": verdicts.digest_of(file)}
    record.write_text(json.dumps({"5.12": entry}), encoding="utf-8")
    assert verdicts.last_verdict(task, tmp_path) == "failed"
    file.write_text("two", encoding="utf-8")
    assert verdicts.last_verdict(task, tmp_path) == ""
    verdicts.remember(file, "passed")
    assert verdicts.last_verdict(task, tmp_path) == "passed"
    file.write_text("one", encoding="utf-8")
    record.write_text("{", encoding="utf-8")
    assert verdicts.last_verdict(task, tmp_path) == ""


def test_a_quick_look_takes_every_reference_kernel() -> None:
    for row in KERNELS:
        answer = resolve_row(row, True)
        assert answer is not None
        program = assemble("\n".join(run_kernel(answer.kernel, problem(row))))
        assert wrong_result(row, program) == ""


def _half_written(op: Op) -> Iterator[str]:
    yield "frelu $lm0v"


def _failing(op: Op) -> Iterator[str]:
    yield f"nop/{1 // 0}"


def test_a_kernel_that_never_ends_is_stopped() -> None:
    endless = Kernel("5.12", "Relu", lambda op: repeat("nop"))
    with pytest.raises(KernelFailed, match="more than 50000 lines"):
        run_kernel(endless, judge_problem(BY_NAME["relu"]))


_QUICK = ("dl_16", "ul_256", "dl_256x16_p", "onehot", "relu", "sub_rows", "sum_columns", "scale_16")


@pytest.mark.parametrize(
    "name", [row.name if row.name in _QUICK else pytest.param(row.name, marks=pytest.mark.slow) for row in KERNELS]
)
def test_reference_answers_are_accepted_in_the_judges_form(name: str, tmp_path: Path) -> None:
    judged = judging.export_row(BY_NAME[name], True, tmp_path)
    assert judged.accepted, judged
    assert judged.file.read_text().count("\n") >= 2


@pytest.mark.parametrize("name", ["relu", "dl_256", "ul_16x16", "sub_rows", "gemm_xwt", "max_rows", "scale_16x16"])
def test_an_answer_without_one_of_its_lines_is_not(name: str) -> None:
    row = BY_NAME[name]
    op = judge_problem(row)
    lines = emit(row, op, True).splitlines()
    wrong = [line for line in lines if line != lines[-1]]
    assert not judge(judge_case(row, op), "\n".join(wrong)).accepted


def test_export_says_where_and_what(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(judging, "FOLDER", tmp_path)
    text = str(judging.export_answer("5.12"))
    assert "problem relu of the public set" in text and "judged by a case with random values: ACCEPTED score=2" in text
    with pytest.raises(HariboteError, match="is not a kernel"):
        judging.export_answer("2.1")
    monkeypatch.delenv("HARIBOTE_SOLUTIONS")
    monkeypatch.setattr(judging, "emit", _unwritten)
    with pytest.raises(NotWritten):
        judging.export_answer("5.12")


def _unwritten(row: KernelRow, op: Op, solutions: bool) -> str:
    raise NotWritten(f"task {row.task} is not written yet")


def test_an_answer_the_assembler_rejects_is_no_traceback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(judging, "emit", lambda row, op, solutions: "frelu $lm0v\n")
    judged = judging.export_row(BY_NAME["relu"], True, tmp_path)
    assert not judged.accepted and "REJECTED" in str(judged)


def test_with_a_golden_at_hand_it_is_the_judge(shared: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HARIBOTE_SHARED", str(shared))
    judged = judging.export_row(BY_NAME["relu"], True, tmp_path)
    assert judged.accepted and judged.golden == "relu.vsm"


@pytest.mark.slow
def test_a_short_run_beside_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    from haribote.data import dataset as data
    from haribote.lessons import short_run

    digits = data.load("synthetic")
    run = short_run.train_a_little(3, digits)
    assert run.agrees and run.nodes == 28 and "28 of 28 nodes" in str(run) and "<svg" in run._repr_html_()

    def doubled(row: KernelRow, solutions: bool) -> Answer | None:
        lines = ["fvadd $lm0v $lm0v $ln0v", "fvadd $lm8v $lm8v $ln8v"]
        return Answer(Kernel("5.12", "Relu", lambda op: iter(lines)), "yours") if row.name == "relu" else None

    wrong: Find = doubled
    monkeypatch.setattr(short_run, "working_kernels", lambda: (wrong, {}))
    run = short_run.train_a_little(2, digits)
    assert not run.agrees and "some kernel computes something else" in str(run)


def test_what_a_step_costs_kernel_by_kernel() -> None:
    compiled = coverage.on_chip().compiled
    found = step_cost(compiled)
    assert sum(kernel.uses for kernel in found.kernels) == 94 and found.transfers > 0.5
    assert found.total.cycles == pytest.approx(sum(kernel.cycles for kernel in found.kernels) + found.between)
    assert str(found).split("\n")[-1].split()[:2] == ["together", str(compiled.cost.steps)]
    assert step_cost(coverage.on_chip([]).compiled).kernels == ()


def test_strokes_become_a_digit() -> None:
    seven = strokes.image([[(0.3, 0.2), (0.7, 0.2), (0.4, 0.9)]])
    rows, columns = np.nonzero(seven > 64)
    assert seven.shape == (28, 28) and seven.dtype == np.uint8 and seven.max() == 255
    assert 18 <= np.ptp(rows) + 1 <= 21 and np.ptp(columns) + 1 <= 20
    assert strokes.image([[(0.5, 0.5)]]).max() > 200
    some: list[Any] = [[], [[]], "digit", [[(0.1, 0.2, 0.3)]]]
    for wrong in some:
        with pytest.raises(HariboteError):
            strokes.image(wrong)


def test_the_pad_needs_nothing_from_elsewhere() -> None:
    page = strokes.pad()._repr_html_()
    assert re.match(r'<iframe srcdoc="[^"]*" width', page) and "http" not in page
