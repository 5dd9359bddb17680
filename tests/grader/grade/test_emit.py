"""The warm sandbox and the cold one give the same."""

from __future__ import annotations

import sys

import pytest

import grader.grade.emit
from grader.grade.emit import Emitters
from grader.grade.work import requests
from grader.sandbox.tree import COURSE, course_tree
from haribote.answers.tasks import ROOT, find_task
from tests.grader.sandboxes import sandboxed


@sandboxed
@pytest.mark.slow
def test_the_cold_way_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a machine does not allow a sandbox within a sandbox, every answer gets a new one."""
    task = find_task("5.12")
    content = (ROOT / "solutions" / task.file).read_bytes()
    warm, cold = Emitters(), Emitters()
    monkeypatch.setattr(cold, "_cold_only", True)
    outcomes = [emitters.run(task, content, requests(task, 1)) for emitters in (warm, cold)]
    warm.close()
    assert outcomes[0].output == outcomes[1].output
    assert [(outcome.status, outcome.stopped) for outcome in outcomes] == [(0, ""), (0, "")]
    place = f"{COURSE}/haribote/{task.file}"
    shown = grader.grade.emit.Sandbox({COURSE: course_tree() / "course"}, COURSE).run(
        [sys.executable, "-c", f"print(open({place!r}).read())"], files={place: b"the answer"}
    )
    assert shown.output == b"the answer\n"
