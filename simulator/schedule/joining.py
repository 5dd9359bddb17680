"""Two groups made one, so that a forwarding path passes on a value between them."""

from __future__ import annotations

from copy import copy

from simulator.rules.waits import WINDOW
from simulator.schedule.demands import GroupMarks, demand_of
from simulator.schedule.list_scheduler import Problem, Table, length, topological
from simulator.schedule.nodes import Group, Node
from simulator.schedule.passing import Passing
from simulator.schedule.placing import Edges, Templates


def joined(problem: Problem, passing: Passing) -> Problem | None:
    """The problem with the reader in the step after the writer; None where that cannot be.

    The writer's group becomes both, the reader's is empty from now on.
    """
    first, second = problem.number[passing.writer], problem.number[passing.reader]
    one, other = problem.groups[first], problem.groups[second]
    if first == second:
        return None
    later = one.times[passing.writer] + 1 - other.times[passing.reader]
    before = max(-later, 0)  # steps of the reader's group before those of the writer's
    moved = {node: time + before for node, time in one.times.items()}
    moved |= {node: time + before + later for node, time in other.times.items()}
    if not _in_order(one, other, moved, passing):
        return None
    found = copy(problem)
    now = problem.changed.get(passing.reader, passing.reader.instruction)
    assert now is not None
    found.changed = {**problem.changed, passing.reader: passing.reading(now)}
    found.demands = {**problem.demands, passing.reader: demand_of(found.changed[passing.reader])}
    if not _fits(found, first, other, later):
        return None
    sealed = frozenset(time + before for time in one.sealed) | {time + before + later for time in other.sealed}
    nodes = sorted(moved, key=lambda node: node.number)
    group = Group(
        min(one.start - before, other.start),
        {node: moved[node] for node in nodes},
        sealed,
        edges=one.edges + other.edges,
    )
    _replace(found, first, second, group)
    _connect(found, problem, first, second, before, before + later)
    found.order = topological(found.before, found.after)
    return found if len(found.order) == len(found.groups) else None


def _in_order(one: Group, other: Group, times: dict[Node, int], passing: Passing) -> bool:
    """True where all that depends on each other across the two groups is as far apart as it must be."""
    for mine, theirs in ((one, other), (other, one)):
        for edge in mine.edges:
            if edge.second in theirs.times:
                passed = edge.first is passing.writer and edge.second is passing.reader
                if times[edge.second] - times[edge.first] < (1 if passed else edge.least):
                    return False
    return True


def _fits(problem: Problem, first: int, other: Group, later: int) -> bool:
    """True where the second group may begin so much later than the first, by what both ask of their steps."""
    template = problem.numbered.template(other, problem.demands)
    table, start = Table(len(problem.numbered)), WINDOW + max(-later, 0) + len(other.times)
    table.place(problem.templates[first], start)
    return not table.closed(template, start + later) & 1


def _replace(problem: Problem, first: int, second: int, group: Group) -> None:
    problem.groups, problem.lengths = list(problem.groups), list(problem.lengths)
    problem.groups[first], problem.groups[second] = group, Group(group.start, {})
    templates = list(problem.templates)
    templates[first], templates[second] = problem.numbered.template(group, problem.demands), GroupMarks((), ())
    problem.templates = Templates(templates)
    problem.lengths[first], problem.lengths[second] = length(group), 0
    problem.number = {**problem.number, **dict.fromkeys(group.times, first)}


def _connect(found: Problem, problem: Problem, first: int, second: int, one: int, other: int) -> None:
    """The edges to all other groups. one, other: when the two begin after the start of the new group."""
    after: dict[int, int] = {}
    before: dict[int, int] = {}
    for number, begin in ((first, one), (second, other)):
        for third, least in problem.after[number]:
            after[third] = max(after.get(third, least + begin), least + begin)
        for third, least in problem.before[number]:
            before[third] = max(before.get(third, least - begin), least - begin)
    for number in (first, second):
        after.pop(number, None)
        before.pop(number, None)
    found.after = _connected(problem.after, first, second, after, before)
    found.before = _connected(problem.before, first, second, before, after)


def _connected(edges: Edges, first: int, second: int, own: dict[int, int], others: dict[int, int]) -> Edges:
    """Edges in one direction. own: those of the new group; others: those of the other groups to it."""
    changed = {first: own, second: {}}
    for third, least in others.items():
        changed[third] = {number: steps for number, steps in edges[third] if number not in (first, second)}
        changed[third][first] = least
    return edges.changed(changed)
