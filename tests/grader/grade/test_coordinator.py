"""Grading many submissions: who gets which verdict, whatever happens to workers, journals and the grader itself."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchmarks.grading import complete, make_class
from grader.cli import main
from grader.grade.coordinator import not_started, run, work_key, work_list
from grader.grade.executors import Crew, local_crew
from grader.grade.journal import NAME, Journal
from grader.grade.overview import overview
from grader.grade.page import as_page
from grader.grade.report import as_csv, as_json, as_text, report_of
from grader.grade.work import Work, grade_one
from grader.points import over_par, partial
from grader.sandbox import find_sandbox
from grader.submissions.leftout import left_out
from grader.submissions.submission import Submission, pack, printable
from haribote.answers.tasks import ROOT, all_tasks, find_task
from haribote.errors import HariboteError
from tests.grader.sandboxes import sandboxed

TASKS = tuple(find_task(name) for name in ("0.1", "5.12"))
EVIL = "<script>alert(1)</script>"


def learner(name: str, **files: str) -> Submission:
    return Submission(
        name, f"{name}.zip", {task.replace("t", "").replace("_", "."): text.encode() for task, text in files.items()}
    )


def say_passed(work: Work) -> dict[str, Any]:
    """Stands for `grade_one`: right, and the answer is the file's text."""
    task = find_task(work.task)
    right = {"state": "passed", "points": task.points, "cases": 4, "total": 4, "answer": work.content.decode()}
    return {**not_started(task), **right}


def vanish(work: Work) -> dict[str, Any]:
    """Ends the worker on one submission: always, or, where a file is named in it, only until that exists."""
    if work.content.startswith(b"vanish"):
        once = work.content.decode().partition(" ")[2]
        if not once or not Path(once).exists():
            if once:
                Path(once).touch()
            os._exit(9)
    return say_passed(work)


def raise_error(work: Work) -> dict[str, Any]:
    if work.content == b"vanish":
        raise RuntimeError("no room")
    return say_passed(work)


def threads(at_once: int = 2) -> Crew:
    return Crew(lambda: ThreadPoolExecutor(2), at_once, "2 threads")


def graded(folder: Path, submissions: list[Submission], crew: Crew, grade: Any) -> Journal:
    with Journal(folder) as journal:
        run(work_list(submissions, TASKS, 1), journal, crew, grade=grade)
    return journal


def states(journal: Journal, submission: Submission) -> dict[str, str]:
    return {task: journal.verdicts[work_key(submission, task, 1)]["state"] for task in submission.files}


def test_every_answer_gets_one_verdict(tmp_path: Path) -> None:
    class_ = [learner(f"learner{n}", t0_1=f"a{n}", t5_12="b") for n in range(20)]
    journal = graded(tmp_path, class_, threads(), say_passed)
    assert len(journal.verdicts) == 40
    lines = (tmp_path / NAME).read_text().splitlines()
    assert len(lines) == 40 == len({json.loads(line)["key"] for line in lines})


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    class_ = [learner(f"learner{n}", t0_1=f"a{n}") for n in range(6)]
    asked: list[str] = []

    def stopping(work: Work) -> dict[str, Any]:
        asked.append(work.submission)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return say_passed(work)

    with pytest.raises(KeyboardInterrupt):
        graded(tmp_path, class_, threads(1), stopping)
    with (tmp_path / NAME).open("a") as file:
        file.write('{"key": "half a li')
    before = len(asked)
    journal = graded(tmp_path, class_, threads(1), stopping)
    assert len(journal.verdicts) == 6 and len(asked) - before == 3
    lines = (tmp_path / NAME).read_text().splitlines()
    assert len(lines) == 6 and all(json.loads(line) for line in lines)


def test_trouble_is_not_the_learners_fault(tmp_path: Path) -> None:
    class_ = [learner("ada", t0_1="x"), learner("bad", t0_1="vanish"), learner("eve", t0_1="y")]
    journal = graded(tmp_path, class_, threads(), raise_error)
    assert [states(journal, s)["0.1"] for s in class_] == ["passed", "trouble", "passed"]
    verdict = journal.verdicts[work_key(class_[1], "0.1", 1)]
    assert "not this answer's fault" in verdict["message"] and "no room" in verdict["message"]
    assert "own trouble: 0.1" in report_of(class_, journal, 1).remark(1)


