"""Do two programs do the same? Tried on random memories: no proof, but a wrong schedule seldom passes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from haribote.chip.runtime import fastest_machine
from simulator import Machine
from simulator.effects.accesses import words_in, written_by
from simulator.isa.program import Program
from simulator.messages import tr

LM = ("lm0", "lm1")
PES = (*LM, "grf0", "grf1")
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
        some = _changed(name, (before, after))
        if not np.array_equal(getattr(first, name)[some], getattr(second, name)[some]):
            return name.upper()
    for group, (one, other) in enumerate(zip(first.dram, second.dram, strict=True)):
        if not np.array_equal(one[0:DRAM_LONGS], other[0:DRAM_LONGS]):
            return tr("DRAM of group {group}", group)
    return ""


def _changed(name: str, programs: tuple[Program, ...]) -> slice | list[int]:
    """The rows of LM that a program may change, the rest of which takes no memory until it is read; else everything."""
    found: set[int] = set()
    for program in programs:
        words = words_in(written_by(program), name)
        if words is None or name not in LM:
            return slice(None)
        found |= words
    return sorted(found)


def _filled(seed: int) -> Machine:
    machine = fastest_machine()
    values = iter(_random_memories(seed))
    for memory in _memories(machine):
        memory[...] = next(values)
    for dram in machine.dram:
        dram[0:LONGS] = next(values)
    return machine


def _memories(machine: Machine) -> list[Any]:
    """What is filled beside the DRAM, as arrays that are written through."""
    pes = [getattr(machine, name)[:WORDS] for name in PES]
    registers = [machine.t, machine.mx, machine.my, machine.omr[1:]]
    return [*pes, *registers, machine.l1bm[..., :LONGS], machine.l2bm[:, :LONGS], machine.pdm[:, :LONGS]]


@lru_cache(maxsize=1)
def _random_memories(seed: int) -> list[Any]:
    """The contents of each, the DRAM of each group last; singles, but for masks. Made once, as it takes 40 ms."""
    machine, rng = fastest_machine(), np.random.default_rng(seed)

    def content(shape: tuple[int, ...], dtype: Any) -> Any:
        if dtype not in (np.uint32, np.uint64):
            return rng.integers(0, 2, shape).astype(dtype)
        words = dtype.itemsize // 4
        return rng.standard_normal((*shape[:-1], words * shape[-1]), np.float32).view(dtype)

    drams = [content((LONGS,), np.dtype(np.uint64)) for _ in machine.dram]
    return [*(content(memory.shape, memory.dtype) for memory in _memories(machine)), *drams]
