"""Versions that are made once more instead of going to DRAM and back: they find no room until they are read again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from haribote.stack.plan import Action, Become, Load, Pick, Plan, Shift, Version
from haribote.stack.program.work import Joined, Work

Maker = Load | Pick | Shift
SMALLER = 4
"""How many times smaller than its result a source must be that stays in the PEs instead."""


def made_again(plan: Plan, work: Sequence[Work], gone: Mapping[Version, int]) -> Plan:
    """The plan in which such versions are made also right before what reads them next; the same object where there are
    none: inputs, which are in DRAM already; picks of small sources; moves of small residents.

    gone: versions that had to go to DRAM, each with the number of the work that reads it next.
    """
    before: dict[int, list[Action]] = defaultdict(list)
    for version, number in gone.items():
        reader = work[number]
        first = reader.multiply if isinstance(reader, Joined) else reader
        maker = next((one for one in _makers(plan, first) if one.target == version), None)
        if maker is not None and version not in _made_right_before(plan, first):  # or two would make room for ever
            before[id(first)].append(maker)
    if not before:
        return plan
    return replace(plan, actions=tuple(one for action in plan.actions for one in (*before[id(action)], action)))


def _makers(plan: Plan, reader: Work) -> list[Maker]:
    """The actions before one that give right before it what they gave in their own place, at little cost."""
    residents, found = frozenset(plan.resident), list[Maker]()
    for action in plan.actions:
        if action is reader:
            break
        if isinstance(action, Become):  # the parameter has another value from here on
            found = [one for one in found if isinstance(one, Load) or one.source != action.parameter]
        elif isinstance(action, Load | Pick | Shift) and _is_cheap(action, residents):
            found.append(action)
    return found


def _made_right_before(plan: Plan, reader: Work) -> set[Version]:
    """What the actions give between which and the reader there is nothing but others like them."""
    found = set[Version]()
    for action in plan.actions:
        if action is reader:
            break
        found = {*found, action.target} if isinstance(action, Maker) else set()
    return found


def _is_cheap(action: Maker, residents: frozenset[Version]) -> bool:
    """Whether an action costs less than a way of its result to DRAM and back."""
    if isinstance(action, Load):
        return True
    there = isinstance(action.index, np.ndarray) if isinstance(action, Pick) else _is_plain(action, residents)
    return there and SMALLER * action.source.map.longs <= action.target.map.longs


def _is_plain(action: Shift, residents: frozenset[Version]) -> bool:
    """Whether a move adds nothing up, of what is always there."""
    return action.source in residents and not action.combine and not action.axes
