"""Task 7.2: residency.

It is taught in notebooks/07_speed/01_where_cycles_go, section 4.
Check it with `grader check 7.2`; if you are stuck, `grader hint 7.2`.
"""

from __future__ import annotations

from collections.abc import Sequence

from haribote.errors import NotWritten


def leaves_first(uses: Sequence[Sequence[int]], now: int) -> int:
    """Which tensor leaves local memory, since operator `now` needs room: its number, 0 to len(uses) - 1.

    The operators of a step are numbered in the order in which they run. uses[k] are the numbers of all operators that
    read tensor k, in any order, those that have run already included. What operator `now` itself reads does not count:
    the compiler has taken these tensors out of the list, or has copied them. The tensor whose next reader is furthest
    away leaves, and one that nobody reads any more leaves before all others. Of equals it is the first.
    """
    # TODO: about 2 lines.
    raise NotWritten("task 7.2 (residency) is not written yet; check it with `grader check 7.2`")
