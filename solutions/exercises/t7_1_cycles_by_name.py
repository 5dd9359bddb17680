"""Task 7.1: a profile (steps take 4 cycles, moves their size by their rate; added up by name)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.isa import STEP_CYCLES
from simulator.isa.cost import move_rate
from simulator.isa.program import Move, Step


def cycles_by_name(lines: Sequence[Any], names: Sequence[str]) -> dict[str, float]:
    """What the lines of a program cost, by name, in cycles; the dearest name first, of equals the one that came first.

    names[k] says what line k belongs to; many lines share a name. A line is one of three things. A `Step` takes
    STEP_CYCLES cycles, and `nop/5` is one line that counts five times: `line.count` steps. A `Move` takes `line.size`
    long words at `move_rate(line)` long words per cycle. Anything else costs nothing, and a name that has nothing else
    is left out. `isinstance(line, Step)` tells them apart. Import STEP_CYCLES from simulator.isa, move_rate from
    simulator.isa.cost, Move and Step from simulator.isa.program.
    """
    ### BEGIN SOLUTION
    found: dict[str, float] = {}
    for line, name in zip(lines, names, strict=True):
        if isinstance(line, Step):
            found[name] = found.get(name, 0.0) + STEP_CYCLES * line.count
        elif isinstance(line, Move):
            found[name] = found.get(name, 0.0) + line.size / move_rate(line)
    return dict(sorted(found.items(), key=lambda entry: -entry[1]))
    ### END SOLUTION
