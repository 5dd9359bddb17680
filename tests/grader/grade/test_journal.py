"""What the journal of a grading run is keyed by, and the seed that it keeps."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import grader.course
import grader.grade.run
from grader.grade.coordinator import Progress, work_key
from grader.grade.executors import Crew
from grader.grade.journal import NAME, Journal
from grader.grade.run import GradeOptions, grade
from grader.grade.work import Work
from grader.submissions.submission import Submission
from haribote.errors import HariboteError

LEARNER = Submission("ada", "ada.zip", {"0.1": b"x", "5.12": b"y"})


def test_the_key_tells_learner_task_file_and_seed_apart() -> None:
    other_file = Submission("ada", "ada.zip", {"0.1": b"x", "5.12": b"z"})
    other = Submission("bob", "ada.zip", LEARNER.files)
    keys = {work_key(s, task, seed) for s in (LEARNER, other, other_file) for task in s.files for seed in (1, 2)}
    assert len(keys) == 10  # 12, of which 0.1 of ada is the same file twice


def _graded(folder: Path, monkeypatch: pytest.MonkeyPatch, seed: int | None) -> int:
    """The seed that a run works with."""
    seen: list[Work] = []

    def note(works: list[Work], *_: object) -> Progress:
        seen.extend(works)
        return Progress(len(works))

    monkeypatch.setattr(grader.grade.run, "_run", note)
    monkeypatch.setattr(grader.grade.run, "read_submissions", lambda *_: [LEARNER])
    grade([folder], GradeOptions(folder, seed=seed, unsafe=True), lambda text: None, Crew(None, 1, "nobody"))  # type: ignore[arg-type]
    (found,) = {work.seed for work in seen}
    assert f'"seed": {found}' in (folder / "report.json").read_text()
    return found


@pytest.mark.slow
def test_a_run_has_a_seed_of_its_own_and_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _graded(tmp_path / "one", monkeypatch, None)
    assert _graded(tmp_path / "one", monkeypatch, None) == first
    assert len({_graded(tmp_path / f"other{n}", monkeypatch, None) for n in range(3)} | {first, 2012}) == 5
    assert _graded(tmp_path / "one", monkeypatch, 7) == 7 == _graded(tmp_path / "one", monkeypatch, None)
    assert json.loads((tmp_path / "one" / NAME).read_text().splitlines()[0]) == {"seed": first}


def test_damaged_lines_are_left_out_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = {"key": "a", "verdict": {"state": "passed"}}
    wrong = [{"points": "9"}, {"costs": []}, {"of": None}, {"state": 3}, {"message": 5}]
    lines = ['{"seed": "x"}', '{"seed": -1}', '{"seed": true}', "3", "[]", "null", '{"key": "b"}', "\x00", "\x85",
             '{"key": [], "verdict": 1}', '{"key": "c", "verdict": {}}', "[" * 10**5,
             *(json.dumps({"key": "d", "verdict": {"state": "passed", **change}}) for change in wrong)]  # fmt: skip
    (tmp_path / NAME).write_text("\n".join(['{"seed": 5}', *lines, json.dumps(good)]) + "\n", encoding="utf-8")
    with Journal(tmp_path) as journal:
        assert journal.seed == 5 and journal.verdicts == {"a": {"state": "passed"}}
        assert journal.damaged == list(range(2, len(lines) + 2))
    said: list[str] = []
    monkeypatch.setattr(grader.grade.run, "_run", lambda works, *_: Progress(len(works)))
    monkeypatch.setattr(grader.grade.run, "read_submissions", lambda *_: [LEARNER])
    grade([tmp_path], GradeOptions(tmp_path, unsafe=True), said.append, Crew(None, 1, "nobody"))  # type: ignore[arg-type]
    assert sum("damaged in line 2, 3, 4," in text for text in said) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
def test_a_disk_that_fills_loses_no_verdict(tmp_path: Path) -> None:
    import resource

    path, verdict = tmp_path / NAME, {"state": "passed", "message": "x" * 100}
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Journal(tmp_path) as journal:
        journal.write("a", verdict)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 40, before[1]))  # room for half a line
        try:
            for _ in range(2):
                with pytest.raises(HariboteError, match="free some space; 1 verdicts are kept"):
                    journal.write("b", verdict)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        journal.write("b", verdict)
    assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == ["a", "b"]
    with Journal(tmp_path) as journal:
        assert set(journal.verdicts) == {"a", "b"} and not journal.damaged


def test_the_first_trouble_is_the_one_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("grader.grade.journal.os.fsync", full)
    with pytest.raises(HariboteError, match=r"cannot write .*No space left"), Journal(tmp_path):
        pass
    with pytest.raises(KeyboardInterrupt), Journal(tmp_path):
        raise KeyboardInterrupt


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Unix")
def test_a_pipe_is_no_journal(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / NAME)
    with pytest.raises(HariboteError, match="no regular file"):
        Journal(tmp_path)


def test_two_runs_cannot_write_one_journal(tmp_path: Path) -> None:
    with Journal(tmp_path), pytest.raises(HariboteError, match="another run writes"):
        Journal(tmp_path)


def test_a_key_has_one_verdict_until_it_is_forgotten(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.write("key", {"state": "failed"})
        with pytest.raises(ValueError, match="a verdict for key already"):
            journal.write("key", {"state": "passed"})
        journal.forget(["key", "other"])
        journal.write("key", {"state": "passed"})
    with Journal(tmp_path) as journal:
        assert journal.verdicts == {"key": {"state": "passed"}}
