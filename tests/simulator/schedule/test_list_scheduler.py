"""The scheduler: fewer steps, the same memories, and none of the assembler's rules broken."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.fuzz.generate import program as random_program
from simulator import assemble
from simulator.assembly.checks import check, fix_nops
from simulator.isa.program import Program, Step
from simulator.schedule import bounds, schedule, schedule_long
from simulator.schedule.dependences import edges
from simulator.schedule.nodes import nodes_of
from simulator.schedule.text import text_of
from tests.long_runs import long_runs
from tests.simulator.schedule.memories import assert_equal


def instructions(program: Program) -> list[str]:
    """All instructions but nops, masks written out, in any order."""
    steps = [line for line in program.lines if isinstance(line, Step)]
    return sorted(text_of(i) for step in steps for i in step.instructions if i.op != "nop")


def others(program: Program) -> list[str]:
    """MV lines in any order, and debug statements."""
    return sorted(line.text for line in program.lines if not isinstance(line, Step))


def assert_sound(before: Program, after: Program) -> None:
    """The same instructions in fewer steps or as many, without a new error."""
    assert instructions(after) == instructions(before)
    assert others(after) == others(before)
    assert after.steps <= before.steps
    assert after.steps >= max(bounds(before)) or after is before
    assert not [finding for finding in check(after) if finding.severity == "error"]


def scheduled(*lines: str) -> list[str]:
    """The lines of the schedule of a program that is right in itself, comments left out."""
    before = assemble("\n".join(lines))
    assert not [finding for finding in check(before) if finding.severity == "error"]
    after = schedule(before)
    assert_sound(before, after)
    assert_equal(before, after, engine="native")
    return [line.partition("#")[0].strip() for line in after.source.strip().split("\n")]


# --- what may move ---------------------------------------------------------------------------------------------------


def test_units_work_in_parallel() -> None:
    lines = scheduled("iinc $lr0v $lr8v", "fvmul $lm0v $ls8v $ln0v", "fmwrite $ls8v $lx0", "l2bmb $lc0 $lb0")
    assert lines == ["iinc $lr0v $lr8v; fvmul $lm0v $ls8v $ln0v; fmwrite $ls8v $lx0; l2bmb $lc0 $lb0"]


def test_a_long_chain_of_waits_is_left_as_it_is() -> None:
    chain = [
        text
        for k in range(0, 320, 16)
        for text in (f"iinc $lm{k}v $ln{k}v", "nop/2", f"iinc $ln{k}v $lm{k + 16}v", "nop/2")
    ]
    assert [line for line in scheduled(*chain) if line != "nop/2"] == chain[::2]


def test_an_independent_step_takes_the_place_of_a_nop() -> None:
    assert scheduled(
        "iadd $lr0v $ls0v $lm0v", "nop/2", "iinc $lm0v $ls8v", "iinc $lr8v $lr16v", "iinc $lr24v $lr32v"
    ) == [
        "iadd $lr0v $ls0v $lm0v",
        "iinc $lr8v $lr16v",
        "iinc $lr24v $lr32v",
        "iinc $lm0v $ls8v",
    ]


def test_a_write_may_share_the_step_of_a_read_of_the_old_value() -> None:
    assert scheduled("iinc $lr0v $ls0v", "fvadd $lm0v $ls8v $lr0v", "nop/2") == [
        "iinc $lr0v $ls0v; fvadd $lm0v $ls8v $lr0v"
    ]


# --- what may not ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        ("iinc $lr0v $ls0v", "fvadd $lm0v $ls8v $lr8v", "iinc $lr16v $lr8v", "fvpassa $ln0v $lr8v"),  # the last stays
        ("l1bmd $lm0v $lb8128", "nop/2", "l1bmm $lb0 $lr0v"),  # 64 of the 256 long words are at the start
        ("l1bmm@1 $lm0v $lb0", "nop/3", "l2bmr2lbor $lb0 $lc32704", "mvp/n64 $lc0@.0 $d0", "iinc $lr0v $lr8v"),
        ("mvp/n64 $d0 $lc32736@.0", "l2bmb $lc0 $lb0", "nop/2", "l1bmm $lb0 $lr0v"),
        ("mvp/n64 $p524256 $d64", "mvp/n64 $d64 $p0", "mvp/n64 $p524272 $d128"),
        ("mvp/n64 $p0 $di4", "mvp/n64 $d0 $p64"),
        ("l2bmdars $lc0 $dar0", "l2bmdarw", "l2bmdarw", "mvp/n64 $di0 $p0"),
        ('imm i"3" $lmb', "nop/2", "iinc $lm0v $lr0v", "iinc $m1 $r9", "nop/2", "zero $lm2"),
        ("iinc $lmt0v $lr0v", "nop", "zero $lm[8,100,4000,12]", "nop/2", "zero $t", "nop", "iinc $lmt8v $lr8v"),
        ("isub $lr0v $ls0v $omr1", "iinc $lr8v $lr16v/$imr1", "isub $lr0v $ls8v $omr1", "iinc $lr8v $lr24v/$imr1"),
        ("gmwrite $lr0v $lx0", "gmwrite $lr8v $lx4", "gmwrite $lr16v $lx2", "gmmul $lx $lr24v $ln0v"),
        ("isub/$imr1 $lr0v $ls0v $lr8v", "isub $lr0v $ls0v $omr1"),
        ("l2bmi@0/3 $lb0 $lb64", "nop/7", "l1bmm $lb64 $lr0v", "l2bmb@3 $lc0 $lb0"),
    ],
    ids=str,
)
def test_what_is_read_and_written_keeps_its_order(lines: tuple[str, ...]) -> None:
    scheduled(*lines)


def test_forwarding_follows_the_step_that_fills_the_path() -> None:
    lines = scheduled(
        "iinc $lr0v $nowrite",
        "iinc $aluf $ls0v",
        "iinc $lr8v $nowrite",
        "nop",
        "fvpassa $aluf $ls8v",
        "fvpassa $lm0v $ln0v",
    )
    assert not [finding for finding in check(assemble("\n".join(lines))) if "not known" in finding.message]
    reading = next(i for i, line in enumerate(lines) if "fvpassa $aluf" in line)
    assert lines[reading - 1] == "nop"


def test_noforward_stands_alone_with_its_step() -> None:
    lines = scheduled(
        "iinc $lr0v $nowrite",
        "noforward; iinc $lr8v $lr16v",
        "iinc $aluf $ls0v",
        "fvpassa $lm0v $ln0v",
        "fvpassa $lm8v $ln8v",
    )
    place = next(i for i, line in enumerate(lines) if "noforward" in line)
    assert lines[place] == "noforward; iinc $lr8v $lr16v"
    assert "iinc $lr0v $nowrite" in lines[place - 1] and "iinc $aluf $ls0v" in lines[place + 1]


def test_the_turnaround_register_is_read_in_the_next_step() -> None:
    lines = scheduled(
        "l1bmm@1 $lm0v $lb0", "l1bmm $lbi $lr0v", "l1bmm@2 $lm8v $lb64", "l1bmm $lbi $lr8v", "iinc $ls0v $ls8v"
    )
    for place in (0, 1):
        sent = next(i for i, line in enumerate(lines) if f"l1bmm@{1 + place}" in line)
        assert f"l1bmm $lbi $lr{8 * place}v" in lines[sent + 1]


def test_a_late_read_of_the_turnaround_register_keeps_its_distance() -> None:
    scheduled("l1bmd+8 $llr28j2 $lbi", "zero $ls0v", "zero $ls8v", "l1bmd+0 $lbi $lr46", "zero $ls16v")


def test_masks_of_statements_are_written_out() -> None:
    lines = scheduled(
        "masklrst 2",
        "iinc $lr0v $lr8v",
        "fvadd $lm0v $lr0v $ls0v $ln0v",
        "maskmn 17",
        "zero $ln16",
        "mask 0",
        "zero $lm0",
    )
    text = "\n".join(lines)
    assert "$lr8v/$limr2" in text and "$ls0v/$limr2 $ln0v" in text and "zero $ln16/0001" in text
    assert "mask" not in text


def test_a_wait_comes_after_its_move_and_before_what_uses_the_result() -> None:
    lines = scheduled(
        "mvp/n64i01 $d0 $lc0@.0", "iinc $lr0v $lr8v", "nop; wait i01", "l2bmb $lc64 $lb0", "mvp/n64i02 $lc128@.0 $d64"
    )
    order = [next(i for i, line in enumerate(lines) if text in line) for text in ("$d0", "wait", "l2bmb", "$d64")]
    assert order == sorted(order) and order[0] < order[1]


def test_debug_statements_stay_where_they_are() -> None:
    lines = scheduled(
        "iinc $lr0v $lr8v", "d get $lr8n0c0b0m0p0 1", "fvpassa $lm0v $ln0v", "d set $ln0n0c0b0m0p0 1 3F80000040000000"
    )
    assert [line[:2] for line in lines] == ["ii", "d ", "fv", "d "]


def test_a_program_without_anything_to_gain_stays_as_it_is() -> None:
    before = assemble("# a comment\niinc $lr0v $lr8v\n")
    assert schedule(before) is before
    empty = assemble("")
    assert schedule(empty) is empty and bounds(empty) == (0, 0)


# --- random programs -------------------------------------------------------------------------------------------------


def _check_random(seed: int, length: int) -> tuple[int, int]:
    before = assemble(random_program(Random(seed), length))
    if any(finding.severity == "error" for finding in check(before)):
        return 0, 0
    after, other = schedule(before), schedule_long(before)
    for found, engine in ((after, "numpy"), (after, "native"), (other, "native")):
        assert_sound(before, found)
        assert_equal(before, found, seed, engine)
    return before.steps, after.steps


@pytest.mark.slow
def test_random_programs() -> None:
    counts = [_check_random(seed, 30) for seed in range(3)]
    assert sum(after for _, after in counts) < sum(before for before, _ in counts)


@pytest.mark.slow
@pytest.mark.parametrize("first", [1000, *long_runs(1010, 1020)])
def test_many_random_programs(first: int) -> None:
    for seed in range(first, first + 10):
        _check_random(seed, 50)


def test_a_long_program_waits_once_for_many_writes() -> None:
    many = [line for at in range(0, 96, 8) for line in (f"iinc $lr{at}v $lm{at}v", f"fvpassa $lm{at}v $ls{at}v")]
    before = assemble(fix_nops(assemble("\n".join(many))))
    after = schedule_long(before)
    assert_sound(before, after)
    assert_equal(before, after, engine="native")
    assert after.steps == 12 + 2 + 12  # LM is written, then left for two steps, then read


def test_reads_of_any_word_wait_for_each_other_not_all_for_all() -> None:
    def reads_after_writes(count: int) -> Program:
        words = range(0, 8 * count, 8)
        lines = [f"iinc $ln{at}v $lm{at}v" for at in words]
        lines += ["iinc $lmt0v $lr0v", f"iinc $ln0v $lm{words[-1]}v", "iinc $lmt0v $lr8v", "iinc $lr0v $lm0v"]
        lines += [f"iinc $lmt0v $ls{8 * number}v" for number in range(count)]
        return assemble(fix_nops(assemble("\n".join(lines))))

    many, twice = (len(list(edges(nodes_of(reads_after_writes(count))))) for count in (30, 60))
    assert twice < 3 * many  # all pairs would be four times as many
    before = reads_after_writes(30)
    after = schedule_long(before)
    assert_sound(before, after)
    assert_equal(before, after, engine="native")


def test_nothing_is_tried_where_no_schedule_can_be_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long program whose busiest unit has work in every step is not scheduled ten times in vain."""

    def begin(*_: object) -> None:
        raise AssertionError("tried")

    monkeypatch.setattr("simulator.schedule.Search.begin", begin)
    full = assemble("\n".join(f"lpassa $lr{2 * i}v $ls{2 * i}v" for i in range(8)))
    assert schedule(full) is full
