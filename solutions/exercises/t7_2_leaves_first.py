"""Task 7.2: residency (where there is no room, the tensor leaves that is needed again last)."""

from __future__ import annotations

from collections.abc import Sequence


def leaves_first(uses: Sequence[Sequence[int]], now: int) -> int:
    """Which tensor leaves local memory, since operator `now` needs room: its number, 0 to len(uses) - 1.

    The operators of a step are numbered in the order in which they run. uses[k] are the numbers of all operators that
    read tensor k, in any order, those that have run already included. What operator `now` itself reads does not count:
    the compiler has taken these tensors out of the list, or has copied them. The tensor whose next reader is furthest
    away leaves, and one that nobody reads any more leaves before all others. Of equals it is the first.
    """
    ### BEGIN SOLUTION
    waits = [min((use for use in found if use > now), default=float("inf")) for found in uses]
    return max(range(len(uses)), key=lambda number: waits[number])
    ### END SOLUTION
