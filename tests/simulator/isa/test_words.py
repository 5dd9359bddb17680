"""Which words an operand names, compared with the words that a machine changes."""

from __future__ import annotations

import numpy as np
import pytest

from simulator import Machine, assemble, isa
from simulator.explain.line import explain
from simulator.isa.program import L1bm, L2bm, PeMemory, Step
from simulator.isa.words import block_spans, pe_spans, words_of


def _run(line: str, cleared: str) -> tuple[Step, Machine]:
    """A step, run on a machine full of ones but for one memory."""
    machine = Machine()
    for name in ("lm0", "grf1", "l1bm", "l2bm"):
        getattr(machine, name)[...] = 0 if name == cleared else ~getattr(machine, name)
    program = assemble(line)
    machine.run(program)
    (step,) = program.lines
    assert isinstance(step, Step)
    return step, machine


@pytest.mark.parametrize(
    "operand",
    ["$r511", "$lr510v", "$llr508v", "$lr510j3", "$r511j1", "$llr508vj0", "$lr[510,0,4,508]", "$lr0v1", "$n4095v",
     "$lln4092j2", "$ln4090v6", "$ln4094vj3"],
)  # fmt: skip
def test_words_of_pe_memories(operand: str) -> None:
    step, machine = _run(f"lpassa $llm0 {operand}", cleared="")
    named = step.instructions[0].destinations[0].operand
    assert isinstance(named, PeMemory)
    memory = getattr(machine, named.bank)
    for pe in range(isa.PES_PER_MAB):
        words = {word for cycle in range(4) for word in words_of(named, cycle, pe)}
        assert set(np.flatnonzero(memory[:, pe]).tolist()) == words
    touched = {word for cycle in pe_spans(named) for first, last in cycle for word in range(first, last)}
    assert touched == set(np.flatnonzero(memory.any(axis=1)).tolist())


@pytest.mark.parametrize(
    "line",
    ["l1bmd $ls0v $lb8128", "l1bmd+3 $ls0v $lb0", "l1bmm@1 $lls0v $llb8184", "l1bmm4@2 $ls0v $lb8176",
     "l1bmr4lband $ls0v $lb8160", "l1bmrlor $ls0v $lb8188", "l2bmb@1/6 $lc0 $lb8176", "l2bmd $lc0 $lb8184",
     "l2bmb2 $lc0 $lb8144", "l2bm@3 $lb0 $lc32752", "l2bmd $lb0 $lc32704", "l2bmr2lor $lb0 $lc32704"],
)  # fmt: skip
def test_long_words_of_blocks_wrap(line: str) -> None:
    cleared = "l2bm" if "$lc" in line.split()[-1] else "l1bm"
    step, machine = _run(line, cleared)
    instruction = step.instructions[0]
    operand = instruction.destinations[0].operand
    assert isinstance(operand, L1bm | L2bm)
    spans = block_spans(instruction.form, operand, written=True)
    touched = {address for cycle in spans for first, last in cycle for address in range(first, last)}
    memory = getattr(machine, cleared)
    assert touched == set(np.flatnonzero(memory.reshape(-1, memory.shape[-1]).any(axis=0)).tolist())
    assert 0 in touched


def test_explain_wraps_addresses() -> None:
    text = explain(assemble("l1bmd $lm0v $lb8128"))
    assert "L1BM[0-63]" in text and "L1BM[8192" not in text
    assert "PDM[0-63, 524224-524287]" in explain(assemble("mvp/n128 $p524224@0 $d0@0"))
