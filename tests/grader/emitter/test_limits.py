"""Time limits of the untrusted side: an endless loop ends, and nothing else is touched."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

import pytest

from grader.emitter.limits import Budget, TimeLimit, time_limit


def _forever() -> None:
    while True:
        try:
            while True:
                pass
        except BaseException:  # what a bare except of a learner does
            if time.monotonic() > _forever.__dict__["until"]:
                raise


@pytest.mark.parametrize("in_thread", [False, True])
def test_a_time_limit_stops_a_loop(in_thread: bool) -> None:
    caught: list[float] = []

    def limited() -> None:
        start = time.monotonic()
        _forever.__dict__["until"] = start + 0.3
        with pytest.raises(TimeLimit), time_limit(0.1):
            _forever()
        caught.append(time.monotonic() - start)

    if in_thread:
        thread = threading.Thread(target=limited)
        thread.start()
        thread.join()
    else:
        limited()
    assert caught[0] > 0.1  # and it ended


def test_waiting_is_no_work() -> None:
    """A busy machine makes everybody wait: what counts is the processor's time, but nobody may wait for ever."""
    budget = Budget(0.1)
    with budget.spending():
        time.sleep(0.12)
    with pytest.raises(TimeLimit), budget.spending():
        while True:
            time.sleep(0.01)


def test_a_limit_that_ends_anywhere_holds_up_no_later_one() -> None:
    """TimeLimit arrives at any step of the code that begins and ends a limit, too."""
    for number in range(3000):
        with suppress(TimeLimit), time_limit(number % 50 * 2e-6):
            for _ in range(number % 40):
                pass
    with pytest.raises(TimeLimit), time_limit(0.01):
        while True:
            pass


def test_what_ends_in_time_is_left_alone() -> None:
    for _ in range(200):
        with suppress(TimeLimit), time_limit(0.0005):  # on a busy machine even this may be late
            pass
    time.sleep(0.01)
    with time_limit(10), pytest.raises(TimeLimit), time_limit(0.01):
        while True:
            pass
    assert sum(range(100_000)) == 4999950000  # nothing arrives late
