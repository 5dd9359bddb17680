"""Which units and addresses a `d set` or `d get` statement names, and access to them (isa.md, section 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import starmap

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.engine.state.contents import contents, long_word_addresses
from simulator.engine.state.memories import Memories
from simulator.isa import L2BS
from simulator.isa.program import DebugSet, DebugTarget
from simulator.isa.tree import SIZES, levels_of

STEPS = {"lm0": 2, "lm1": 2, "grf0": 2, "grf1": 2}  # addresses per long word; others: 1


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit that a statement names: `n0c0b0m0p0`, and its index among all of its kind."""

    name: str
    index: int


def units(target: DebugTarget) -> Iterator[Unit]:
    """Every matching unit, in the order n, c, b, m, p; a field that is not written means all."""
    found = [("", 0)]
    for level in levels_of(target.memory):
        size, number = SIZES[level], getattr(target, level)
        numbers = range(size) if number is None else (number,)
        found = [(f"{name}{level}{n}", size * index + n) for name, index in found for n in numbers]
    return starmap(Unit, found)


def addresses(target: DebugTarget, count: int) -> list[int]:
    """The addresses of `count` long words (or mask entries) from the target's on."""
    return [target.address + STEPS.get(target.memory, 1) * i for i in range(count)]


def read(memories: Memories, target: DebugTarget, count: int) -> list[list[int]]:
    """What stands at the addresses of `d get` in every matching unit, as numbers: [unit][address].

    Long words; for `omr` the 16 flags, cycle 0 in the most significant four bits.
    """
    named = long_word_addresses(target.memory, addresses(target, count))
    chosen = [unit.index for unit in units(target)]
    found: list[list[int]] = contents(memories, target.memory, np.array(named))[:, chosen].T.tolist()
    if target.memory == "omr":
        return found
    return [[high << 32 | low for high, low in zip(row[0::2], row[1::2], strict=True)] for row in found]


def _long_words(memories: Memories, memory: str) -> NDArray[np.uint64]:
    """L1BM, L2BM or PDM as [unit, address]."""
    if memory == "l1bm":
        return memories.l1bm.reshape(L2BS * isa.L1BS, -1)
    return memories.l2bm if memory == "l2bm" else memories.pdm


def decode_set(statement: DebugSet) -> Callable[[Memories], None]:
    """A function that writes the payload to every matching unit; base addresses, T and masks do not apply [A].

    [A] A mask entry takes the last 16 bits of a long word: 4 flags per cycle, cycle 0 first, as `d get` prints them.
    """
    target, memory = statement.target, statement.target.memory
    indices = [unit.index for unit in units(target)]
    chosen = slice(indices[0], indices[-1] + 1) if indices[-1] - indices[0] + 1 == len(indices) else indices
    places = list(zip(addresses(target, len(statement.values)), statement.values, strict=True))

    def run(memories: Memories) -> None:
        for address, value in places:
            high, low = value >> 32, value & 0xFFFFFFFF
            if memory == "t":
                memories.t[address, 0, chosen], memories.t[address, 1, chosen] = high, low
            elif memory == "omr":
                flags = ((value & 0xFFFF) >> np.arange(15, -1, -1) & 1).astype(np.bool_).reshape(isa.STEP_CYCLES, 4)
                memories.omr[address, :, :, chosen] = flags if isinstance(chosen, list) else flags[..., None]
            elif memory in STEPS:
                array = getattr(memories, memory)
                array[address, chosen], array[(address + 1) % len(array), chosen] = high, low
            elif memory == "dram":
                for group in indices:
                    memories.dram[group].write(address, np.array([value], np.uint64))
            else:
                _long_words(memories, memory)[chosen, address] = value

    return run
