"""Schedules in which MV instructions take their time."""

from __future__ import annotations

import pytest

from simulator import assemble
from simulator.assembly.checks import fix_nops
from simulator.isa.program import Program
from simulator.schedule import overlapped, schedule_long
from simulator.schedule.groups import groups_of
from simulator.schedule.moving import await_moves, closed_up
from simulator.schedule.nodes import nodes_of
from tests.simulator.schedule.memories import assert_equal


def program(*lines: str) -> Program:
    return assemble(fix_nops(assemble("\n".join(lines))))


def twice(count: int) -> Program:
    """A buffer that comes down, is read, comes down again, and is read again, before other work."""
    read = ["mvp/n1024 $d0 $lc0@.0", "l2bmd $lc0 $lb0"]
    again = ["mvp/n1024 $d1024 $lc0@.0", "l2bmd $lc0 $lb64"]
    return program(*read, *again, *(f"iinc $lr{8 * k}v $ls{8 * k}v" for k in range(count)))


def test_other_work_comes_while_a_move_is_under_way() -> None:
    before = twice(40)
    after = schedule_long(before)
    assert_equal(before, after, engine="native")
    second = next(n for n, line in enumerate(after.source.splitlines()) if "l2bmd $lc0 $lb64" in line)
    assert second > 16  # 1,024 long words take so many steps
    assert overlapped(after) < overlapped(before)


def test_a_move_that_is_ready_does_not_wait_for_one_that_is_not() -> None:
    late = [*("iinc $lr0v $lr0v" for _ in range(60)), "l1bmd $lr0v $lb0", "l2bmd $lb0 $lc0", "mvp/n64 $lc0@.0 $d0"]
    early = ["l2bmd $lc1024 $lb1024", "mvp/n64 $d2048 $lc1024@.0", "l2bmd $lc1024 $lb2048"]
    before = program(*late, *early)
    after = schedule_long(before)
    assert_equal(before, after, engine="native")
    lines = after.source.splitlines()
    first, second = (next(n for n, line in enumerate(lines) if text in line) for text in ("$d2048", "$d0"))
    assert first < second


def test_moves_to_the_two_l2bs_of_a_group_do_not_wait_for_each_other() -> None:
    """Steps, and MV instructions between all L2Bs, wait for both."""
    moves = [f"mvp/n64 $d{place} $lc{place}@.{l2b}" for place in (0, 1024) for l2b in (0, 1)]
    before = program(*moves, "l2bmd $lc0 $lb0", "mvb/n64 $d64 $lc1024")
    groups = groups_of(nodes_of(before))
    wait = [{groups.index(other) for other in group.before} for group in groups]
    assert wait == [set(), set(), set(), set(), {0, 1}, {2, 3}]
    assert_equal(before, schedule_long(before), engine="native")


def test_nobody_waits_in_steps_for_a_move() -> None:
    """With nothing else to do there are no nops but those of the steps."""
    before = twice(0)
    assert schedule_long(before).steps == before.steps


@pytest.mark.parametrize(("lines", "found"), [(["iinc $lr0v $ls0v"], False), (["mvp/n64 $d0 $p0"], True)])
def test_programs_without_moves_have_nothing_to_wait_for(lines: list[str], found: bool) -> None:
    assert await_moves(groups_of(nodes_of(program(*lines)))) is found


def test_the_nops_of_waits_stay() -> None:
    text = "iinc $lm0v $lr0v\nnop/7\nnop\niinc $lr8v $lm8v\n"
    assert closed_up("iinc $lr0v $lm0v\nnop/9\niinc $lm0v $lr8v\n", "x").steps == 4  # two steps after a write of LM
    assert closed_up(text, "x").steps == 2
