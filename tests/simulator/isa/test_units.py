"""The table of units, and what an instruction knows about itself: its form, direction and forwarding path."""

from __future__ import annotations

import re

import pytest

from simulator import isa
from simulator.assembly.assembler import assemble
from simulator.engine.machine import Machine
from simulator.engine.native.records import CODES, SOURCES
from simulator.explain.profile import profile_of
from simulator.isa.program import Instruction, Step
from simulator.isa.units import PATHS, UNITS

EXAMPLES = {row.name: row.example for row in isa.INSTRUCTIONS.values()}
BOTH_WAYS = (
    "l1bmm $lb0 $lm0v",
    "l1bmm@1 $lm0v $lb0",
    "l1bmm4 $lb0 $lm0v",
    "l1bmm4@1 $lm0v $lb0",
    "l1bmd $lb0 $lm0v",
    "l1bmd $lm0v $lb0",
    "l1bmm $lbi $lm0v",
    "l1bmm@1 $lm0v $lbi",
    "l2bmd $lc0 $lb0",
    "l2bmd $lb0 $lc0",
)


def _instruction(line: str) -> Instruction:
    (step,) = assemble(line).lines
    assert isinstance(step, Step)
    return step.instructions[-1]


def test_every_unit_of_the_table_of_instructions_is_described() -> None:
    assert {row.unit for row in isa.INSTRUCTIONS.values()} == UNITS.keys()
    assert {unit.path for unit in UNITS.values()} - {""} == set(PATHS) == CODES["Path"].keys()


@pytest.mark.parametrize("line", [*EXAMPLES.values(), *BOTH_WAYS])
def test_the_path_is_the_one_that_a_run_fills(line: str) -> None:
    machine = Machine()
    if "bi $" in line:
        machine.run(assemble("l1bmm@1 $lm0v $lb0"))
    before = dict(machine.paths)
    machine.run(assemble(line))
    changed = [name for name in PATHS if machine.paths[name] is not before[name]]
    assert changed == [_instruction(line).path] * bool(changed) and bool(changed) == bool(_instruction(line).path)


@pytest.mark.parametrize("line", BOTH_WAYS)
def test_the_form_says_which_way_the_words_go(line: str) -> None:
    form = _instruction(line).form
    assert form in isa.INSTRUCTIONS[_instruction(line).op].forms
    assert form.to_pes == (line.startswith("l1bm") and line.split()[2].startswith("$lm"))
    assert form.from_pes == (line.startswith("l1bm") and line.split()[1].startswith("$lm"))


def test_writing_the_dram_table_keeps_the_l2bm_busy() -> None:
    for line in ("l2bmdarw", "l2bmdars $lc0 $dar0"):
        assert [busy.lane for busy in profile_of(assemble(line)).busy] == ["L2BM"]


def test_sizes_in_c_are_those_of_the_machine() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(SOURCES.glob("*.hpp")))
    sizes = {name: int(value) for name, value in re.findall(r"\b([A-Z][A-Z0-9_]+) = (\d+)[,;]", text)}
    known = {name: getattr(isa, name) for name in sizes if hasattr(isa, name)}
    assert {"L1BM_LONGS", "L2BM_LONGS", "PDM_LONGS", "TURNAROUND_LONGS", "GROUPS", "L1BS", "MABS"} <= known.keys()
    assert known == {name: sizes[name] for name in known}


def test_the_turnaround_register_holds_the_largest_block() -> None:
    sent = [(form, row) for row in isa.INSTRUCTIONS.values() for form in row.forms if form.from_pes]
    blocks = [form.traffic(1 if row.shifts else 2)[1] for form, row in sent]
    assert max(blocks) == isa.TURNAROUND_LONGS
