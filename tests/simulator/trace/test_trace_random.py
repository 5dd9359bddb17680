"""`trace` on random programs: the writer, the inputs and the values it names against the machine itself.

For a word that a program changed: it holds what the trace says; the inputs hold what the trace says right before the
writer; and the writer makes the same word again when every memory but those inputs is filled anew.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from benchmarks.fuzz.generate import program as random_program
from benchmarks.fuzz.search import fill
from simulator import ExecutionError, Machine, assemble
from simulator.effects.places import Place, value_of
from simulator.explain.line import explain
from simulator.explain.profile import profile_of, table
from simulator.isa import ALL_L1BS, ALL_MABS
from simulator.isa.program import Program
from simulator.isa.units import PATHS
from simulator.trace.chain import Origin, trace
from tests.simulator.trace.trace_machines import put

FIXED = (*PATHS, "turn")  # `fill` leaves them as they are


def changed_words(before: Machine, after: Machine, rng: Random) -> list[Place]:
    """Words that differ, at most four of each memory."""
    words = {name: (getattr(before, name).T, getattr(after, name).T) for name in ("lm0", "lm1", "grf0", "grf1")}
    words |= {"t": (before.t.reshape(16, -1).T, after.t.reshape(16, -1).T)}
    for name in ("mx", "my"):  # [row, mab, word] to [mab, 8 * row + word]
        one, other = (getattr(m, name).transpose(1, 0, 2).reshape(ALL_MABS, -1) for m in (before, after))
        words[name] = one, other
    longs = {
        "l1bm": (before.l1bm.reshape(ALL_L1BS, -1), after.l1bm.reshape(ALL_L1BS, -1)),
        "l2bm": (before.l2bm, after.l2bm),
        "pdm": (before.pdm, after.pdm),
        "dram": tuple(np.stack([dram[0:8192] for dram in m.dram]) for m in (before, after)),
    }
    found = []
    for name, (one, other) in {**words, **longs}.items():
        places = np.argwhere(one != other)
        for unit, word in rng.sample(places.tolist(), min(4, len(places))):
            found += [Place(name, unit, word)] if name in words else [Place(name, unit, 2 * word + h) for h in (0, 1)]
    return [place for place in found if value_of(before, place) != value_of(after, place)]


def made_again(program: Program, origin: Origin, seed: int) -> int:
    """The word after its writer has run on other contents everywhere but in its inputs, masks and addresses."""
    assert origin.line is not None
    machine = Machine()
    fill(machine, seed)
    machine.run(program, until=origin.line - 1)
    for given in origin.inputs:
        assert value_of(machine, given.place) == given.value
    t, table_of_addresses = machine.t.copy(), machine.dar.copy()
    fill(machine, seed + 1000)
    machine.t[...], machine.dar[...] = t, table_of_addresses
    for given in origin.inputs:
        if given.place.memory not in FIXED:
            put(machine, given.place, given.value)
    lines = tuple(line for line in program.lines if line.line == origin.line)
    machine.run(Program(program.filename, lines))
    return value_of(machine, origin.place)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int) -> None:
    rng = Random(seed)
    program = assemble(random_program(rng, 8))
    before, after = Machine(), Machine()
    fill(before, seed)
    fill(after, seed)
    try:
        after.run(program)
    except ExecutionError:
        pytest.skip("this program stops at a turnaround register that holds something else")
    places = changed_words(before, after, rng)
    for place in rng.sample(places, min(5, len(places))):
        (origin,) = trace(program, before, place, depth=1, width=1000)
        assert origin.line is not None
        assert origin.value == value_of(after, place)
        if origin.kept is None:
            assert made_again(program, origin, seed) == origin.value


@pytest.mark.parametrize("seed", range(100, 115))
def test_random_programs_can_be_explained_and_profiled(seed: int) -> None:
    program = assemble(random_program(Random(seed), 12))
    assert len(explain(program).split("\n\n")) == len(program.lines)
    assert program.filename in table(profile_of(program))
