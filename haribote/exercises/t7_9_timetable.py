"""Task 7.9: overlap.

It is taught in notebooks/07_speed/04_precision_and_overlap, section 4.
Check it with `grader check 7.9`; if you are stuck, `grader hint 7.9`.
"""

from __future__ import annotations

from collections.abc import Sequence

from haribote.errors import NotWritten
from haribote.speed.overlap import Work


def timetable(work: Sequence[Work]) -> list[float]:
    """When each work ends, in cycles from the beginning.

    work[k] is done by a unit, work[k].unit, "steps" or "moves"; it takes work[k].cycles, and it may begin when all of
    work[k].needs have ended. These are numbers of other works, which may stand before or after it. Each unit does one
    work at a time, and both units work beside each other. Steps are done in the order in which they stand. Moves need
    not be: again and again, of all works that may come next (the first of the steps that are left, and all moves that
    are left) and whose needs are known to end, the one begins that can begin first. A work can begin when its unit is
    free and its needs have ended. Of equals the one that stands first begins. There is always one.
    """
    # TODO: about 15 lines.
    raise NotWritten("task 7.9 (overlap) is not written yet; check it with `grader check 7.9`")
