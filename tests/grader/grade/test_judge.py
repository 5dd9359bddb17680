"""A worker of the grader stays below 2 GiB, whatever it is given to judge or to run."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

from grader.grade.judge import MEMORY, Judge
from grader.sandbox import MIB, Limits, find_sandbox
from tests.grader.sandboxes import sandboxed

WORKER = 400 * MIB  # of the worker itself and the warm sandboxes beside the one that runs, as measured

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")


def hold(mebibytes: int) -> dict[str, Any]:
    """Take so much memory, and use it."""
    return {"held": len(bytearray(b"x" * (mebibytes << 20)))}


HELD = threading.Lock()


def hold_lock() -> dict[str, Any]:
    """Take a lock that another thread of the worker may have."""
    with HELD:
        return {"held": True}


def test_judging_inherits_no_locks_of_the_worker() -> None:
    """In a cluster another thread of the worker is at work; what it holds at the moment is none of the judge's."""
    judge = Judge(hold_lock)
    try:
        with HELD:
            assert judge(seconds=20) == ({"held": True}, "")
    finally:
        judge.close()


@linux
def test_judging_has_a_limit_below_two_gibibytes() -> None:
    judge = Judge(hold)
    try:
        assert judge(100) == ({"held": 100 << 20}, "")
        assert judge(1500) == ({}, "it took too much memory to judge")
        assert judge(100) == ({"held": 100 << 20}, "")
    finally:
        judge.close()


@sandboxed
@pytest.mark.slow
def test_running_has_a_limit_below_two_gibibytes() -> None:
    code = "x = []\nwhile True: x.append(bytearray(b'x' * (1 << 20))); print(len(x), flush=True)"
    run = find_sandbox().run([sys.executable, "-I", "-S", "-c", code])
    most = max(int(number) for number in run.output.split())
    assert "768 MiB of memory" in run.stopped and most * MIB < 2 * Limits().memory


def test_all_of_a_worker_together() -> None:
    assert MEMORY + WORKER < 2048 * MIB > Limits().memory + 500 * MIB + WORKER
