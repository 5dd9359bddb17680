"""The memories that a program leaves, to compare its schedules by."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import numpy as np

from simulator import Machine
from simulator.errors import SimulatorError
from simulator.isa import DRAM_LONGS
from simulator.isa.program import Program
from tests.simulator.engine.native_programs import ARRAYS, fill, state

LATCHES = ("aluf", "mauf", "lbf", "mreadf", "turnaround")  # what units put out last, which is no result


@lru_cache(maxsize=1)
def _filled(seed: int) -> Machine:
    machine = Machine("native")
    fill(machine, seed)
    return machine


def _fill(machine: Machine, seed: int) -> None:
    """What `fill` fills in, made once; only the parts of large memories that it fills are written."""
    source = _filled(seed)
    for name in ARRAYS:
        target, values = getattr(machine, name), getattr(source, name)
        if name in ("lm0", "lm1"):
            target[:128], target[-16:] = values[:128], values[-16:]
        elif name == "pdm":
            target[:, :8192], target[:, -512:] = values[:, :8192], values[:, -512:]
        else:
            target[...] = values
    for dram, there in zip(machine.dram, source.dram, strict=True):
        for first, last in ((0, 1 << 17), (DRAM_LONGS - 512, DRAM_LONGS)):
            dram[first:last] = there[first:last]


def memories(program: Program, seed: int, engine: str) -> tuple[list[str], dict[str, np.ndarray]] | str:
    """What a program prints and leaves of random memories, or why it cannot run."""
    machine = Machine(engine)
    _fill(machine, seed)
    try:
        entries = machine.run(program).entries
    except SimulatorError as error:
        return str(error).split(": ", 1)[1]
    printed = [str(entry) for entry in entries]
    return printed, {name: value for name, value in state(machine).items() if not name.startswith(LATCHES)}


def assert_equal(
    before: Program, after: Program, seed: int = 1, engine: str = "numpy", apart_from: Collection[str] = ()
) -> None:
    """Both programs do the same to the same memories."""
    expected, found = (memories(program, seed, engine) for program in (before, after))
    if isinstance(expected, str) or isinstance(found, str):
        assert isinstance(expected, str) == isinstance(found, str)
        return
    assert found[0] == expected[0]
    for name, value in expected[1].items():
        if name not in apart_from and not np.array_equal(found[1][name], value):
            np.testing.assert_array_equal(found[1][name], value, err_msg=name)
