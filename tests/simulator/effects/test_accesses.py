"""What the text of a line tells about the words it touches, beside what the machine touches and changes."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from benchmarks.fuzz.generate import program as random_program
from benchmarks.fuzz.search import fill
from simulator import Machine, assemble, isa
from simulator.effects.accesses import accesses, written_by
from simulator.effects.running import touches_of
from simulator.engine.state.contents import KINDS, contents
from simulator.errors import ExecutionError
from simulator.isa.program import Line, Move, Step

HUGE = ("dram", "turn")  # the first has no end, the second no fixed size
EXAMPLES = [row.example for row in (*isa.INSTRUCTIONS.values(), *isa.MOVES.values()) if row.example]


def filled(seed: int) -> Machine:
    machine = Machine("numpy")
    fill(machine, seed)
    machine.bar0[:] = machine.bar1[:] = 0  # the text tells no base address
    return machine


def told(line: Line) -> dict[tuple[str, bool], set[int] | None]:
    """Memory and whether it is written to the addresses that the text tells; None: those that only a run tells."""
    parts = line.instructions if isinstance(line, Step) else (line,) if isinstance(line, Move) else ()
    found: dict[tuple[str, bool], set[int] | None] = defaultdict(set)
    for access in (access for part in parts for access in accesses(part)):
        key = access.memory, access.written
        words = found[key]
        if access.words is None or words is None:
            found[key] = None
        else:
            words |= {word for cycle in access.words for first, end in cycle for word in range(first, end)}
    return found


def check(line: Line, machine: Machine) -> None:
    """No word is touched that the text does not tell."""
    words = told(line)
    for touch in touches_of([line], machine):
        known = words[touch.memory, touch.write]
        touched = set(np.unique(touch.addresses[touch.addresses >= 0]).tolist())
        assert known is None or touched <= known, touch.memory


@pytest.mark.some(30)
@pytest.mark.parametrize("text", EXAMPLES)
def test_what_changes_is_what_the_text_tells(text: str) -> None:
    machine = filled(0)
    (line,) = [line for line in assemble(text).lines if isinstance(line, Step | Move)]
    words = told(line)
    watched = {memory: np.arange(min(kind.size, 192)) for memory, kind in KINDS.items() if memory not in HUGE}
    before = {memory: contents(machine, memory, addresses).copy() for memory, addresses in watched.items()}
    check(line, machine)
    machine.run(assemble(text))
    for memory, addresses in watched.items():
        changed = (contents(machine, memory, addresses) != before[memory]).any(axis=1)
        found = set((np.flatnonzero(changed) // (2 if KINDS[memory].long else 1)).tolist())
        known = words.get((memory, True), set())
        assert known is None or found <= known, memory


@pytest.mark.parametrize("seed", range(6))
def test_random_lines_touch_what_their_text_tells(seed: int) -> None:
    text = random_program(Random(seed), 30)
    program = assemble(text)
    machine = filled(seed)
    lines = [line for line in program.lines if isinstance(line, Step | Move)]
    moved = any(d.operand.__class__.__name__ == "BaseAddress" for line in lines if isinstance(line, Step)
                for i in line.instructions for d in i.destinations)  # fmt: skip
    for line in lines if not moved else ():
        check(line, machine)
        try:
            machine.run(replace(program, lines=(line,)))
        except ExecutionError:
            pytest.skip("this program stops at a turnaround register that holds something else")


@pytest.mark.parametrize("seed", range(8))
def test_a_program_writes_nothing_else(seed: int) -> None:
    """What changes in local memory is in `written_by`, and no other memory than it names."""
    program = assemble(random_program(Random(seed), 12))
    written = written_by(program)
    machine, names = Machine("numpy"), ("lm0", "lm1", "grf0", "grf1", "l1bm", "l2bm", "pdm")
    fill(machine, seed)
    before = {name: getattr(machine, name).copy() for name in names}
    with suppress(ExecutionError):
        machine.run(program)
    for name, old in before.items():
        changed = getattr(machine, name) != old
        if written is None or not changed.any():
            continue
        words = written[name]
        if name.startswith(("lm", "grf")) and words is not None:
            assert set(np.flatnonzero(changed.any(axis=1)).tolist()) <= words
