"""A pick whose result finds no room is made once more; the program does the same."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.graph import Builder
from haribote.stack.maps import BitMap, address
from haribote.stack.plan import Load, Pick, Plan, Store
from haribote.stack.program.again import made_again
from haribote.stack.program.builder import build
from haribote.stack.program.walk import walk
from haribote.stack.program.work import joined
from tests.haribote.stack.program.small_plans import NEAR, values, version

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
    return Plan(builder.finish(), (Load(x), Pick(x, many, index), Store(many)))


@pytest.mark.slow
def test_a_pick_stands_again_before_what_reads_it() -> None:
    plan = _plan(TIMES)
    load, pick, store = plan.actions
    assert isinstance(pick, Pick)
    again = made_again(plan, joined(plan.actions), {pick.target: 2, pick.source: 1})
    assert again.actions == (load, pick, pick, store)
    found = walk(build(again), {"x": values(1)})
    assert not found.wrong, str(found)


def test_what_is_as_small_as_its_source_is_not_made_again() -> None:
    plan = _plan(2)
    _, pick, _ = plan.actions
    assert isinstance(pick, Pick)
    assert made_again(plan, joined(plan.actions), {pick.target: 2}) is plan
