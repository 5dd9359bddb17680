"""What finds no room and costs little is made once more; the program does the same."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.graph import Builder
from haribote.stack.maps import BitMap, W, address
from haribote.stack.plan import Load, Pick, Plan, Shift, Store
from haribote.stack.program.again import SMALLER, made_again
from haribote.stack.program.shortest import build
from haribote.stack.program.walk import walk
from haribote.stack.program.work import joined
from tests.haribote.stack.program.small_plans import NEAR, replaced, values, version

TIMES = 8


def _plan(times: int) -> Plan:
    """x, picked so many times, and stored twice."""
    builder = Builder("picked")
    builder.input("x", (256, 16), np.float32)
    index = np.tile(np.arange(256 * 16).reshape(256, 16), (times, 1))
    builder.op("Pick", "x", builder.constant(index, "index"), name="many", fill=0.0)
    builder.output("many")
    bits = range(12, 12 + times.bit_length() - 1)
    more = {address(bit - 10): bit for bit in bits}
    x, many = version("x", NEAR), version("many", BitMap.of("LM", (256 * times, 16), dict(NEAR.carries) | more))
    return Plan(builder.finish(), (Load(x), Pick(x, many, index), Store(many), Store(many)))


@pytest.mark.slow
def test_a_pick_stands_again_before_what_reads_it() -> None:
    plan = _plan(TIMES)
    load, pick, store, last = plan.actions
    assert isinstance(pick, Pick)
    again = made_again(plan, joined(plan.actions), {pick.target: 3})
    assert again.actions == (load, pick, store, pick, last)
    assert made_again(again, joined(again.actions), {pick.target: 4}) is again, "it is there already"
    found = walk(build(again), {"x": values(1)})
    assert not found.wrong, str(found)


def test_what_is_as_small_as_its_source_is_not_made_again() -> None:
    plan = _plan(2)
    _, pick, *_ = plan.actions
    assert isinstance(pick, Pick)
    assert made_again(plan, joined(plan.actions), {pick.target: 3}) is plan


@pytest.mark.slow
def test_a_moved_parameter_is_made_again_as_long_as_it_is_the_same() -> None:
    """It is moved to where its rows are in every PE, stored as it was, becomes another one, and is stored again."""
    plan = replaced()
    (w,) = plan.resident
    wide = version("old", BitMap.of("LM", (256, 16), {W: 0, **{address(bit - 1): bit for bit in range(1, 12)}}))
    assert SMALLER * w.map.longs <= wide.map.longs
    shift, store, become = Shift(w, wide), Store(wide), plan.actions[-1]
    load, *new = plan.actions[0], *plan.actions[-3:-1]
    moved = Plan(plan.graph, (load, shift, *new, store, become), (w,))
    again = made_again(moved, joined(moved.actions), {wide: 4})
    assert again.actions == (load, shift, *new, shift, store, become)
    found = walk(build(again), {"x": values(1), "w": values(2)})
    assert not found.wrong, str(found)
    later = Plan(plan.graph, (load, shift, *new, become, store), (w,))
    assert made_again(later, joined(later.actions), {wide: 5}) is later, "w is another one by then"
    added = Plan(plan.graph, (load, Shift(w, wide, "fadd"), *new, store, become), (w,))
    assert made_again(added, joined(added.actions), {wide: 4}) is added
    other = Plan(plan.graph, moved.actions)
    assert made_again(other, joined(other.actions), {wide: 4}) is other, "w goes when it is read no more"