@pytest.mark.slow
def test_a_lost_worker_is_replaced_and_its_work_tried_once_more(tmp_path: Path) -> None:
    class_ = [learner(f"learner{n}", t0_1=f"a{n}") for n in range(4)]
    class_ += [learner("once", t0_1=f"vanish {tmp_path / 'seen'}"), learner("always", t0_1="vanish")]
    journal = graded(tmp_path / "out", class_, local_crew(2), vanish)
    found = {s.id: states(journal, s)["0.1"] for s in class_}
    assert found == {**{f"learner{n}": "passed" for n in range(4)}, "once": "passed", "always": "trouble"}
    assert len((tmp_path / "out" / NAME).read_text().splitlines()) == 6


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


def test_any_executor_will_do(tmp_path: Path) -> None:
    class Slow(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            from concurrent.futures import Future

            future: Future[Any] = Future()
            future.set_result(fn(*args, **kwargs))
            return future

    journal = graded(tmp_path, [learner("ada", t0_1="a")], Crew(Slow, 1, "slow"), say_passed)
    assert len(journal.verdicts) == 1


def test_partial_credit() -> None:
    assert [partial(10, cases, 4) for cases in (0, 1, 3, 4)] == [0, 1, 3, 5] and partial(10, 0, 0) == 0
    assert over_par(10) == 8 and over_par(15) == 12


def test_reports(tmp_path: Path) -> None:
    evil = learner(f"=cmd{EVIL}", t0_1=EVIL, t5_12="b")
    class_ = [evil, learner("ada", t0_1="a", t5_12="b"), learner("bob", t0_1="a", t5_12="b"), learner("ada")]
    class_.append(Submission("eve", "eve.zip", problem=f"unreadable: {EVIL}"))

    def grade(work: Work) -> dict[str, Any]:
        verdict = say_passed(work)
        if work.content == EVIL.encode():
            verdict |= {"state": "failed", "points": 2, "failure": f"{EVIL}\x1b[2J", "picture": f"<svg>{EVIL}</svg>"}
        return verdict

    report = report_of(class_, graded(tmp_path, class_, threads(), grade), 1)
    rows = list(csv.reader(io.StringIO(as_csv(report))))
    assert rows[0][:4] == ["id", "submission", "points", "of"] and len(rows) == 6
    assert rows[1][0].startswith("'=cmd") and rows[1][2] == "12" and rows[2][2] == "15"
    assert EVIL in rows[5][-1] and "the same id as" in rows[2][-1]
    page = as_page(report)
    assert EVIL not in page and "&lt;script&gt;" in page and "default-src 'none'" in page and "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    content = json.loads(as_json(report))
    assert content["submissions"][1]["tasks"]["5.12"]["state"] == "passed"
    assert content["identical"] == [{"submissions": ["ada.zip", "bob.zip"], "what": "all files are the same"}]
    assert "ada" in as_text(report) and "the same: ada, bob" in as_text(report)


def test_texts_are_printable() -> None:
    assert printable("a\x1b[2J\nb\u202e\x00é") == "a·[2J\nb··é"
    assert len(printable("x" * 10**6)) < 5000


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Path]:
    """A folder of three submissions: a course's folder, an archive, and something else."""
    root = tmp_path / "room"
    for task, text in (("0.1", complete(TASKS[0])), ("5.12", "def relu(op): raise SystemExit")):
        path = root / "ada" / "haribote" / find_task(task).file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "bob.zip").write_bytes(pack("bob", root / "ada"))
    (root / "eve.zip").write_bytes(b"not a zip")
    yield root


