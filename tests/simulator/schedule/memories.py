"""The memories that a program leaves, to compare its schedules by."""

from __future__ import annotations

import numpy as np

from simulator import Machine
from simulator.errors import SimulatorError
from simulator.isa.program import Program
from tests.simulator.engine.native_programs import fill, state

LATCHES = ("aluf", "mauf", "lbf", "mreadf", "turnaround")  # what units put out last, which is no result


def memories(program: Program, seed: int, engine: str) -> tuple[list[str], dict[str, np.ndarray]] | str:
    """What a program prints and leaves of random memories, or why it cannot run."""
    machine = Machine(engine)
    fill(machine, seed)
    try:
        entries = machine.run(program).entries
    except SimulatorError as error:
        return str(error).split(": ", 1)[1]
    printed = [str(entry) for entry in entries]
    return printed, {name: value for name, value in state(machine).items() if not name.startswith(LATCHES)}


def assert_equal(before: Program, after: Program, seed: int = 1, engine: str = "numpy") -> None:
    """Both programs do the same to the same memories."""
    expected, found = (memories(program, seed, engine) for program in (before, after))
    if isinstance(expected, str) or isinstance(found, str):
        assert isinstance(expected, str) == isinstance(found, str)
        return
    assert found[0] == expected[0]
    for name, value in expected[1].items():
        np.testing.assert_array_equal(found[1][name], value, err_msg=name)
