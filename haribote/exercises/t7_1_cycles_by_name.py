"""Task 7.1: a profile.

It is taught in notebooks/07_speed/01_where_cycles_go, section 2.
Check it with `grader check 7.1`; if you are stuck, `grader hint 7.1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from haribote.errors import NotWritten


def cycles_by_name(lines: Sequence[Any], names: Sequence[str]) -> dict[str, float]:
    """What the lines of a program cost, by name, in cycles; the dearest name first, of equals the one that came first.

    names[k] says what line k belongs to; many lines share a name. A line is one of three things. A `Step` takes
    STEP_CYCLES cycles, and `nop/5` is one line that counts five times: `line.count` steps. A `Move` takes `line.size`
    long words at `move_rate(line)` long words per cycle. Anything else costs nothing, and a name that has nothing else
    is left out. `isinstance(line, Step)` tells them apart. Import STEP_CYCLES from simulator.isa, move_rate from
    simulator.isa.cost, Move and Step from simulator.isa.program.
    """
    # TODO: about 7 lines.
    raise NotWritten("task 7.1 (a profile) is not written yet; check it with `grader check 7.1`")
