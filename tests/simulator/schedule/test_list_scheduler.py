"""The scheduler: fewer steps, the same memories, and none of the assembler's rules broken."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from simulator import Machine, assemble
from simulator.__main__ import main
from simulator.assembly.checks import check, fix_nops
from simulator.errors import SimulatorError
from simulator.fuzz.generate import program as random_program
from simulator.isa.program import Move, Program, Step
from simulator.isa.transfers import move_transfer, transfer_of
from simulator.schedule import bounds, schedule
from simulator.schedule.text import text_of
from tests.simulator.engine.native_programs import fill, state

LATCHES = ("aluf", "mauf", "lbf", "mreadf", "turnaround")  # what units put out last, which is no result


def memories(program: Program, seed: int, engine: str) -> tuple[list[str], dict[str, np.ndarray]] | str:
    """What a program prints and leaves of random memories, or why it cannot run."""
    machine = Machine(engine)
    fill(machine, seed)
    try:
        entries = machine.run(program).entries
    except SimulatorError as error:
        return str(error).split(": ", 1)[1]
    printed = [str(entry) for entry in entries]
    return printed, {name: value for name, value in state(machine).items() if not name.startswith(LATCHES)}


def assert_equal(before: Program, after: Program, seed: int = 1, engine: str = "numpy") -> None:
    """Both programs do the same to the same memories."""
    expected, found = (memories(program, seed, engine) for program in (before, after))
    if isinstance(expected, str) or isinstance(found, str):
        assert isinstance(expected, str) == isinstance(found, str)
        return
    assert found[0] == expected[0]
    for name, value in expected[1].items():
        np.testing.assert_array_equal(found[1][name], value, err_msg=name)


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
    assert_equal(before, after)
    return [line.partition("#")[0].strip() for line in after.source.strip().split("\n")]


# --- what may move ---------------------------------------------------------------------------------------------------


def test_units_work_in_parallel() -> None:
    lines = scheduled("iinc $lr0v $lr8v", "fvmul $lm0v $ls8v $ln0v", "fmwrite $ls8v $lx0", "l2bmb $lc0 $lb0")
    assert lines == ["iinc $lr0v $lr8v; fvmul $lm0v $ls8v $ln0v; fmwrite $ls8v $lx0; l2bmb $lc0 $lb0"]


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
    after = schedule(before)
    assert_sound(before, after)
    for engine in ("numpy", "native"):
        assert_equal(before, after, seed, engine)
    return before.steps, after.steps


def test_random_programs() -> None:
    counts = [_check_random(seed, 40) for seed in range(4)]
    assert sum(after for _, after in counts) < sum(before for before, _ in counts)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1100, 10))
def test_many_random_programs(first: int) -> None:
    for seed in range(first, first + 10):
        _check_random(seed, 50)


# --- buffers in turn -------------------------------------------------------------------------------------------------


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
    after = schedule(before, rename=True)
    assert after.steps <= schedule(before).steps
    assert not [finding for finding in check(after) if finding.severity == "error"]
    expected, found = memories(before, seed, "numpy"), memories(after, seed, "numpy")
    assert not isinstance(expected, str) and not isinstance(found, str)
    ends = used(before)
    for name, value in expected[1].items():
        end = ends.get(name)
        np.testing.assert_array_equal(found[1][name][..., :end], value[..., :end], err_msg=name)
    return schedule(before).steps, after.steps


def test_buffers_in_turn() -> None:
    counts = [_check_buffers(seed) for seed in range(6)]
    assert sum(after for _, after in counts) < sum(before for before, _ in counts)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1200, 20))
def test_buffers_in_turn_of_many_programs(first: int) -> None:
    for seed in range(first, first + 20):
        _check_buffers(seed)


def test_a_value_that_stays_to_the_end_stays_in_its_place() -> None:
    before = assemble("l2bmb $lc0 $lb0\nnop\nl1bmm $lb0 $lr0v")
    assert schedule(before, rename=True) is before


def test_what_a_debug_statement_shows_stays_in_its_place() -> None:
    first, second = (f"l2bmb $lc{64 * i} $lb0\nnop\nl1bmm $lb0 $lr{8 * i}v" for i in range(2))
    before = assemble(f"{first}\nd get $lb0n0c0b0 1\n{second}")
    assert_equal(before, schedule(before, rename=True))


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, output = tmp_path / "a.vsm", tmp_path / "b.vsm"
    source.write_text(fix_nops(assemble("zero $lm0v\niinc $lm0v $ls8v\niinc $lr8v $lr16v")), encoding="utf-8")
    assert main(["schedule", str(source), "-o", str(output)]) == 0
    assert "4 PE steps (nops 1), before 5 (nops 2)" in capsys.readouterr().err
    assert assemble(output.read_text(encoding="utf-8")).steps == 4


def test_the_command_refuses_a_program_with_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.vsm"
    source.write_text("zero $lm0v\niinc $lm0v $ls8v\n", encoding="utf-8")
    assert main(["schedule", str(source), "-o", str(tmp_path / "b.vsm")]) == 2
    assert "insert `nop/2`" in capsys.readouterr().err
    assert not (tmp_path / "b.vsm").exists()


def test_nothing_is_tried_where_no_schedule_can_be_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long program whose busiest unit has work in every step is not scheduled ten times in vain."""

    def placed(*_: object) -> None:
        raise AssertionError("tried")

    monkeypatch.setattr("simulator.schedule.placed", placed)
    full = assemble("\n".join(f"lpassa $lr{2 * i}v $ls{2 * i}v" for i in range(8)))
    assert schedule(full) is full
