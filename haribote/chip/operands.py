"""The values of a kernel's operands in the memories of a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from haribote.kernel import Operand

if TYPE_CHECKING:
    from simulator import Machine


def local_memory(machine: Machine, name: str) -> NDArray[np.uint32]:
    """LM0 or LM1 by its name, [word, PE]."""
    return machine.lm0 if name == "LM0" else machine.lm1


def write_operand(machine: Machine, operand: Operand, value: NDArray[Any], everywhere: bool = True) -> None:
    """Put a value where an operand lies; in LM in every copy, or where not `everywhere` in copy 0 alone."""
    if operand.memory == "DRAM":
        machine.write_dram(operand.address, value)
    else:
        operand.layout.scatter(value, local_memory(machine, operand.memory), operand.address, everywhere)


def read_operand(machine: Machine, operand: Operand) -> NDArray[Any]:
    """The value of an operand, of its shape and dtype; in LM that of copy 0."""
    if operand.memory == "DRAM":
        return machine.read_dram(operand.address, operand.shape, operand.dtype)
    memory, dtype = local_memory(machine, operand.memory), np.dtype(operand.dtype)
    return operand.layout.gather(memory, operand.address, dtype).reshape(operand.shape)
