"""A parameter is kept where what updates it is, and travels before it is read, if that shortens the end of a step."""

from __future__ import annotations

from math import inf

import onnx
import pytest

from benchmarks.shapes import mlp_model
from haribote.stack.plan import Become, Load, Plan, Shift, Version, reads, writes
from haribote.stack.planner import homes
from haribote.stack.planner.families import candidates
from haribote.stack.planner.homes import fetched
from haribote.stack.planner.search import plans
from haribote.stack.planner.tariff import Tariff
from haribote.stack.program.compiled import prepared

SPLIT, WIDE = candidates((64, 64))[0]


def version(name: str) -> Version:
    return Version(name, WIDE, SPLIT)


def moved_from_home(found: Plan) -> list[int]:
    """The numbers of the moves from where a parameter is kept."""
    return [n for n, one in enumerate(found.actions) if isinstance(one, Shift) and one.source in found.resident]


@pytest.fixture(scope="module")
def ready() -> onnx.ModelProto:
    """A training step whose second weight is read in copies."""
    return prepared(mlp_model("784-64-10:64")[0])


@pytest.fixture(autouse=True)
def guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices that nobody looks up."""
    monkeypatch.setattr(Tariff, "learn", lambda *asked: False)


def test_a_weight_is_kept_where_its_gradient_is(ready: onnx.ModelProto) -> None:
    plan = next(next(plans(ready)))
    (home,) = (version for version in plan.resident if version.value == "2.weight")
    moves = moved_from_home(plan)
    targets = [target for number in moves for target in writes(plan.actions[number])]
    assert targets, "it is read elsewhere"
    assert {target.value for target in targets} == {"2.weight"}
    assert all(target.map.longs > home.map.longs for target in targets)
    for number, target in zip(moves, targets, strict=True):
        readers = [n for n, action in enumerate(plan.actions) if target in reads(action)]
        assert readers and number < min(readers), "it is there before it is read"
    (end,) = (n for n, one in enumerate(plan.actions) if isinstance(one, Become) and one.parameter == home)
    assert end > max(moves), "its new value takes its place when the old one is read no more"


def test_it_is_kept_where_it_is_read_when_that_takes_little(
    ready: onnx.ModelProto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homes, "WORTH", inf)
    plan = next(next(plans(ready)))
    assert not moved_from_home(plan)


def test_a_move_from_home_goes_before_the_first_that_reads_it() -> None:
    w, read, other, a = map(version, ("w", "read", "other", "a"))
    actions = (Load(a), Shift(a, other), Shift(read, a), Shift(w, read), Shift(a, w))
    assert fetched(actions, [w]) == (Load(a), Shift(a, other), Shift(w, read), Shift(read, a), Shift(a, w))
    assert fetched(actions, []) == actions, "what comes from elsewhere stays"
