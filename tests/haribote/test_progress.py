"""What a compilation says while it runs, and where its time went."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from haribote import onnx_backend, progress
from haribote.progress import listening, stage
from haribote.stack.program.compiled import built
from simulator.language import VARIABLE
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


def test_in_japanese_the_names_of_stages_without_an_option_are_japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening() as watch:
        built(replaced_built().plan.graph)
    monkeypatch.setenv(VARIABLE, "ja")
    assert re.findall(r"[A-Za-z]{2,}", watch.report().replace("CPU", "")) == []


def by_onnx() -> object:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 20]> g (float[8] x) => (float[8] y) { y = Add (x, x) }'
    )
    return onnx_backend.run_model(model, [np.ones(8, np.float32)])


def by_torch() -> object:
    torch = pytest.importorskip("torch")
    return torch.compile(lambda x: x * x, backend="haribote", dynamic=False)(torch.ones(8))


def by_jax() -> object:
    jax = pytest.importorskip("jax")
    from haribote.jax import mnjit

    return mnjit(lambda x: x * x + 1)(jax.numpy.ones(8))


def by_mlsdk() -> object:
    torch = pytest.importorskip("torch")
    from haribote.mlsdk import Context, MNDevice

    context = Context(MNDevice("mncore2:auto"))
    return context.compile(lambda given: {"y": given["x"] - 1}, {"x": torch.ones(8)}, None)


def by_lazy() -> object:
    from haribote.lazy.evaluators.chip import Chip
    from haribote.lazy.primitives.arrays import array

    x = array("x", (8,))
    return Chip({"y": x * x * x})({"x": np.ones(8, np.float32)})


SLOW = [pytest.param(call, marks=pytest.mark.slow) for call in (by_torch, by_jax, by_mlsdk, by_lazy)]


@pytest.mark.parametrize("call", [by_onnx, *SLOW])
def test_every_front_end_says_what_takes_long(
    call: Callable[[], object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path))
    monkeypatch.delenv(progress.VARIABLE)
    monkeypatch.setattr(progress, "QUIET", -1.0)  # whatever takes time at all
    call()
    assert re.search(r"haribote: stage planning(, round \d+)?, 0 of [1-9]\d* nodes done\n", capsys.readouterr().err)


def test_a_variable_keeps_front_ends_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "QUIET", -1.0)
    with progress.aloud(), stage("planning", 1):
        pass
    assert capsys.readouterr().err == ""
