"""Run one reference kernel on the simulated machine, from arrays to arrays.

    row = BY_NAME["relu"]
    run = run_kernel(row, problem(row), [x])             # the addresses of the problem set
    run = run_kernel(row, placed(row, address=32, output_memory="LM1"), [x])
    run.output, run.cost, run.findings

Before a run every memory that a kernel may not rely on is filled with POISON, so that a kernel that reads a word it did
not write shows it in its result, and so that a word written by mistake can be found (`stray_writes`).
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.kernel import Kernel, Memory, Op, Operand
from haribote.kernel_table import KernelRow, problem
from haribote.layout import LEVELS, PE_STRIDE
from simulator import Machine, assemble
from simulator.checks import check
from simulator.program import Program

POISON = np.uint32(0x7E5A5A5A)  # a large finite single, 7.3e37: it shows in any sum
POISON_LONG = np.uint64(0x7E5A5A5A7E5A5A5A)
DRAM_MARGIN = 1024  # long words before and after a tensor in DRAM that are watched for stray writes


@dataclass(frozen=True)
class KernelRun:
    """What came of a run: the output (from copy 0, or from DRAM), the kernel's text and the machine afterwards."""

    op: Op
    text: str
    program: Program
    machine: Machine
    output: NDArray[Any]

    @property
    def cost(self) -> int:
        """PE steps, nops counted, plus MV lines: the score of the problem set."""
        return self.program.steps + self.program.moves

    @cached_property
    def findings(self) -> list[Any]:
        """What `simulator.checks.check` has to say about the text."""
        return list(check(self.program))


def solution(row: KernelRow) -> Kernel:
    """The reference kernel of a row."""
    module = importlib.import_module(f"solutions.kernels.{row.module}")
    (found,) = [value for value in vars(module).values() if isinstance(value, Kernel)]
    return found


def placed(
    row: KernelRow,
    address: int = 0,
    output_address: int = 0,
    input_memory: Memory | None = None,
    output_memory: Memory | None = None,
) -> Op:
    """The operator of a row with its inputs one after another from `address` on and its output at `output_address`.

    Addresses are in words in LM and in long words in DRAM. A memory that is not given is the one of the table.
    """
    op = problem(row)
    inputs = tuple(replace(o, address=o.address + address, memory=input_memory or o.memory) for o in op.inputs)
    output = replace(op.output, address=output_address, memory=output_memory or op.output.memory)
    return Op(op.kind, inputs, output, op.attributes)


def emit(row: KernelRow, op: Op) -> str:
    """The kernel's text."""
    return "".join(f"{line}\n" for line in solution(row)(op))


def run_kernel(row: KernelRow, op: Op, arrays: Sequence[NDArray[Any]], *, only_copy_0: bool = False) -> KernelRun:
    """Put the arrays into the operands' places, run the kernel, fetch the output.

    Inputs in LM are put into every copy that the layout implies; with `only_copy_0` the other copies are POISON.
    """
    text = emit(row, op)
    program = assemble(text, filename=f"{row.name}.vsm")
    machine = poisoned_machine(op)
    for operand, array in zip(op.inputs, arrays, strict=True):
        if operand.memory == "DRAM":
            machine.write_dram(operand.address, array)
        elif only_copy_0:
            word, pe = copy_0(operand)
            local_memory(machine, operand.memory)[operand.address + word, pe] = array.view(np.uint32)
        else:
            operand.layout.scatter(array, local_memory(machine, operand.memory), operand.address)
    machine.run(program)
    return KernelRun(op, text, program, machine, fetch(machine, op.output))


def fetch(machine: Machine, operand: Operand) -> NDArray[Any]:
    """An operand's tensor, from DRAM or from copy 0 in LM."""
    dtype = np.dtype(operand.dtype)
    if operand.memory == "DRAM":
        return machine.read_dram(operand.address, operand.shape, dtype)
    return operand.layout.gather(local_memory(machine, operand.memory), operand.address, dtype)


def local_memory(machine: Machine, memory: Memory) -> NDArray[np.uint32]:
    """LM0 or LM1 as [word, pe]."""
    return machine.lm0 if memory == "LM0" else machine.lm1


