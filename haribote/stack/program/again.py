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
        maker = _maker(plan, version, first)
        if maker is not None:
            before[id(first)].append(maker)
    if not before:
        return plan
    return replace(plan, actions=tuple(one for action in plan.actions for one in (*before[id(action)], action)))


def _maker(plan: Plan, version: Version, reader: Work) -> Maker | None:
    """The action that gives a version right before one that reads it as it did in its own place, at little cost. None
    for none; and where it is made there already, or two versions could make room for each other for ever.
    """
    residents, found, there = frozenset(plan.resident), list[Maker](), False
    for action in plan.actions:
        if action is reader:
            break
        if isinstance(action, Become):  # the parameter has another value from here on
            found = [one for one in found if isinstance(one, Load) or one.source != action.parameter]
        if not isinstance(action, Maker):
            there = False
        elif action.target == version:
            there = True
            found += [action] * _is_cheap(action, residents)
    return found[0] if found and not there else None


def _is_cheap(action: Maker, residents: frozenset[Version]) -> bool:
    """Whether an action costs less than a way of its result to DRAM and back."""
    if isinstance(action, Load):
        return True
    if isinstance(action, Pick):
        there = isinstance(action.index, np.ndarray)
    else:
        there = action.source in residents and not action.combine and not action.axes
    return there and SMALLER * action.source.map.longs <= action.target.map.longs
