"""Running picks on a machine full of junk, and looking at every copy of what they write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.moved import places_of
from haribote.stack import uploads
from haribote.stack.code import Code
from haribote.stack.places import BANKS, Place
from simulator import Machine, Program, assemble
from simulator.assembly.checks import check, fix_nops

LONGS = 1 << 13
"""Long words of the memories above the PEs that are junk at first."""


def taken(code: Code, bank: str, found: Any, words: int | None = None) -> Place:
    """A place for a map in a bank."""
    return Place(bank, code.take(words or 2 * found.longs, (bank,)).address, found)


def program(lines: Sequence[str]) -> Program:
    """The lines with the waits that they need."""
    found = assemble(fix_nops(assemble("\n".join(lines) + "\n")))
    assert [problem for problem in check(found) if problem.severity == "error"] == []
    return found


def run(code: Code, values: Mapping[Place, NDArray[Any]], seed: int = 0) -> Machine:
    """A machine after setup and step, with these tensors (of 32-bit elements) in it when the step begins."""
    random = np.random.default_rng(seed)
    machine = Machine("native")
    for bank in BANKS:
        memory = getattr(machine, bank.lower())
        memory[...] = random.integers(1, 1 << 32, memory.shape[1:], np.uint32)
        memory += np.arange(len(memory), dtype=np.uint32)[:, None]
    for name in ("l1bm", "l2bm", "pdm"):
        memory = getattr(machine, name)
        memory[..., :LONGS] = random.integers(1, 1 << 63, memory[..., :LONGS].shape, np.uint64)
    for upload in code.uploads:
        uploads.write(machine, upload)
    if code.setup:
        machine.run(program(code.setup))
    for place, array in values.items():
        unit, word = places_of(place.map)
        getattr(machine, place.memory.lower())[place.address + word, unit] = array.ravel().view(np.uint32)
    machine.run(program(code.lines))
    return machine


def wrong(machine: Machine, place: Place, expected: NDArray[Any]) -> str:
    """What is wrong with a tensor in a bank: "" for nothing."""
    unit, word = places_of(place.map)
    found = getattr(machine, place.memory.lower())[place.address + word, unit]
    differs = found != expected.ravel().view(np.uint32)
    if not differs.any():
        return ""
    copy, element = np.argwhere(differs)[0]
    return f"{differs.sum()} of {found.size} words, first copy {copy} of element {element}"
