"""A kernel's result for random values at the problem set's addresses: what `on_chip` asks where nobody has checked."""

from __future__ import annotations

import numpy as np

from haribote.kernel_table import KernelRow, problem
from haribote.problems.judge_case import values
from haribote.problems.meaning import meaning, wrong_elements
from simulator import Machine
from simulator.isa.program import Program


def wrong_result(row: KernelRow, program: Program) -> str:
    """The first element that is wrong: `out[0, 3] is -1.2, should be 0`; "" where none is.

    It looks at one case and at copy 0 only: `check` looks at many. Raises ExecutionError.
    """
    op, machine = problem(row), Machine()
    arrays = values(row, op, np.random.default_rng(0))
    for operand, array in zip(op.inputs, arrays, strict=True):
        if operand.memory == "DRAM":
            machine.write_dram(operand.address, array)
        else:
            operand.layout.scatter(array, _lm(machine, operand.memory), operand.address)
    machine.run(program)
    output = op.output
    if output.memory == "DRAM":
        received = machine.read_dram(output.address, output.shape, output.dtype)
    else:
        received = output.layout.gather(_lm(machine, output.memory), output.address, np.dtype(output.dtype))
    constant = float(op.attributes.get("constant", 1.0))
    wrong, (wanted, _) = wrong_elements(row, arrays, received, constant), meaning(row, arrays, constant)
    if not wrong.any():
        return ""
    index = tuple(int(number) for number in np.argwhere(wrong)[0])
    where = ", ".join(map(str, index))
    return f"out[{where}] is {float(received[index]):.6g}, should be {float(wanted[index]):.6g}"


def _lm(machine: Machine, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
    return machine.lm0 if name == "LM0" else machine.lm1