def copy_0(operand: Operand) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Word offset and PE of every element in copy 0, each of the tensor's shape."""
    layout = operand.layout
    word = 2 * layout.position("") + layout.position("W")
    pe = np.zeros(layout.shape, np.int64)
    for level in LEVELS:
        pe += layout.position(level) * PE_STRIDE[level]
    return word, pe


def every_copy_equals(run: KernelRun, expected: NDArray[Any]) -> bool:
    """Whether the output in LM holds `expected`, bit for bit, in every copy that its layout implies."""
    memory = local_memory(run.machine, run.op.output.memory)
    image, address = memory.copy(), run.op.output.address
    run.op.output.layout.scatter(expected, image, address)
    return bool(np.array_equal(image, memory))


def poisoned_machine(op: Op) -> Machine:
    """A machine whose memories hold POISON; of DRAM the surroundings of the operands in DRAM."""
    machine = Machine()
    for memory in (machine.lm0, machine.lm1, machine.grf0, machine.grf1, machine.t, machine.mx, machine.my):
        memory[...] = POISON
    for block_memory in (machine.l1bm, machine.l2bm, machine.pdm):
        block_memory[...] = POISON_LONG
    for operand in (*op.inputs, op.output):
        if operand.memory == "DRAM":
            first, last = dram_window(operand)
            for group in machine.dram:
                group[first:last] = np.full(last - first, POISON_LONG)
    return machine


def dram_window(operand: Operand) -> tuple[int, int]:
    """First and last + 1 long word of the watched part of DRAM, in each group."""
    return max(0, operand.address - DRAM_MARGIN), operand.address + room(operand) + DRAM_MARGIN


def room(operand: Operand) -> int:
    """Long words per group that a tensor in DRAM owns: its size rounded up to what one MV moves at least."""
    return -(-operand.words // 64) * 64


def stray_writes(run: KernelRun, scratch: int = 0) -> list[str]:
    """Places outside the output (and `scratch` words of LM after the operands) that the run has changed."""
    operands = (*run.op.inputs, run.op.output)
    found = []
    for name in ("LM0", "LM1"):
        words = local_memory(run.machine, name)
        mine = [o for o in operands if o.memory == name]
        allowed = np.zeros(len(words), bool)
        for o in mine:
            allowed[o.address : o.address + o.words] = True
        end = max((o.address + o.words for o in mine), default=0)
        allowed[end : end + scratch] = True
        changed = ~allowed & (words != POISON).any(axis=1)
        found += [f"{name} word {word}" for word in np.flatnonzero(changed)]
    for o in operands:
        if o.memory != "DRAM":
            continue
        first, last = dram_window(o)
        for number, group in enumerate(run.machine.dram):
            changed = np.asarray(group[first:last]) != POISON_LONG
            changed[o.address - first : o.address - first + room(o)] = False
            found += [f"DRAM group {number} long word {first + at}" for at in np.flatnonzero(changed)]
    return found


def distinct(shape: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> NDArray[Any]:
    """A tensor in which every element has its own bit pattern, special values of single precision among them."""
    bits = np.random.default_rng(seed).permutation(np.arange(prod(shape), dtype=np.uint32) * np.uint32(2654435761))
    special = [0x80000000, 0x00000001, 0x7F800000, 0xFF800000, 0x7FC00001, 0x807FFFFF, 0xFFFFFFFF]
    bits[: len(special)] = special  # -0, the smallest subnormal, +-inf, NaN, a negative subnormal, -1 as int32
    return bits.reshape(shape).view(dtype)


def judge(row: KernelRow, shared: Path, tmp_path: Path) -> str:
    """The verdict of `python -m simulator judge` on the row's golden test case; skips where there is no such file."""
    golden = shared / "golden" / f"{row.testcase}.vsm"
    if not golden.is_file():
        pytest.skip(f"no golden test case {golden.name}")
    answer = tmp_path / f"{row.name}.vsm"
    answer.write_text(emit(row, golden_op(row)))
    command = [sys.executable, "-m", "simulator", "judge", str(golden), str(answer)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def golden_op(row: KernelRow) -> Op:
    """The operator at the addresses of its test case; the public UL problems read LM0."""
    return placed(row, input_memory="LM0" if row.op == "UL" else None)
