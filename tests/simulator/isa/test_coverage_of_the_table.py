"""Every row of the table of instructions is executed by a test with an oracle; counts by evidence and test."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

from benchmarks.fuzz import generate
from benchmarks.fuzz.search import fill
from simulator import Machine, SimulatorError, assemble, isa
from simulator.isa.program import Instruction, Move, Step

HERE = Path(__file__).parents[1]
EVERY = "isa/test_every_instruction.py"
L1BM, L2BM, MV = "engine/numpy/test_l1bm.py", "isa/test_broadcast.py", "isa/test_mv.py"
ALU, MAU = "engine/numpy/test_alu.py", "engine/numpy/test_mau.py"

TESTS: dict[str, str] = {
    # row: the test that runs it and compares the result with something independent of the simulator
    "nop": "engine/numpy/test_operands.py::test_paths_hold_the_whole_result_over_nops",
    "noforward": "engine/numpy/test_l1bm.py::test_noforward_leaves_the_turnaround_register_and_paths",
    "wait": "isa/test_coverage_of_the_table.py::test_wait_and_mvnop_change_nothing",
    "zero": f"{ALU}::test_constants",
    "imm": f"{ALU}::test_constants",
    "msl": f"{ALU}::test_neighbours",
    "msr": f"{ALU}::test_neighbours",
    **{name: f"{EVERY}::test_block_floats" for name in ("bfn", "bfe")},
    **{name: f"{EVERY}::test_vectors" for name in ("vfma", "vmul", "vadd", "vpassa")},
    **{name: f"{EVERY}::test_matrix_products" for name in ("mmul", "mfma")},
    "mwrite": f"{MAU}::test_rows_are_written_one_per_cycle_and_wrap",
    "mread": f"{MAU}::test_reads_are_transposed",
    "l1bmp": f"{L1BM}::test_l1bmp_gives_every_pe_the_same",
    "l1bmm": f"{L1BM}::test_l1bmm_sends_one_mab",
    "l1bmm4": f"{L1BM}::test_l1bmm4_sends_one_mab_of_each_quarter",
    "l1bmd": f"{L1BM}::test_l1bmd_from_the_pes",
    **{name: f"{EVERY}::test_reductions_of_mabs" for name in ("l1bmr", "l1bmr4")},
    "l2bmb": f"{L2BM}::test_l2bmb_and_its_sets",
    "l2bmb2": f"{L2BM}::test_l2bmb2_gives_pairs_the_same",
    "l2bmd": f"{L2BM}::test_l2bmd_deals_out",
    "l2bm": f"{L2BM}::test_l2bm_sends_one_l1b",
    **{name: f"{EVERY}::test_reductions_of_l1bms" for name in ("l2bmr", "l2bmr2")},
    "l2bmi": f"{L2BM}::test_l2bmi_copies_between_l1bs",
    **{
        name: "engine/numpy/test_dar.py::test_entries_go_to_the_table_one_per_cycle"
        for name in ("l2bmdars", "l2bmdarw")
    },
    "mvp": f"{MV}::test_mvp_copies_between_groups",
    "mvb": f"{MV}::test_mvb_from_dram_concatenates_the_groups",
    "mvb2": f"{MV}::test_mvb2_reaches_both_l2bms_of_each_group",
    "mvb4": f"{MV}::test_mvb4_interleaves_groups_and_l2bs",
    "mvd": f"{MV}::test_mvd_between_pdm_and_drams",
    **{name: f"{EVERY}::test_reductions_of_l2bms" for name in ("mvr", "mvr2", "mvr4")},
    "mvnop": "isa/test_coverage_of_the_table.py::test_wait_and_mvnop_change_nothing",
}
COUNTS = {"G": 52, "D": 17}
"""Rows by the first mark of their evidence."""
# All other rows of the ALU are looked up by their spelling in the oracle, which fails for one that it does not know.
TESTS |= {
    name: f"{EVERY}::test_alu" for name, row in isa.INSTRUCTIONS.items() if row.unit == "alu" and name not in TESTS
}


@lru_cache
def functions(file: str) -> dict[str, str]:
    """The functions of a test file: their text, decorators included."""
    text = (HERE / file).read_text(encoding="utf-8")
    lines = text.split("\n")
    found = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    starts = {node.name: min(n.lineno for n in (node, *node.decorator_list)) - 1 for node in found}
    return {node.name: "\n".join(lines[starts[node.name] : node.end_lineno]) for node in found}


def test_every_row_has_a_test_that_runs_it() -> None:
    """The test's text has the row's instruction; those of `EVERY` take theirs from the table (`SPELLED` and alike)."""
    assert set(TESTS) == {*isa.INSTRUCTIONS, *isa.MOVES}
    for name, test in TESTS.items():
        file, _, function = test.partition("::")
        text = functions(file)[function]
        assert file == EVERY or re.search(rf"[\"'; n{{][dfghlis{{}}a-z]?{name}(?![a-z])", text), (name, test)


def executed(text: str) -> set[str]:
    """The rows of the instructions in a text."""
    found: set[str] = set()
    for line in assemble(text).lines:
        if isinstance(line, Move):
            found.add(line.op)
        elif isinstance(line, Step):
            found |= {instruction.op for instruction in line.instructions if isinstance(instruction, Instruction)}
    return found


@pytest.fixture(scope="module")
def machine() -> Machine:
    machine = Machine()
    fill(machine, 1)
    return machine


@pytest.mark.some(19)
@pytest.mark.parametrize("name", [*isa.INSTRUCTIONS, *isa.MOVES])
def test_every_row_executes(name: str, machine: Machine) -> None:
    """Its example, and ten lines drawn at random."""
    row = isa.INSTRUCTIONS.get(name) or isa.MOVES[name]
    rng = random.Random(name)
    for line in (row.example, *(generate.line_with(rng, name) for _ in range(10))):
        assert name in executed(line)
        try:
            machine.run(assemble(line))
        except SimulatorError as error:
            assert "turnaround register" in str(error), line


def test_wait_and_mvnop_change_nothing() -> None:
    machine = Machine()
    machine.grf0[0] = 7
    result = machine.run(assemble("ipassa $r0 $s0\nnop; wait i01\nmvnop\nipassa $aluf $s4"))
    assert (machine.grf1[4] == 7).all() and (result.steps, result.mv) == (3, 1)


def test_counts_by_evidence() -> None:
    """What the report says; a change of the table changes it knowingly."""
    rows = [*isa.INSTRUCTIONS.values(), *isa.MOVES.values()]
    assert Counter(row.evidence[0] for row in rows) == COUNTS
