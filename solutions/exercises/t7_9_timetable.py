"""Task 7.9: overlap (what can begin first begins, one at a time on each unit)."""

from __future__ import annotations

from collections.abc import Sequence

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
    ### BEGIN SOLUTION
    ends: dict[int, float] = {}
    free = {"steps": 0.0, "moves": 0.0}
    while len(ends) < len(work):
        left = [number for number in range(len(work)) if number not in ends]
        steps = [number for number in left if work[number].unit == "steps"]
        moves = [number for number in left if work[number].unit == "moves"]
        begins = {
            number: max([free[work[number].unit], *(ends[need] for need in work[number].needs)])
            for number in steps[:1] + moves
            if all(need in ends for need in work[number].needs)
        }
        number = min(begins, key=lambda number: (begins[number], number))
        ends[number] = begins[number] + work[number].cycles
        free[work[number].unit] = ends[number]
    return [ends[number] for number in range(len(work))]
    ### END SOLUTION
