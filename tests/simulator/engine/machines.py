"""Machines for tests: filled memories, one line run, and views as the index formulas of isa.md name things."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator import Machine, assemble

GROUPS, C, B, M, P = 4, 2, 8, 16, 4


def pe_index(l2b: int, b: int, m: int, p: int) -> int:
    """The machine's PE index (design.md, section 3)."""
    return (l2b * B + b) * M * P + P * m + p


def filled(seed: int = 1) -> Machine:
    """A machine in which every address that the tests touch holds a value of its own."""
    machine = Machine()
    rng = np.random.default_rng(seed)
    for words in (machine.lm0[:64], machine.lm1[:64], machine.grf0[:64], machine.grf1[:64], machine.t):
        words[...] = rng.integers(0, 1 << 32, words.shape, np.uint32)
    for longs in (machine.l1bm[:, :, :2048], machine.l2bm[:, :8192], machine.pdm[:, :16384]):
        longs[...] = rng.integers(0, 1 << 64, longs.shape, np.uint64)
    for dram in machine.dram:
        dram[0:8192] = rng.integers(0, 1 << 64, 8192, np.uint64)
    return machine


def run(machine: Machine, *lines: str) -> Machine:
    """Run lines of assembly and give the machine back."""
    machine.run(assemble("\n".join(lines)))
    return machine


def long_word(memory: NDArray[np.uint32], address: int, pe: int) -> int:
    """The long word at a word address of a PE memory."""
    return int(memory[address, pe]) << 32 | int(memory[address + 1, pe])
