"""Picks that are made once more: their results find no room until they are read again, and their sources are small."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from haribote.stack.plan import Action, Pick, Plan, Version
from haribote.stack.program.work import Joined, Work

SMALLER = 4
"""How many times smaller than its result the source must be, which stays in the PEs instead."""


def picked_again(plan: Plan, work: Sequence[Work], gone: Mapping[Version, int]) -> Plan:
    """The plan with such picks also right before what reads their results next; the same object where there are none.

    gone: versions that had to go to DRAM, each with the number of the work that reads it next.
    """
    makers = {action.target: action for action in plan.actions if isinstance(action, Pick) and _is_cheap(action)}
    before: dict[int, list[Action]] = defaultdict(list)
    for version, number in gone.items():
        if version in makers:
            reader = work[number]
            before[id(reader.multiply if isinstance(reader, Joined) else reader)].append(makers[version])
    if not before:
        return plan
    return replace(plan, actions=tuple(one for action in plan.actions for one in (*before[id(action)], action)))


def _is_cheap(action: Pick) -> bool:
    """Whether a pick costs less than a way to DRAM and back."""
    return isinstance(action.index, np.ndarray) and SMALLER * action.source.map.longs <= action.target.map.longs
