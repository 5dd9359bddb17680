"""Random programs over the whole table of instructions, machines filled by seed, and their comparison."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from benchmarks.fuzz import generate
from simulator import Machine, assemble
from simulator.errors import SimulatorError
from simulator.isa import DRAM_LONGS, INSTRUCTIONS
from simulator.isa.program import Program

ARRAYS = ("lm0", "lm1", "grf0", "grf1", "t", "omr", "bar0", "bar1", "mx", "my", "l1bm", "l2bm", "pdm", "dar")


def program_of(seed: int, length: int) -> list[str]:
    """Lines of a random program."""
    return generate.program(random.Random(seed), length).split("\n")


def fill(machine: Machine, seed: int) -> None:
    """Random contents where random programs work.

    Any bits, ordinary singles, small integers, extreme exponents and mantissas, singles of few bits.
    """
    rng = np.random.default_rng(seed)

    def words(shape: tuple[int, ...]) -> Any:
        kind = rng.integers(0, 5, (*shape[:-1], 1))
        bits = rng.integers(0, 1 << 32, shape, np.uint32)
        singles = rng.standard_normal(shape).astype(np.float32).view(np.uint32)
        extreme = np.where(bits & 3 == 0, bits | 0x7F800000, np.where(bits & 1, bits | 0x007FFFFF, bits & 0x80FFFFFF))
        chosen = [bits, singles, bits & 0xFFF, extreme]
        return np.select([kind == number for number in range(4)], chosen, singles & 0xFFFFE000)

    for name in ("lm0", "lm1", "grf0", "grf1"):
        memory = getattr(machine, name)
        memory[:128] = words((128, memory.shape[1]))
        memory[-16:] = words((16, memory.shape[1]))
    machine.t[...] = words(machine.t.shape)
    machine.mx[...], machine.my[...] = words(machine.mx.shape), words(machine.my.shape)
    machine.omr[1:16] = rng.integers(0, 2, machine.omr[1:16].shape)
    for bar in (machine.bar0, machine.bar1):
        bar[...] = rng.integers(0, 64, bar.shape) * 4 if seed % 3 == 0 else 0
    for longs in (machine.l1bm[..., :1024], machine.l1bm[..., -1024:], machine.l2bm[:, :4096], machine.l2bm[:, -512:]):
        longs[...] = words((*longs.shape[:-1], 2 * longs.shape[-1])).view(np.uint64)
    for longs in (machine.pdm[:, :8192], machine.pdm[:, -512:]):
        longs[...] = words((longs.shape[0], 2 * longs.shape[1])).view(np.uint64)
    for dram in machine.dram:
        dram[0:4096] = words((8, 1024)).reshape(-1).view(np.uint64)
        dram[32000:33792] = words((7, 512)).reshape(-1).view(np.uint64)
        dram[DRAM_LONGS - 512 : DRAM_LONGS] = words((2, 512)).reshape(-1).view(np.uint64)
    machine.dar[...] = rng.integers(0, 200, machine.dar.shape)


def state(machine: Machine) -> dict[str, Any]:
    """Everything a machine remembers, in shapes that do not depend on the engine."""
    everything: dict[str, Any] = {name: getattr(machine, name) for name in ARRAYS}
    for name, value in machine.paths.items():
        everything[name] = np.zeros((4, 4, machine.lm0.shape[1]), np.uint32)
        everything[name][:, : value.shape[1]] = value
    for group, dram in enumerate(machine.dram):
        everything[f"dram of group {group}"] = dram[0:131072]
        everything[f"end of the dram of group {group}"] = dram[DRAM_LONGS - 4096 : DRAM_LONGS]
    everything["dar_fetched"], everything["dar_next"] = machine.dar_fetched, np.array(machine.dar_next)
    if machine.turnaround is not None:
        everything[f"turnaround register with {machine.turnaround[0]}"] = machine.turnaround[1]
    return everything


def difference(first: Machine, second: Machine) -> str:
    """The first place where two machines differ, or ""."""
    a, b = state(first), state(second)
    if a.keys() != b.keys():
        return f"one has {sorted(a.keys() ^ b.keys())}"
    for name, value in a.items():
        if not np.array_equal(value, b[name]):
            places = np.argwhere(value != b[name])
            where = tuple(int(i) for i in places[0])
            return f"{name}{list(where)}: {value[where]:#x} and {b[name][where]:#x}; {len(places)} places differ"
    return ""


def check(lines: list[str], first: Machine, second: Machine) -> None:
    """Run lines on two machines that are alike; they must say the same and be alike again."""
    program: Program = assemble("\n".join(lines))
    outcomes: list[object] = []
    for machine in (first, second):
        try:
            outcomes.append(machine.run(program).dump)
        except SimulatorError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1], "\n".join(lines)
    found = difference(first, second)
    assert not found, "\n".join([found, *lines])


def all_opcodes() -> list[tuple[str, str]]:
    """Every spelling of every instruction and its row, control instructions left out."""
    spellings = {**generate.SPELLINGS, **generate.MOVE_SPELLINGS}
    control = {name for name, row in INSTRUCTIONS.items() if row.unit in ("nop", "noforward", "wait")}
    return [(name, text) for name in sorted(spellings) if name not in control for text in sorted(spellings[name])]
