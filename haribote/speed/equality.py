"""Do two programs do the same? Tried on random memories: no proof, but a wrong schedule seldom passes."""

from __future__ import annotations

from typing import Any

import numpy as np

from haribote.chip.runtime import fastest_machine
from simulator import Machine
from simulator.isa.program import Program
from simulator.messages import tr

PES = ("lm0", "lm1", "grf0", "grf1")
REGISTERS = ("t", "mx", "my", "omr")
WORDS, LONGS = 256, 4096
"""Words of a PE's memory, and long words of a larger one, that are filled; what lies behind is zero."""
DRAM_LONGS = 1 << 17


def difference(before: Program, after: Program, seed: int = 1) -> str:
    """Which memory two programs leave different, started with the same random memories; "" where none.

    What units put out last (forwarding paths, turnaround register) does not count. Raises SimulatorError where one of
    them cannot run.
    """
    machines = [_filled(seed) for _ in range(2)]
    for machine, program in zip(machines, (before, after), strict=True):
        machine.run(program)
    first, second = machines
    for name in (*PES, *REGISTERS, "l1bm", "l2bm", "pdm"):
        if not np.array_equal(getattr(first, name), getattr(second, name)):
            return name.upper()
    for group, (one, other) in enumerate(zip(first.dram, second.dram, strict=True)):
        if not np.array_equal(one[0:DRAM_LONGS], other[0:DRAM_LONGS]):
            return tr("DRAM of group {group}", group)
    return ""


def _filled(seed: int) -> Machine:
    machine, rng = fastest_machine(), np.random.default_rng(seed)

    def singles(shape: tuple[int, ...]) -> Any:
        return rng.standard_normal(shape, np.float32).view(np.uint32)

    for name in PES:
        memory = getattr(machine, name)
        memory[:WORDS] = singles(memory[:WORDS].shape)
    for name in ("t", "mx", "my"):
        getattr(machine, name)[...] = singles(getattr(machine, name).shape)
    machine.omr[1:] = rng.integers(0, 2, machine.omr[1:].shape)
    for memory in (machine.l1bm[..., :LONGS], machine.l2bm[:, :LONGS], machine.pdm[:, :LONGS]):
        memory[...] = singles((*memory.shape[:-1], 2 * memory.shape[-1])).view(np.uint64)
    for dram in machine.dram:
        dram[0:LONGS] = singles((2 * LONGS,)).view(np.uint64)
    return machine