@sandboxed
def test_grade_from_the_shell(room: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["grade", str(room), "-o", str(out), "--workers", "1"]
    assert main(command) == 1
    shown = capsys.readouterr().out
    assert "3 submissions, 4 answers, 0 graded before" in shown and "unreadable: it is not a zip" in shown
    assert "the same: ada, bob: all files are the same" in shown
    assert {"report.csv", "report.html", "report.json", NAME} <= set(os.listdir(out))
    found = {s["id"]: s for s in json.loads((out / "report.json").read_text())["submissions"]}
    assert found["ada"]["points"] == 5 and found["ada"]["tasks"]["5.12"]["state"] == "failed"
    assert main(command) == 1
    assert "4 graded before" in capsys.readouterr().out
    assert main(["progress", str(room), "--graded", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert next(line for line in lines if line.startswith("ada")).split()[1] == "✓" and "✗" in "".join(lines[:3])


def test_without_a_sandbox_it_refuses(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("grader.sandbox.probe.shutil.which", lambda name: None)
    find_sandbox.cache_clear()
    try:
        assert main(["grade", str(room), "-o", str(tmp_path / "out")]) == 2
    finally:
        find_sandbox.cache_clear()
    message = capsys.readouterr().err
    assert "apt-get install bubblewrap" in message or "needs Linux" in message
    assert "--unsafe" in message


@pytest.mark.slow
def test_unsafe_gives_the_same_verdicts(room: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["grade", str(room), "-o", str(out), "--workers", "1", "--unsafe", "--no-cache"]) == 1
    assert "WITHOUT A SANDBOX" in capsys.readouterr().out
    found = {s["id"]: s for s in json.loads((out / "report.json").read_text())["submissions"]}
    assert found["ada"]["points"] == 5 and found["bob"]["tasks"]["5.12"]["state"] == "failed"


def test_progress_of_a_class(room: Path, tmp_path: Path) -> None:
    (room / "ada" / "runs").mkdir()
    (room / "ada" / "runs" / "progress.json").write_text('{"0.1": [1], "5.12": "x"}')
    text = overview([room], tmp_path / "nothing")
    first = next(line for line in text.splitlines() if line.startswith("ada"))
    assert first.split()[1] == "?" and first.endswith(f"0/{len(all_tasks())}")
    assert "unreadable" in text and "of 2 have all" in text


@sandboxed
@pytest.mark.slow
def test_killed_and_called_again(tmp_path: Path) -> None:
    make_class(tmp_path / "class", 2)
    out, journal = tmp_path / "out", tmp_path / "out" / NAME
    command = [sys.executable, "-m", "grader", "grade", str(tmp_path / "class"), "-o", str(out), "--workers", "2"]
    command += ["--task", "0.1", "--task", "2.1", "--task", "2.2", "--task", "5.1", "--task", "5.2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    end = time.monotonic() + 120
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= 3) and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = journal.read_bytes()
    before = before[: before.rfind(b"\n") + 1]
    assert before
    resumed = [part for part in command if part not in ("--task", "0.1", "2.1", "2.2", "5.1", "5.2")]
    for task in all_tasks():  # without --task only what is missing is graded: leave little
        if task.id not in ("0.1", "2.1", "2.2", "5.1", "5.2"):
            for number in range(2):
                (tmp_path / "class" / f"learner{number:03}" / "haribote" / task.file).unlink()
    subprocess.run(resumed, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    after = journal.read_bytes()
    seed, *verdicts = [json.loads(line) for line in after.splitlines()]
    assert after.startswith(before) and set(seed) == {"seed"} and len(verdicts) == 10
    assert len({line["key"] for line in verdicts}) == 10
    assert {line["verdict"]["seed"] for line in verdicts} == {seed["seed"]}


@sandboxed
@pytest.mark.slow
def test_a_dask_cluster(room: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster:
        command = ["grade", str(room), "-o", str(tmp_path / "out"), "--cluster", cluster.scheduler_address]
        assert main(command) == 1
    found = {s["id"]: s for s in json.loads((tmp_path / "out" / "report.json").read_text())["submissions"]}
    assert found["ada"]["points"] == 5 and found["bob"]["tasks"]["5.12"]["state"] == "failed"


@sandboxed
def test_an_answer_in_less_than_a_second(tmp_path: Path) -> None:
    """The whole way of one answer once everything is warm; a hundred distinct full submissions are 5,400 of these."""
    source = complete(TASKS[1])
    spent = []
    for number in range(4):
        work = Work("", "", "5.12", f"{source}# {number} {os.getpid()}\n".encode(), 2012, _version())
        verdict = grade_one(work)
        assert verdict["state"] == "passed" and not verdict["cached"]
        spent.append(verdict["seconds"])
    assert min(spent) < 1
    assert grade_one(work)["cached"]


def _version() -> str:
    from grader.course import verdict_hash

    return verdict_hash()


def test_submit_from_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ada" / "haribote" / TASKS[0].file
    path.parent.mkdir(parents=True)
    shutil.copy(ROOT / "solutions" / TASKS[0].file, path)
    monkeypatch.setattr("grader.grade.command.pack", lambda name: pack(name, tmp_path / "ada"))
    monkeypatch.setattr("grader.grade.command.left_out", lambda: left_out(tmp_path / "ada"))
    monkeypatch.chdir(tmp_path)
    assert main(["submit", "--id", "ada l."]) == 0
    shown = capsys.readouterr().out
    assert "ada_l..haribote.zip: 1 of" in shown and "not written: 1.1, " in shown and "will not be graded" not in shown
    assert (tmp_path / "ada_l..haribote.zip").is_file()
