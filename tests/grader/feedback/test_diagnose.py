"""What a check says of a wrong kernel is so: causes, places, inputs, and what the result depends on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grader import check
from grader.feedback import diagnose
from grader.feedback.causes import HARD_CODED, MISPAIRED, NEGATIVE, NEVER_WRITTEN, STALE
from grader.feedback.error_map import error_map
from grader.feedback.failure import Failure
from grader.judges.kernel import judge_case
from grader.judging import judge_answers
from grader.rigs.kernel_cases import Case, kernel_cases
from grader.running import replies_to
from grader.trials import compare, trials_of
from haribote.answers.tasks import ROOT, find_task
from haribote.answers.verdicts import last_verdict
from haribote.kernel_table import BY_NAME, KERNELS
from simulator import assemble
from tests.stopwatch import seconds

COMPUTED = [row for row in KERNELS if row.op not in ("DL", "UL")]


def failure_of(tmp_path: Path, task: str, old: str, new: str) -> Failure:
    """What is wrong with a solution some of whose text is replaced."""
    text = (ROOT / "solutions" / find_task(task).file).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "answer.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    failure = check(task, path=path, seed=3).failure
    assert failure is not None
    return failure


@pytest.mark.slow
def test_a_mispairing_is_told_in_words_and_drawn(tmp_path: Path) -> None:
    failures: list[Failure] = []

    def work() -> None:
        failures.append(failure_of(tmp_path, "5.14", "{a.long(at + 2, 4)} $lr2v4", "{a.long(at, 4)} $lr2v4"))

    assert seconds(work) < 1.5
    failure = failures[0]
    assert failure.cause == MISPAIRED and failure.depends is not None
    assert "out[0, 8] depends on in0[0, 0], should be in0[0, 8]" in failure.explanation
    wrong = failure.depends.wrong[0]
    assert np.argwhere(wrong.extra).tolist() == [[0, 0]] and np.argwhere(wrong.missing).tolist() == [[0, 8]]
    assert "  row 0: +.......-......." in failure.picture
    picture = error_map(failure)
    assert picture is not None and "what [0, 8] of the result depends on: in0, 256x16" in picture.text
    other = failure_of(tmp_path, "5.14", "fvmul", "fvadd")
    plain = error_map(other)
    assert plain is not None and "depends on" not in plain.text


@pytest.mark.slow
def test_junk_that_is_written_is_not_called_unwritten(tmp_path: Path) -> None:
    failure = failure_of(tmp_path, "5.12", "frelu {take(op.x, at)} {take(op.x, at)}", "lpassa $lr0v")
    assert failure.cause == STALE and "never written" in failure.explanation
    assert "of the output are never written" not in failure.explanation
    assert failure_of(tmp_path, "5.12", "frelu", "nop #").cause == NEVER_WRITTEN


@pytest.mark.slow
def test_the_inputs_of_a_label_are_that_label(tmp_path: Path) -> None:
    failure = failure_of(tmp_path, "5.26", 'f"1.0"', 'f"2.0"')
    assert failure.expected is not None and failure.received is not None
    row = int(np.argwhere(failure.expected != failure.received)[0][0])
    assert f"its inputs: in0[{row}] = {failure.inputs['in0'][row]}" in failure.explanation


def test_an_address_is_blamed_only_where_the_values_are_right_at_home() -> None:
    row = BY_NAME["relu"]
    home, *_, moved = kernel_cases(row, 1)
    positive = Case(home.name, row, home.op, (np.abs(home.arrays[0]),))

    def copy(case: Case) -> str:
        return "\n".join(f"lpassa {case.op.x.long(at)} {case.op.y.long(at)}" for at in (0, 8))

    program = assemble(copy(home))
    assert judge_case(positive, "home", program, copy(home)) is None
    found = judge_case(moved, "elsewhere", assemble(copy(moved)), copy(moved), (positive, program))
    assert found is not None and found.cause == NEGATIVE
    right = "\n".join(f"frelu $lm{at}v $lm{at}v $ln{at}v" for at in (0, 8))
    found = judge_case(moved, "elsewhere", assemble(right), right, (home, assemble(right)))
    assert found is not None and found.cause == HARD_CODED


@pytest.mark.slow
def test_what_a_check_said_is_remembered(tmp_path: Path) -> None:
    task = find_task("5.12")
    path = tmp_path / "haribote" / task.file
    path.parent.mkdir(parents=True)
    text = (ROOT / "solutions" / task.file).read_text(encoding="utf-8")
    for content, state in ((text.replace("frelu", "fmax"), "failed"), (text, "passed")):
        path.write_text(content, encoding="utf-8")
        assert last_verdict(task, tmp_path) == ""
        assert check("5.12", path=path, seed=1).state == state == last_verdict(task, tmp_path)


def test_a_number_alone_has_no_place() -> None:
    failure = compare("a case", {}, np.array(1.0), np.array(2.0))
    assert failure is not None and "[]" not in failure.explanation and "expected 1, received 2" in failure.explanation


def test_only_the_first_failure_is_probed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    probes: list[str] = []

    def probed(case: Case, *rest: object) -> None:
        probes.append(case.name)

    monkeypatch.setattr(diagnose, "probed", probed)
    task = find_task("5.14")
    text = (ROOT / "solutions" / task.file).read_text(encoding="utf-8")
    path = tmp_path / "answer.py"
    path.write_text(text.replace("{a.long(at + 2, 4)} $lr2v4", "{a.long(at, 4)} $lr2v4"), encoding="utf-8")
    replies = replies_to(task, path, trials_of(task, 3))
    result = judge_answers(task, 3, replies, path)
    assert result.cases == 0 and result.total > 2 and probes == ["every element different"]
