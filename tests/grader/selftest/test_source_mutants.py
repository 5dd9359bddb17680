"""Mutants of sources: small changes inside the solution, none outside, and whether the cases notice them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.selftest.rejecting import Rejecting
from grader.selftest.run import Report, selftest, task_report
from grader.selftest.source_mutants import source_mutants
from haribote.answers.ownership import answer_file
from haribote.answers.tasks import find_task

SOURCE = '''
LIMIT = 5


def f(g, a: int, b: int = 3) -> int:
    """The contract: 1 + 1."""
    ### BEGIN SOLUTION
    g.require(a == 1, "only 1 is supported")
    total = [a, 2]
    if a < b and b:
        total[0] = max(a, 10 - b)
    return g.op("Add", total, f"$lm{a}v {b} + 4", part="5", axis=6)
    ### END SOLUTION
'''


def mutants(most: int = 99) -> dict[str, str]:
    return {mutant.name: mutant.source for mutant in source_mutants(SOURCE, most)}


def test_all_kinds_of_mutants() -> None:
    names = "\n".join(mutants())
    for text in (
        "dropped statement (pass)", "swapped operands (total[0] = max(a, b - 10))", "changed constant (total = [a, 3])",
        "flipped comparison (if a <= b and b:)", "flipped comparison (if a < b or b:)", "flipped comparison (if not",
        "other operator (total[0] = max(a, 10 + b))", "other name (return g.op('Sub'", "min(a, 10 - b)",
        "dropped argument (return g.op('Add', total, f'$lm{a}v {b} + 4', part='5'))",
        "changed number in the text (return g.op('Add', total, f'$lm{a}v {b} + 5'", "{b} - 4'", "g.require(a != 1",
    ):  # fmt: skip
        assert text in names, text


def test_what_is_outside_stays() -> None:
    for source in mutants().values():
        assert "LIMIT = 5" in source and "1 + 1" in source and "b: int=3" in source
        assert "only 1 is supported" in source or "g.require" not in source
        assert "part='5'" in source or "g.op" not in source
        ast.parse(source)


def test_they_are_always_the_same_and_limited() -> None:
    assert list(mutants(1)) == list(mutants(1)) and len(mutants(1)) == 9
    assert len(set(mutants().values())) == len(mutants())


def test_outcomes(tmp_path: Path) -> None:
    task = find_task("2.1")
    source = answer_file(task, solutions=True).read_text(encoding="utf-8")
    rejecting = Rejecting(task, 7, tmp_path / "answer.py")
    assert rejecting.outcome(source) == "the same answers"
    swapped = source.replace('g.op("Mul", grad, g.op("Cast", positive, part="mask", to=to))',
                             'g.op("Mul", g.op("Cast", positive, part="mask", to=to), grad)')  # fmt: skip
    assert swapped != source and rejecting.outcome(swapped) == "the same answers"
    assert rejecting.outcome(source.replace('part="mask"', 'part="gate"')) == "passes"
    assert rejecting.outcome(source.replace('"Mul"', '"Add"')) == "rejected"
    assert rejecting.outcome(source.replace('"Mul"', '"Add')) == "rejected"
    assert rejecting.outcome(source.replace("x, y =", "while True: pass\n    x, y =")) == "rejected"


def test_reports_add_up() -> None:
    total = Report(seconds=1)
    total.add(Report(stubs=1, killed=3, exercises_killed=2, survivors=["a"], equivalent=4))
    total.add(Report(stubs=1, exercise_survivors=["b"], faults=["c"]))
    assert total.mutants == 7 and total.kill_rate == 5 / 7 and total.stubs == 2 and not total.passed
    assert "3 of 4 of kernels, 2 of 3 of other tasks, together 71.4%; 4 more" in str(total)


def test_a_broken_course_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.selftest.run.wrong_of", lambda task: (("argmax", "argmax"),))
    monkeypatch.setattr("grader.selftest.run.stub_of", lambda task, source: source.replace("argmax", "argmin"))
    faults = "\n".join(task_report("0.1", 0).faults)
    for fault in ("its stub is failed", "when it is run", "`argmax` passes", "fewer than two wrong answers"):
        assert fault in faults


@pytest.mark.slow
def test_several_processes_find_the_same() -> None:
    tasks = [find_task("0.1"), find_task("5.12"), find_task("2.5")]
    alone, together = selftest(tasks, 2), selftest(tasks, 2, workers=2)
    alone.seconds = together.seconds = 0
    assert alone == together and alone.passed and alone.causes == 5
