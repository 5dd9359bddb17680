"""Machines for the tests of `trace`: filled with numbers, and a word put where a `Place` says."""

from __future__ import annotations

from functools import cache
from itertools import count

import numpy as np

from simulator import Machine
from simulator.effects.places import PE_BANKS, Place
from simulator.isa.units import PATHS

PLAIN = ("lm0", "lm1", "grf0", "grf1", "mx", "my")


def randomise(machine: Machine, seed: int) -> None:
    """Fill what the programs may touch with numbers of moderate size in single and half precision."""
    numbers = count()

    def words(shape: tuple[int, ...]) -> np.ndarray:
        return _words(seed, next(numbers), shape)

    for name in PLAIN:
        array = getattr(machine, name)
        array[:32] = words(array[:32].shape)
    machine.t[...] = words(machine.t.shape)
    for name in PATHS:
        machine.paths[name] = words((4, 4, 4096))
    for array in (machine.l1bm[:, :, :512], machine.l2bm[:, :512], machine.pdm[:, :512]):
        array[...] = words((*array.shape, 2)).view(np.uint64)[..., 0]
    for dram in machine.dram:
        dram[0:512] = words((512, 2)).view(np.uint64)[..., 0]


@cache
def _words(seed: int, number: int, shape: tuple[int, ...]) -> np.ndarray:
    words = np.random.default_rng((seed, number)).integers(0, 1 << 32, shape, np.uint32)
    return (words & 0xBFFFFFFF) | 0x30003000


def put(machine: Machine, place: Place, value: int) -> None:
    """Give a place a value."""
    memory, unit, word = place
    if memory in PE_BANKS:
        getattr(machine, memory)[word, unit] = value
    elif memory == "t":
        machine.t[word // 4, word % 4, unit] = value
    elif memory == "omr":
        machine.omr[word // 4, word % 4, :, unit] = [value >> 3 - flag & 1 for flag in range(4)]
    elif memory in PATHS:
        machine.paths[memory][word // 4, word % 4, unit] = value
    elif memory in ("mx", "my"):
        getattr(machine, memory)[word // 8, unit, word % 8] = value
    else:
        dram = machine.dram[unit][word // 2 : word // 2 + 1] if memory == "dram" else None
        longs = {"l1bm": machine.l1bm.reshape(64, -1), "l2bm": machine.l2bm, "pdm": machine.pdm}
        array = dram[None] if dram is not None else longs[memory]
        at = (0, 0) if dram is not None else (unit, word // 2)
        old = int(array[at])
        array[at] = (old & ~0xFFFFFFFF | value) if word % 2 else (old & 0xFFFFFFFF | value << 32)
        if dram is not None:
            machine.dram[unit][word // 2 : word // 2 + 1] = array[0]
