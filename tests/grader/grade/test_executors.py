"""Any executor will do: threads, processes that die, a cluster."""

from __future__ import annotations

import json
import os
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

from grader.cli import main
from grader.grade.executors import Crew, local_crew
from grader.grade.journal import NAME
from grader.grade.work import Work
from tests.grader.grade.runs import graded, learner, say_passed, states
from tests.grader.sandboxes import sandboxed


def vanish(work: Work) -> dict[str, Any]:
    """Ends the worker on one submission: always, or, where a file is named in it, only until that exists."""
    if work.content.startswith(b"vanish"):
        once = work.content.decode().partition(" ")[2]
        if not once or not Path(once).exists():
            if once:
                Path(once).touch()
            os._exit(9)
    return say_passed(work)


@pytest.mark.slow
def test_a_lost_worker_is_replaced_and_its_work_tried_once_more(tmp_path: Path) -> None:
    class_ = [learner(f"learner{n}", t0_1=f"a{n}") for n in range(4)]
    class_ += [learner("once", t0_1=f"vanish {tmp_path / 'seen'}"), learner("always", t0_1="vanish")]
    journal = graded(tmp_path / "out", class_, local_crew(2), vanish)
    found = {s.id: states(journal, s)["0.1"] for s in class_}
    assert found == {**{f"learner{n}": "passed" for n in range(4)}, "once": "passed", "always": "trouble"}
    assert len((tmp_path / "out" / NAME).read_text().splitlines()) == 6


def test_any_executor_will_do(tmp_path: Path) -> None:
    class Slow(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            from concurrent.futures import Future

            future: Future[Any] = Future()
            future.set_result(fn(*args, **kwargs))
            return future

    journal = graded(tmp_path, [learner("ada", t0_1="a")], Crew(Slow, 1, "slow"), say_passed)
    assert len(journal.verdicts) == 1


@sandboxed
@pytest.mark.slow
def test_a_dask_cluster(room: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster:
        command = ["grade", str(room), "-o", str(tmp_path / "out"), "--cluster", cluster.scheduler_address]
        assert main(command) == 1
    found = {s["id"]: s for s in json.loads((tmp_path / "out" / "report.json").read_text())["submissions"]}
    assert found["ada"]["points"] == 5 and found["bob"]["tasks"]["5.12"]["state"] == "failed"
