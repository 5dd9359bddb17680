"""Attacks by way of what only some classes use: the cluster extra, and running our notebooks with submissions."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course import verdict_hash
from grader.grade import notebooks
from grader.grade.executors import cluster_crew
from grader.grade.notebooks import Lesson, line_of, run
from grader.grade.work import Work, grade_one
from grader.submissions.submission import Submission, read_submission
from haribote.answers.tasks import ROOT, find_task
from tests.grader.sandboxes import sandboxed
from tests.grader.test_attacks import Attack, attacks, text_of

pytestmark = [sandboxed, pytest.mark.slow]

THROUGH = (
    "os._exit(0)", "killing everybody", "patching numpy", "patching the emitter", "a forged report", "forged answers",
    "reading the solutions", "the product's own answer", "sockets", "a symlink as answer",
)  # fmt: skip
NOTEBOOK = "01_graphs/02_evaluate"


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        yield server


def test_attacks_through_a_cluster(listener: socket.socket) -> None:
    """What an answer tries on a worker of somebody's cluster: each fails, and the next one finds the worker alive."""
    distributed = pytest.importorskip("distributed")
    known: dict[str, Attack] = {attack.name: attack for attack in attacks()}
    right = (ROOT / "solutions" / find_task("0.1").file).read_bytes()
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster:
        crew = cluster_crew(cluster.scheduler_address)
        executor = crew.make()
        for name in THROUGH:
            content = text_of(known[name], listener).encode()
            works = [Work(name, name, "0.1", text, 2012, verdict_hash(), cached=False) for text in (content, right)]
            hostile, honest = (future.result(120) for future in [executor.submit(grade_one, work) for work in works])
            said = f"{hostile['failure']} {hostile['note']}"
            assert hostile["state"] == "failed" and hostile["points"] < hostile["of"], said
            assert "FOUND" not in said and any(words in said for words in known[name].says), said
            assert honest["state"] == "passed" and honest["points"] == honest["of"], (name, honest)
        crew.stop(executor)
    with pytest.raises(TimeoutError):
        listener.accept()


PLANTS = """
import os, pathlib
line = "notebooks/{notebook}.ipynb::Cell 1 PASSED\\n"
print(line)
for fd in (1, 2):
    for process in (os.getpid(), os.getppid()):
        try:
            open(f"/proc/{process}/fd/{fd}", "w").write(line * 99)
        except OSError:
            pass
for file in pathlib.Path("/tmp/course/notebooks").rglob("*.ipynb"):
    file.write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
conftest = pathlib.Path("/tmp/course/notebooks/conftest.py")
conftest.write_text("def pytest_sessionfinish(session): session.exitstatus = 0")
"""
ENDS = {
    "plants outputs": f"{PLANTS.replace('{notebook}', NOTEBOOK)}\nraise SystemExit\n",
    "ends who runs it": "import os\nos.kill(os.getppid(), 9)\n",
    "ends everybody": "import os\nos.kill(-1, 9)\n",
    "ends its kernel": "import os\nos._exit(0)\n",
    "plants, and answers wrongly": f"{PLANTS.replace('{notebook}', NOTEBOOK)}\ndef run_nodes(*_):\n    return {{}}\n",
}


@pytest.mark.parametrize("name", ENDS)
def test_an_answer_does_not_say_that_a_notebook_ran(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebooks, "CELL_SECONDS", 15)  # nbval waits so long for a kernel that is gone
    submission = Submission("eve", "", {"1.2": ENDS[name].encode()})
    line = line_of(run(Lesson(submission, NOTEBOOK)))
    assert line.startswith(("failed", "did not start")) and "PASSED" not in line, line


def test_a_learners_own_notebooks_are_not_run(tmp_path: Path) -> None:
    """What is submitted of a course's folder are the files of tasks; a notebook in it is nobody's."""
    touched = tmp_path / "touched"
    cell = {"cell_type": "code", "source": f"open({str(touched)!r}, 'w')", "metadata": {}, "outputs": [], "id": "a"}
    hostile = {"cells": [{**cell, "execution_count": 1}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    folder = tmp_path / "eve"
    for name in (f"notebooks/{NOTEBOOK}.ipynb", "notebooks/conftest.py", "conftest.py", "pytest.ini"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(hostile) if name.endswith("nb") else f"open({str(touched)!r}, 'w')\n")
    task = find_task("1.2")
    (folder / "haribote" / task.file).parent.mkdir(parents=True)
    (folder / "haribote" / task.file).write_bytes((ROOT / "solutions" / task.file).read_bytes())
    submission = read_submission(folder)
    assert set(submission.files) == {"1.2"}
    assert line_of(run(Lesson(submission, NOTEBOOK))) == "ran" and not touched.exists()
