"""The NumPy engine executes the formula of the table, and solves it once for all addresses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator import assemble
from simulator.isa import MOVES
from simulator.isa.formulas import parse
from simulator.isa.gather import gather_of
from simulator.isa.program import Move, Program, Step
from simulator.isa.rows import MoveForm
from simulator.isa.transfers import Transfer, move_transfer, transfer_of
from tests.simulator.engine.machines import filled, run


def transfer(text: str) -> Transfer:
    (line,) = assemble(text).lines
    found = move_transfer(line) if isinstance(line, Move) else None
    if isinstance(line, Step):
        found = transfer_of(line.instructions[0])
    assert found is not None
    return found


def test_another_formula_is_another_instruction() -> None:
    (step,) = assemble("l2bm@5 $lb64 $lc64").lines
    assert isinstance(step, Step)
    (instruction,) = step.instructions
    turned = replace(instruction.form, formula="L2BM[B + 16*c + j] = L1BM[b, A + 16*c + (j + 1) % 16] | j < 16")
    machine = filled()
    source = machine.l1bm[:, 5, 64:128].reshape(8, 4, 16).copy()
    machine.run(Program("", (replace(step, instructions=(replace(instruction, form=turned),)),)))
    np.testing.assert_array_equal(machine.l2bm[:, 64:128].reshape(8, 4, 16), np.roll(source, -1, axis=2))


def test_another_formula_of_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    row = MOVES["mvb2"]
    backwards = MoveForm("L2BM[g, l, B + x] = DRAM[g, A + n - 1 - x] | x < n", "A")
    monkeypatch.setitem(MOVES, "mvb2", replace(row, forms={("d", "c"): backwards}))  # type: ignore[misc]
    machine = filled()
    run(machine, "mvb2/n64 $d4032 $lc4032")  # addresses that no other test has, as moves are remembered
    for group in range(4):
        for l2b in (2 * group, 2 * group + 1):
            np.testing.assert_array_equal(machine.l2bm[l2b, 4032:4096], machine.dram[group][4032:4096][::-1])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("l1bmm $llb0 $llr0v", "l1bmm $llb64 $llm8v"),
        ("l1bmd+3 $lr0v $lb64", "l1bmd+3 $lr8v $lb128"),
        ("l2bmd@2/1 $lc0 $lb0", "l2bmd@2/1 $lc64 $lb8"),
        ("mvd/n64 $p0@1 $d0", "mvd/n64 $p64@1 $d999"),
    ],
)
def test_addresses_make_no_other_solution(first: str, second: str) -> None:
    assert gather_of(transfer(first)) is gather_of(transfer(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("l1bmm $llb0 $llr0v", "l1bmm $lb0 $lr0v"),
        ("l1bmm@3 $lr0v $lb0", "l1bmm@4 $lr0v $lb0"),
        ("l2bmd@2/1 $lc0 $lb0", "l2bmd@2 $lc0 $lb0"),
        ("mvd/n64 $p0@1 $d0", "mvd/n64 $p0@2 $d0"),
        ("mvd/n64 $p0@1 $d0", "mvd/n128 $p0@1 $d0"),
    ],
)
def test_what_else_differs_makes_another(first: str, second: str) -> None:
    assert gather_of(transfer(first)) is not gather_of(transfer(second))


def test_the_sides_and_the_inputs_of_a_reduction() -> None:
    found = gather_of(transfer("mvrffadd/n64 $lc0 $p0@2"))
    assert (found.source.units, found.source.count) == (tuple(range(8)), 64)
    assert (found.destination.units, found.destination.count) == ((2,), 64)
    np.testing.assert_array_equal(found.index, 64 * np.arange(8)[:, None] + np.arange(64))


def test_a_formula_with_holes_is_a_mistake_in_the_table() -> None:
    holes = parse("PDM[0, B + 2*x] = PDM[1, A + x] | x < 4")
    with pytest.raises(AssertionError, match="whole stretches"):
        gather_of(Transfer(holes, {"A": 0, "B": 0}))
