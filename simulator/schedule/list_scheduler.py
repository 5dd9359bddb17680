"""List scheduling: one group after another, each at the first step where it fits."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from simulator.schedule.groups import Group
from simulator.schedule.nodes import Node
from simulator.schedule.table import Table, gap


def placed(groups: Sequence[Group], priority: Mapping[Group, float]) -> dict[Node, int]:
    """The new time of every node. Of the groups whose predecessors are placed, the one of highest priority is next."""
    order = {group: number for number, group in enumerate(groups)}
    missing = {group: len(group.before) for group in groups}
    ready = [(-priority[group], order[group]) for group in groups if not group.before]
    heapq.heapify(ready)
    starts: dict[Group, int] = {}
    table = Table()
    while ready:
        group = groups[heapq.heappop(ready)[1]]
        start = max([0, *(starts[other] + least for other, least in group.before.items())])
        while not table.fits(group, start):
            start += 1
        table.place(group, start)
        starts[group] = start
        for other in group.after:
            missing[other] -= 1
            if not missing[other]:
                heapq.heappush(ready, (-priority[other], order[other]))
    return {node: starts[group] + node.time - group.start for group in groups for node in group.nodes}


def critical_paths(groups: Sequence[Group]) -> dict[Group, int]:
    """Steps from the start of a group to the end of the program, as far as dependences and waits ask for them."""
    lengths: dict[Group, int] = {}
    for group in reversed(_sorted(groups)):
        own = max((node.time - group.start + 1 for node in group.nodes if node.instruction is not None), default=0)
        chains = (lengths[other] + _distance(group, other, least) for other, least in group.after.items())
        lengths[group] = max([own, *chains])
    return lengths


def _distance(first: Group, second: Group, least: int) -> int:
    """Steps from the start of a group to that of one that depends on it, as their waits have it, or at least."""
    waits = (
        made.time - first.start + gap(made.instruction, used.instruction) + 1 - (used.time - second.start)
        for made in first.nodes
        for used in second.nodes
        if made.instruction is not None and used.instruction is not None and gap(made.instruction, used.instruction)
    )
    return max([least, *waits])


def _sorted(groups: Sequence[Group]) -> list[Group]:
    """The groups, each after all that it depends on."""
    missing = {group: len(group.before) for group in groups}
    ready = [group for group in groups if not group.before]
    for group in ready:
        for other in group.after:
            missing[other] -= 1
            if not missing[other]:
                ready.append(other)
    return ready
