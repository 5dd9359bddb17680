"""The values of the matrix registers in another order: fewer steps, the same memories."""

from __future__ import annotations

from random import Random

import pytest

from simulator import assemble
from simulator.assembly.checks import check, fix_nops
from simulator.isa.program import Program
from simulator.schedule import schedule
from simulator.schedule.keep import Kept
from simulator.schedule.nodes import nodes_of
from simulator.schedule.webs import matrix_webs
from tests.long_runs import long_runs
from tests.simulator.schedule.memories import assert_equal


def matrix_program(rng: Random, length: int) -> Program:
    """Writes, products and reads of matrix registers in several precisions, with long and short lives."""
    lines = []
    for _ in range(length):
        letter, register, row = rng.choice("ggghdf"), rng.choice("xy"), rng.choice((0, 4))
        bank, other = rng.choice(("rs", "sr", "mr", "ns"))
        source, target = f"$l{bank}{8 * rng.randrange(4)}v", f"$l{other}{8 * rng.randrange(4)}v"
        lines += rng.choice(
            (
                [f"{letter}mwrite {source} $l{register}{row}"],
                [f"gmwrite {source} $l{register}0", f"gmwrite {target} $l{register}4"],
                [f"gmmul $l{register} {source} {target}"],
                [f"{letter}mmul{'u' * (letter == 'd')} $l{register} {source} {target}"],
                [f"gmread $l{register}{row} {target}"],
                [f"gbfn {source} $nowrite", f"gmwrite $aluf $l{register}{row}"],
                [f"gmmul $l{register} {source} $nowrite", f"gbfn $mauf {target}"],
            )
        )
    return assemble(fix_nops(assemble("\n".join(lines))))


def webs(*lines: str) -> list[tuple[list[int], bool, bool]]:
    """Of each web the lines, and whether it begins before the program or lives to its end."""
    found = matrix_webs(nodes_of(assemble("\n".join(lines))), Kept(None))
    return [([node.line.line for node in web.nodes], web.first, web.last) for web in found]


def test_a_web_is_what_shares_values() -> None:
    lines = (
        "gmwrite $lr0v $lx0",
        "gmwrite $lr8v $lx4",
        "gmmul $lx $ls0v $lm0v",
        "gmwrite $lr16v $lx4",
        "gmmul $lx $ls8v $lm8v",
        "gmmul $ly $ls8v $lm8v",
    )
    assert webs(*lines) == [([1, 2, 3, 4, 5], False, True), ([6], True, False)]
    whole = ("gmwrite $lr24v $lx0", "gmwrite $lr24v $lx4", "gmread $lx0 $lm0v")
    assert webs(*lines[:3], *whole) == [([1, 2, 3], False, False), ([4, 5, 6], False, True)]


def test_a_register_goes_first_to_who_is_ready() -> None:
    """The chain before the first product is long; the second product need not wait for it."""
    chain = [line for k in range(6) for line in (f"iinc $lr{8 * k}v $lr{8 * k + 8}v", "nop")]
    first = ["gmwrite $lr48v $lx0", "gmwrite $lr48v $lx4", *(f"gmmul $lx $ls{8 * k}v $lm{8 * k}v" for k in range(4))]
    second = ["gmwrite $ls0v $lx0", "gmwrite $ls8v $lx4", *(f"gmmul $lx $ls{8 * k}v $ln{8 * k}v" for k in range(4))]
    last = ["gmwrite $lr64v $lx0", "gmwrite $lr64v $lx4"]
    before = assemble("\n".join([*chain, *first, *second, *last]))
    after = schedule(before)
    assert after.steps == len(chain) + len(first) + len(last)
    assert_equal(before, after, engine="native")


def test_a_write_that_nobody_reads_hides_no_order() -> None:
    """Line 5 overwrites what line 3 reads, with a write between that is a web of its own."""
    before = assemble(
        "gmwrite $lr0v $lx0\ngmwrite $lr8v $lx4\ngmmul $lx $ls0v $lm0v\ngmwrite $lr16v $lx4\n"
        "gmwrite $lr24v $lx4\ngmmul $lx $ls8v $ln0v\niinc $ls16v $ls24v\ngmwrite $lr32v $lx0\ngmwrite $lr40v $lx4\n"
    )
    after = schedule(before)
    assert after.steps < before.steps
    assert_equal(before, after, engine="native")


def _check_random(seed: int) -> tuple[int, int]:
    before = matrix_program(Random(seed), 30)
    after = schedule(before)
    assert not [finding for finding in check(after) if finding.severity == "error"]
    assert after.steps <= before.steps
    assert_equal(before, after, seed, "native")
    return before.steps, after.steps


@pytest.mark.slow
def test_random_matrices() -> None:
    counts = [_check_random(seed) for seed in range(3)]
    assert sum(after for _, after in counts) < sum(before for before, _ in counts)


@pytest.mark.slow
@pytest.mark.parametrize("first", [100, *long_runs(120, 140)])
def test_many_random_matrices(first: int) -> None:
    for seed in range(first, first + 20):
        _check_random(seed)
