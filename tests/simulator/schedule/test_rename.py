"""Buffers that are used in turn: other places, the same memories."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from simulator import assemble
from simulator.assembly.checks import check, fix_nops
from simulator.isa.program import Move, Program, Step
from simulator.isa.transfers import move_transfer, transfer_of
from simulator.schedule import schedule
from tests.long_runs import long_runs
from tests.simulator.schedule.memories import assert_equal, memories


def buffer_program(rng: Random, length: int) -> str:
    """What goes down and up through few buffers, so that neighbours use the same ones."""

    def address(unit: int) -> int:
        return unit * rng.randrange(3)

    def register() -> str:
        return f"$l{rng.choice('mnrs')}{8 * rng.randrange(4)}v"

    lines = []
    for _ in range(length):
        group, l2b, l1bs = rng.randrange(4), rng.randrange(2), rng.choice(("", "", "", "@3", "@0/3", "@2/1"))
        lines.append(
            rng.choice(
                (
                    f"mvp/n64 $d{address(64)} $lc{address(64)}@.{l2b}",
                    f"mvb/n{rng.choice((64, 128))} $p{address(64)}@{group} $lc{address(64)}",
                    f"mvb2/n256 $d{address(64)} $lc{address(64)}",
                    f"mvp/n64 $d{address(64)}@{group} $p{address(32)}@{rng.randrange(4)}",
                    f"mvp/n64 $lc{address(40)}@.{l2b} $d{address(64)}",
                    f"mvrlbor/n64 $lc{address(64)} $p{address(64)}@{group}",
                    f"l2bmb{l1bs} $lc{address(64)} $lb{address(64)}",
                    f"l2bmd{l1bs} $lc{address(64)} $lb{address(32)}",
                    f"l2bmi@1 $lb{address(64)} $lb{64 + address(64)}",
                    f"l1bmm $lb{address(32)} {register()}",
                    f"l1bmd $lb{address(64)} {register()}",
                    f"l1bmm@{rng.randrange(16)} {register()} $lb{address(16)}",
                    f"l1bmd {register()} $lb{address(64)}",
                    f"l1bmrlbor {register()} $lb{address(16)}",
                    f"l2bmd $lb{address(32)} $lc{address(64)}",
                    f"l2bm@{rng.randrange(8)} $lb{address(16)} $lc{address(16)}",
                    f"l2bmrlbor{l1bs} $lb{address(16)} $lc{address(64)}",
                    f"fvadd $lm0v $lr8v $ls{8 * rng.randrange(3)}v",
                    f"iinc $ls{8 * rng.randrange(3)}v $ln{8 * rng.randrange(3)}v",
                )
            )
        )
    return fix_nops(assemble("\n".join(lines)))


def used(program: Program) -> dict[str, int]:
    """Of each memory, the words from which on a program uses nothing."""
    found = {"l1bm": 0, "l2bm": 0, "pdm": 0}
    for line in program.lines:
        transfers = [move_transfer(line)] if isinstance(line, Move) else []
        transfers += [transfer_of(i) for i in line.instructions if i.form.formula] if isinstance(line, Step) else []
        for transfer in filter(None, transfers):
            sides = transfer.formula.destination, transfer.formula.source
            for side, points in zip(sides, transfer.points(), strict=True):
                if side.memory.lower() in found:
                    found[side.memory.lower()] = max(found[side.memory.lower()], int(points[:, -1].max()) + 1)
    return found


def _check_buffers(seed: int) -> tuple[int, int]:
    before = assemble(buffer_program(Random(seed), 60))
    after, plain = schedule(before, rename=True), schedule(before)
    assert after.steps <= plain.steps
    assert not [finding for finding in check(after) if finding.severity == "error"]
    expected, found = memories(before, seed, "native"), memories(after, seed, "native")
    assert not isinstance(expected, str) and not isinstance(found, str)
    ends = used(before)
    for name, value in expected[1].items():
        end = ends.get(name)
        np.testing.assert_array_equal(found[1][name][..., :end], value[..., :end], err_msg=name)
    return plain.steps, after.steps


@pytest.mark.slow
def test_buffers_in_turn() -> None:
    counts = [_check_buffers(seed) for seed in range(3)]
    assert sum(after for _, after in counts) < sum(before for before, _ in counts)


@pytest.mark.slow
@pytest.mark.parametrize("first", [1000, *long_runs(1020, 1040)])
def test_buffers_in_turn_of_many_programs(first: int) -> None:
    for seed in range(first, first + 20):
        _check_buffers(seed)


def test_a_value_that_stays_to_the_end_stays_in_its_place() -> None:
    before = assemble("l2bmb $lc0 $lb0\nnop\nl1bmm $lb0 $lr0v")
    assert schedule(before, rename=True) is before


def test_what_a_debug_statement_shows_stays_in_its_place() -> None:
    first, second = (f"l2bmb $lc{64 * i} $lb0\nnop\nl1bmm $lb0 $lr{8 * i}v" for i in range(2))
    before = assemble(f"{first}\nd get $lb0n0c0b0 1\n{second}")
    assert_equal(before, schedule(before, rename=True), engine="native")
