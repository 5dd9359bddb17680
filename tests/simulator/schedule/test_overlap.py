"""Cycles per run with MV under way beside the steps: small programs of which they are known."""

from __future__ import annotations

import pytest

from simulator import assemble
from simulator.isa.cost import cost_of
from simulator.schedule import overlapped
from simulator.schedule.overlap import floors


def cycles(*lines: str, runs: int = 16) -> float:
    return overlapped(assemble("\n".join(lines)), runs)


@pytest.mark.parametrize("count", [0, 1, 10])
def test_steps_alone_take_four_cycles_each(count: int) -> None:
    lines = [f"iinc $lr{8 * k}v $ls{8 * k}v" for k in range(count)]
    assert cycles(*lines) == cycles(*lines, runs=1) == 4 * count


def test_the_nops_between_two_runs_count() -> None:
    lines = "iinc $lm0v $lr0v", "iinc $lr8v $lm8v"
    assert (cycles(*lines, runs=1), cycles(*lines)) == (8, 16)  # LM0 is written, then read: two steps between


def test_a_move_that_nobody_waits_for_is_hidden() -> None:
    lines = ["mvp/n1024 $d0 $p0", *(f"iinc $lr{8 * k}v $ls{8 * k}v" for k in range(20))]
    assert cycles(*lines) == 80
    assert cycles(*lines[:10]) == 64  # 1,024 / 16: the move takes longer than nine steps


@pytest.mark.parametrize(("steps", "expected"), [(9, 40), (1, 20)])
def test_a_buffer_is_filled_again_after_its_reader(steps: int, expected: int) -> None:
    """The move takes 16 cycles, its reader 4; the other steps go on meanwhile."""
    others = [f"iinc $lr{8 * k}v $ls{8 * k}v" for k in range(steps)]
    assert cycles("mvp/n256 $d0 $lc0@.0", "l2bmd $lc0 $lb0", *others) == expected


def test_two_buffers_in_turn_hide_what_one_does_not() -> None:
    read = "mvp/n256 $d{0} $lc{0}@.0", "l2bmd $lc{0} $lb0", "nop/3"
    one = [line.format(0) for _ in range(2) for line in read]
    two = [line.format(256 * k) for k in range(2) for line in read]
    assert cycles(*one) == 2 * 20
    assert cycles(*two) == 2 * 16


def test_what_is_sent_up_waits_for_its_steps_and_they_for_it() -> None:
    lines = "l2bmd $lb0 $lc0", "mvp/n256 $lc0@.0 $d0"
    assert cycles(*lines, runs=1) == 4 + 16
    assert cycles(*lines) == 20


def test_a_reduction_and_its_broadcast_come_one_after_another() -> None:
    lines = "l2bmd $lb0 $lc0", "mvrffadd/n256 $lc0 $p0@0", "mvb/n256 $p0@0 $lc256", "l2bmd $lc256 $lb64"
    assert cycles(*lines, runs=1) == 4 + 256 / 8 + 256 / 8 + 4


def test_groups_move_at_once_but_one_move_is_issued_in_four_steps() -> None:
    inside = [f"mvp/n1024 $d0@{group} $p0@{group}" for group in range(2)]
    assert cycles(*inside, runs=1) == 16 + 64
    assert cycles(*inside) == 64
    assert cycles("mvp/n1024 $d0@0 $p0@0", "mvp/n1024 $d0@0 $p1024@0") == 128
    assert cycles(*(f"mvp/n64 $d0@{group} $p0@{group}" for group in range(4))) == 64


def test_addresses_from_the_table_may_be_anywhere() -> None:
    lines = "mvp/n1024 $di0@0 $p0@0", "mvp/n1024 $p4096@1 $d0@1"
    assert cycles(*lines) == 128  # in other groups, but perhaps of one another's words
    assert cycles("mvp/n1024 $d4096@0 $p0@0", lines[1]) == 64


def test_the_bounds_say_what_binds() -> None:
    """Eight small moves of one group and two steps: their issue is dearest, and more than their serial cost."""
    program = assemble("\n".join([*(f"mvp/n64 $d{64 * k}@0 $p{64 * k}@0" for k in range(8)), "nop/2"]))
    assert floors(program) == (8, 8 * 64 / 16, 8 * 16)
    assert overlapped(program) == 8 * 16 > cost_of(program).cycles
