"""Run a kernel's text on the machine: operands in their places, POISON everywhere else.

A word that a kernel reads without having written it shows in its result, and so does an element that it never writes.
Running twice with different POISON tells which elements depend on such words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.kernel_cases import Case
from grader.poisoned import OTHER_POISON, POISON, poisoned_machine
from haribote.kernel import Op, Operand
from haribote.layout import LEVELS, PE_STRIDE
from simulator import Machine
from simulator.program import Program

Array = NDArray[Any]

__all__ = ["OTHER_POISON", "POISON", "Run", "run_case"]

DRAM_MARGIN = 1024


@dataclass(frozen=True, eq=False)
class Run:
    """What a run left: the output tensor (of copy 0, or in DRAM), wrong copies, words that it should not have written.

    copies: whether every copy of the output equals copy 0 where the contract asks for it. stray: as text, at most one.
    """

    output: Array
    copies: bool
    stray: str


def run_case(case: Case, program: Program, poison: int = POISON) -> Run:
    """Run a program on a case."""
    with poisoned_machine(poison) as machine:
        _place(machine, case, poison)
        ends = {name: _end(case.op, name) for name in ("LM0", "LM1")}
        before = {name: _memory(machine, name)[:end].copy() for name, end in ends.items()}
        machine.run(program)
        output = _fetch(machine, case.op.output)
        return Run(output, _copies_agree(machine, case, output), _stray(machine, case.op, before, poison))


def _place(machine: Machine, case: Case, poison: int) -> None:
    """Write the operands to where the case has them."""
    long_poison = np.uint64(poison << 32 | poison)
    for operand in (*case.op.inputs, case.op.output):
        if operand.memory == "DRAM":
            first, last = _window(operand)
            for group in machine.dram:
                group[first:last] = np.full(last - first, long_poison)
    for operand, array in zip(case.op.inputs, case.arrays, strict=True):
        if operand.memory == "DRAM":
            machine.write_dram(operand.address, array)
        elif case.only_copy_0:
            word, pe = _copy_0(operand)
            _memory(machine, operand.memory)[operand.address + word, pe] = array.view(np.uint32)
        else:
            operand.layout.scatter(array, _memory(machine, operand.memory), operand.address)


def _memory(machine: Machine, name: str) -> NDArray[np.uint32]:
    return machine.lm0 if name == "LM0" else machine.lm1


def _end(op: Op, memory: str) -> int:
    """The first word of a local memory behind all operands; from there on scratch is allowed."""
    return max((o.address + o.words for o in (*op.inputs, op.output) if o.memory == memory), default=0)


def _fetch(machine: Machine, operand: Operand) -> Array:
    if operand.memory == "DRAM":
        return machine.read_dram(operand.address, operand.shape, operand.dtype)
    return operand.layout.gather(_memory(machine, operand.memory), operand.address, np.dtype(operand.dtype)).copy()


def _copy_0(operand: Operand) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    layout = operand.layout
    pe = sum((layout.position(level) * PE_STRIDE[level] for level in LEVELS), np.zeros(layout.shape, np.int64))
    return 2 * layout.position("") + layout.position("W"), pe


def _copies_agree(machine: Machine, case: Case, output: Array) -> bool:
    """DL owes every copy of the layout, the others copy 0 alone (design.md, section 5)."""
    if case.row.op != "DL":
        return True
    operand = case.op.output
    memory = _memory(machine, operand.memory)[operand.address : operand.address + operand.words]
    image = memory.copy()
    operand.layout.scatter(output, image, 0)
    return bool(np.array_equal(image, memory))


def _stray(machine: Machine, op: Op, before: dict[str, NDArray[np.uint32]], poison: int) -> str:
    """The first word outside output and scratch that has changed, or ""."""
    for name, old in before.items():
        changed = (_memory(machine, name)[: len(old)] != old).any(axis=1)
        if op.output.memory == name:
            changed[op.output.address : op.output.address + op.output.words] = False
        if changed.any():
            return f"{name} word {int(np.flatnonzero(changed)[0])}"
    if op.output.memory != "DRAM":
        return ""
    first, last = _window(op.output)
    room = -(-op.output.words // 64) * 64
    for number, group in enumerate(machine.dram):
        words = np.asarray(group[first:last]) != np.uint64(poison << 32 | poison)
        words[op.output.address - first : op.output.address - first + room] = False
        if words.any():
            return f"DRAM group {number} long word {first + int(np.flatnonzero(words)[0])}"
    return ""


def _window(operand: Operand) -> tuple[int, int]:
    """First and last + 1 long word of the watched part of DRAM."""
    return max(0, operand.address - DRAM_MARGIN), operand.address + operand.words + DRAM_MARGIN
