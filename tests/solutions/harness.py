"""Run one reference kernel on the simulated machine, from arrays to arrays.

    row = BY_NAME["relu"]
    run = run_kernel(row, problem(row), [x])             # the addresses of the problem set
    run = run_kernel(row, placed(row, address=32, output_memory="LM1"), [x])
    run.output, run.cost, run.findings

The rig is the grader's own (`grader.rigs.kernel_run`), with junk in every memory that a kernel may not rely on.
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

from grader.rigs.kernel_cases import Case
from grader.rigs.kernel_run import KernelOutcome, run_case
from haribote.kernel import Kernel, Memory, Op
from haribote.kernel_table import KernelRow, problem
from simulator import assemble
from simulator.assembly.checks import check
from simulator.isa.program import Program


@dataclass(frozen=True)
class KernelRun:
    """What came of a run: the output (from copy 0, or from DRAM), the kernel's text and what else changed."""

    op: Op
    text: str
    program: Program
    left: KernelOutcome
    output: NDArray[Any]

    @property
    def cost(self) -> int:
        """PE steps, nops counted, plus MV lines: the score of the problem set."""
        return self.program.steps + self.program.moves

    @cached_property
    def findings(self) -> list[Any]:
        """What `simulator.assembly.checks.check` has to say about the text."""
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
    """Put the arrays into the operands' places, run the kernel with junk everywhere else, fetch the output.

    Inputs in LM are put into every copy that the layout implies; with `only_copy_0` the other copies are junk.
    """
    text = emit(row, op)
    program = assemble(text, filename=f"{row.name}.vsm")
    scratch = tuple((operand.memory, operand.address, operand.shape[0]) for operand in op.taken)
    case = Case(row.name, row, op, tuple(arrays), only_copy_0=only_copy_0)
    left = run_case(case, program, scratch=scratch)
    return KernelRun(op, text, program, left, left.output)


def every_copy_equals(run: KernelRun, expected: NDArray[Any]) -> bool:
    """Whether the output in LM holds `expected`, bit for bit, in every copy that its layout implies."""
    return not run.left.others and np.array_equal(bits_of(run.output), bits_of(expected))


def bits_of(array: NDArray[Any]) -> NDArray[np.uint32]:
    """The elements as words."""
    return np.ascontiguousarray(array).view(np.uint32)


def stray_writes(run: KernelRun) -> list[str]:
    """A place that has changed, but belongs to no output and to no scratch that the kernel got or was promised."""
    return [run.left.stray] if run.left.stray else []


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
