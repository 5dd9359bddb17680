"""The warm process and the cold one, openly and in a sandbox, give the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.emitter.serving import Order
from grader.grade.work import requests
from grader.sandbox import emit
from grader.sandbox.emit import Emitters
from grader.sandbox.warm import WarmError
from haribote.answers.tasks import ROOT, find_task
from tests.grader.sandboxes import MISSING, sandboxed


@sandboxed
@pytest.mark.slow
def test_every_way_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a machine does not allow a sandbox within a sandbox, or forks nothing, every answer gets a new process."""
    task = find_task("5.12")
    content = (ROOT / "solutions" / task.file).read_bytes()
    order = Order(task.id, f"haribote/{task.file}", content, {}, task.seconds)
    outcomes = []
    for confined in (True, False):
        for cold in (True, False):
            emitters = Emitters(confined)
            monkeypatch.setattr(emitters, "_cold_only", cold)
            outcomes.append(emitters.run(task, order, requests(task, 1)))
            emitters.close()
    assert all(outcome.output == outcomes[0].output for outcome in outcomes) and b"frelu" in outcomes[0].output
    assert [(outcome.status, outcome.stopped) for outcome in outcomes] == 4 * [(0, "")]


def test_a_process_with_narrower_limits_serves_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer's limits cannot be wider than those of the process around it; that is never the answer's failure."""
    task = find_task("0.1")
    content = (ROOT / "solutions" / task.file).read_bytes()
    order = Order(task.id, f"haribote/{task.file}", content, {}, task.seconds)
    usual, narrow = emit.limits_of(task), replace(emit.limits_of(task), memory=256 << 20)
    emitters = Emitters(confined=not MISSING)
    for limits in (narrow, usual, narrow):
        monkeypatch.setattr(emit, "limits_of", lambda task, limits=limits: limits)
        outcome = emitters.run(task, order, requests(task, 1))
        assert outcome.status == 0 and b"accuracy" in outcome.output, outcome
    warm = emitters._started(task, requests(task, 1))
    if warm and not MISSING:
        with pytest.raises(WarmError, match="not started"):
            warm.run(f"{order.line()}\n".encode() + requests(task, 1), usual)
    emitters.close()


def test_what_an_answer_leaves_running_ends_with_it() -> None:
    """Openly too: nothing of it goes on beside the next answer."""
    task = find_task("0.1")
    code = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\nprint('PID', os.getpid())\n"
    content = f"{code}def accuracy(logits, labels):\n    return 0.0\n".encode()
    emitters = Emitters(confined=False)
    outcome = emitters.run(task, Order(task.id, "haribote/x.py", content, {}, 3.0), requests(task, 1))
    emitters.close()
    assert b"accuracy" in outcome.output and "PID" in outcome.errors
