"""Which tensor leaves local memory where there is no room for another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from haribote.answers.ownership import exercise


def next_use(uses: Sequence[int], now: int) -> float:
    """The number of the next operator after `now` that reads a tensor; inf where there is none.

    uses: the numbers of all operators that read it.
    """
    return min((use for use in uses if use > now), default=inf)


@exercise("7.2")
def leaves_first(uses: Sequence[Sequence[int]], now: int) -> int:
    """Which of these tensors leaves: the one that is needed again last, the first of equals. uses: of each tensor the
    operators that read it. now: the operator that is about to run.
    """
    raise NotImplementedError


def loads(reads: Sequence[str], room: int, leaves: Callable[[Sequence[Sequence[int]], int], int] = leaves_first) -> int:
    """How many tensors have to come from DRAM, if operator k reads reads[k] and local memory has room for `room` of
    them. leaves: which one leaves, as `leaves_first` says it.
    """
    here: list[str] = []
    count = 0
    for now, tensor in enumerate(reads):
        if tensor not in here:
            count += 1
            if len(here) == room:
                uses = [[place for place, other in enumerate(reads) if other == there] for there in here]
                del here[leaves(uses, now)]
            here.append(tensor)
    return count
