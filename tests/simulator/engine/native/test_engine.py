"""The native engine leaves every memory as the NumPy engine does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from benchmarks.fuzz import generate
from simulator import Machine, assemble
from simulator.engine import native
from simulator.engine.native.encode import encoded
from simulator.errors import ExecutionError
from simulator.isa.program import Line, Program, Step
from tests.simulator.engine.native_programs import all_opcodes, check, difference, fill, program_of

pytestmark = pytest.mark.skipif(not native.available(), reason="no C++ compiler: there is only the NumPy engine")

Pair = tuple[Machine, Machine]


@pytest.fixture(scope="module")
def machines() -> Pair:
    """Two machines that run the same programs one after another."""
    return Machine(), Machine(engine="native")


def refill(machines: Pair, seed: int) -> Pair:
    for machine in machines:
        fill(machine, seed)
    return machines


def chunks(names: list[tuple[str, str]], size: int) -> Iterator[list[tuple[str, str]]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]


@pytest.mark.slow
def test_every_instruction(machines: Pair) -> None:
    rng = Random(7)
    refill(machines, 6)  # a multiple of 3: the base address registers are not zero
    for names in chunks(all_opcodes(), 25):
        lines = [generate.line_with(rng, *name) for name in names]
        check([line for line in lines if "lbi" not in line], *machines)  # the turnaround register has tests of its own


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_random_programs(machines: Pair, seed: int) -> None:
    check(program_of(seed, 30), *refill(machines, seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
def test_many_random_programs(machines: Pair, seed: int) -> None:
    check(program_of(seed, 40), *refill(machines, seed))


def test_block_products_with_many_exponents(machines: Pair) -> None:
    lines = """
        gbfn $lm0v $nowrite
        gmwrite $aluf $lx0
        gbfn $lm8v $nowrite
        gmwrite $aluf $lx4
        gbfn $ln0v $nowrite
        gmfma $lx $aluf $lr0v $ls0v
        fbfn $ln0v $nowrite
        fmfma $lx $aluf $lr0v $ls8v
        hbfn/7 $llm0v $nowrite
        hmwrite $aluf $llx0
        hbfn $lm32v $nowrite
        hmfmar $lx $aluf $llr0v $ls16v
        dbfn $lm0v $nowrite
        dmwrite $aluf $ly0
        dbfn $lm8v $nowrite
        dmfmau $ly $aluf $lr0v $ls24v
        dmfmad $ly $aluf $lr0v $ls32v""".splitlines()
    rng = np.random.default_rng(5)
    refill(machines, 4)
    exponents = rng.integers(-120, 120, (64, 4096))
    values = (rng.standard_normal((64, 4096)) * 2.0**exponents).astype(np.float32).view(np.uint32)
    for machine in machines:
        machine.lm0[:64] = machine.lm1[:64] = values
    check(lines, *machines)


def test_masked_flags_halves_of_singles_and_roots(machines: Pair) -> None:
    check(
        [
            "iinc $lm0v $ln0v $omr5/$imr3", "maskk 2", "lpassa $lm8v $ln8v $omr6", "mask 0",
            "fvadd $lm0v $ln0v $omr7/0100", "hbfn $llm0vr $llr0v", "hbfn/7 $llm16vr $nowrite",
            "hvadd $aluf $llm0v $ls0v", "hbfn $tr $ls16v",
            "drsqrt $lm0v $ls24v", "frsqrt $lm8v $ls32v", "hrsqrt $lm16v $ls40v $omr8/ll1010",
        ],
        *refill(machines, 27),
    )  # fmt: skip


def test_transfers_that_are_stored_at_once(machines: Pair) -> None:
    check(
        [
            "l1bmm $llb0 $llr0v", "l1bmm $lb8 $llr16v", "l1bmm $llb0 $lr[32,32,36,32]", "l1bmm $llb0 $llr[40,36,36,40]",
            "l1bmd+1 $lb64 $ln[8,2,8,4] ; l2bmb $lc0 $lb512", "l1bmp $llb0 $llm0v", "lpassa $lbf $ls0v",
            "l1bmm $lb0 $lm0v/1010", "l1bmm $lb0 $lr64v $t", "ldec $peid $lmb", "l1bmm $lb32 $lm16v",
            "zero $lmb", "l1bmm $lb32 $lm16v", "l1bmm4 $llb32 $llr80v", "fvadd $lr80v $t $ls8v ; l1bmm $lb0 $lr80v",
        ],
        *refill(machines, 27),  # a multiple of 3: the base address registers are not zero
    )  # fmt: skip


def test_turnaround_register(machines: Pair) -> None:
    refill(machines, 21)
    check(["l1bmd+3 $lm0v $lbi", "l1bmd+3 $lbi $lr0v", "l1bmm4@2 $llm0v $llb0", "l1bmm4 $llbi $llr32v"], *machines)
    check(["l1bmrffadd $lm0v $lb0", "nop/2", "l1bmm $lbi $t"], *machines)


def test_a_block_that_another_program_left(machines: Pair) -> None:
    refill(machines, 22)
    check(["l1bmr4ffadd $llm0v $llbi"], *machines)
    check(["l1bmm4 $llbi $llr0v", "lpassa $lbf $s0v"], *machines)


def test_errors_are_the_same_and_stop_at_the_same_line(machines: Pair) -> None:
    refill(machines, 23)
    program = assemble("l1bmm@1 $lm0v $lb0\nlpassa $lm0v $ln0v\nl1bmd $lbi $lr0v\nlpassa $lm8v $ln0v")
    messages = []
    for machine in machines:
        with pytest.raises(ExecutionError, match="turnaround register holds") as caught:
            machine.run(program)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert difference(*machines) == ""


def test_a_line_that_cannot_be_executed_is_told_before_any_other_runs(machines: Pair) -> None:
    refill(machines, 24)
    before = machines[1].grf0[0].copy()
    lines = assemble('imm i"5" $r0\nzero $nowrite\niinc $lm0v $omr1').lines
    zero, flags = (line.instructions[0] for line in lines[1:] if isinstance(line, Step))
    wrong = replace(lines[2], instructions=(replace(zero, destinations=flags.destinations),))  # no text assembles to it
    program = Program("k.vsm", (*lines[:2], wrong))
    for machine in machines:
        for _ in range(2):
            with pytest.raises(ExecutionError, match=r"k.vsm:3: `zero` has no mask flags"):
                machine.run(program)
    assert np.array_equal(machines[1].grf0[0], before)


def test_dumps_settings_and_presets_between_native_lines(machines: Pair) -> None:
    refill(machines, 25)
    text = (
        "r 1 000000000 002 00000001000000020000000300000004\nmvp/n64 $d0 $lc0@.0\nd set $lm0n0 1 3f80000040000000\n"
        "fvadd $lm0v $lm0v $lr0v\nd getf $lr0n0c0b0m0p0 2\nmvp/n64 $lc0@.0 $d65536\nd get $d65536n1 1"
    )
    program = assemble(text)
    dumps = [machine.run(program).dump for machine in machines]
    assert dumps[0] == dumps[1]
    assert "2, 4" in dumps[0][0]
    assert difference(*machines) == ""


def test_observer_sees_every_line_as_it_was_left(machines: Pair) -> None:
    refill(machines, 25)
    program = assemble("\n".join(program_of(25, 12)))
    seen: list[list[tuple[int, int]]] = []
    for machine in machines:
        states: list[tuple[int, int]] = []

        def note(line: Line, machine: Machine = machine, states: list[tuple[int, int]] = states) -> None:
            states.append((line.line, int(machine.t.sum()) + int(machine.lm0[:128].sum())))

        with contextlib.suppress(ExecutionError):
            machine.run(program, observer=note)
        seen.append(states)
    assert seen[0] == seen[1]
    assert seen[0]


def test_until_stops_after_the_line(machines: Pair) -> None:
    refill(machines, 26)
    program = assemble("lpassa $lm0v $lr0v\nfvmul $lr0v $lr0v $nowrite\nfvadd $mauf $lm0v $lr0v")
    for machine in machines:
        machine.run(program, until=2)
    assert difference(*machines) == ""


def test_state_is_shared_not_copied() -> None:
    machine = Machine(engine="native")
    source, target = machine.lm0, machine.lm1
    source[0] = 7
    machine.run(assemble("ipassa $m0 $n5"))
    assert target is machine.lm1
    assert (target[5] == 7).all()


def test_a_program_is_encoded_once() -> None:
    program = assemble("lpassa $lm0v $lr0v\nnop")
    assert encoded(program) is encoded(program)
    assert all(piece.native for piece in encoded(program).pieces)


def test_an_array_in_another_order_is_replaced() -> None:
    machine = Machine(engine="native")
    machine.lm0 = np.asfortranarray(machine.lm0)
    machine.lm0[3] = 9
    machine.run(assemble("ipassa $m3 $r0"))
    assert (machine.grf0[0] == 9).all()
