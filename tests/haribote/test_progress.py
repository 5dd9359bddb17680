"""What a compilation says while it runs, and where its time went."""

from __future__ import annotations

import time

import pytest

from haribote.progress import listening, stage
from haribote.stack.program.compiled import built
from tests.haribote.stack.program.small_plans import replaced_built


def test_stages_are_counted_without_those_within_them(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 100, 1))
    monkeypatch.setattr(time, "process_time", lambda: float(next(clock)))
    with listening() as watch:
        with stage("planning", 2), stage("moves"):
            pass
        with stage("moves"):
            pass
    assert watch.seconds == {"planning": 2.0, "moves": 2.0}
    assert "planning" in watch.report() and "all stages took 4.00 CPU seconds" in watch.report()


def test_a_line_is_said_every_two_seconds_and_none_before(monkeypatch: pytest.MonkeyPatch) -> None:
    now, said = [0.0], list[str]()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with listening(said.append), stage("planning", 30) as done:
        for number in range(10):
            now[0] += 0.5
            done(number)
    assert said == ["stage planning, 3 of 30 nodes done", "stage planning, 7 of 30 nodes done"]


def test_of_several_rounds_each_line_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    now, said = [0.0], list[str]()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with listening(said.append):
        now[0] += 60.0  # before the first stage nothing of this compilation takes time
        for turn in (1, 2):
            with stage("planning", 30, turn) as done:
                for number in range(4):
                    now[0] += 1.0
                    done(number)
    assert said == [
        "stage planning, round 1, 1 of 30 nodes done",
        "stage planning, round 1, 3 of 30 nodes done",
        "stage planning, round 2, 1 of 30 nodes done",
        "stage planning, round 2, 3 of 30 nodes done",
    ]


def test_nobody_listens() -> None:
    with stage("planning", 1) as done:
        done(0)


def test_a_mistake_in_a_stage_ends_it() -> None:
    with listening() as watch:
        with pytest.raises(ValueError, match="wrong"), stage("planning"):
            raise ValueError("wrong")
        with stage("writing"):
            pass
    assert list(watch.seconds) == ["planning", "writing"]


def test_stages_of_a_compilation() -> None:
    with listening() as watch:
        built(replaced_built().plan.graph)
    assert {"passes", "planning", "moves", "writing", "scheduling"} <= set(watch.seconds)
    assert all(seconds >= 0 for seconds in watch.seconds.values())
