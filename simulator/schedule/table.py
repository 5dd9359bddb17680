"""The steps of the new program while it is filled: what still fits into which, by the rules of the assembler."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from simulator.isa.program import Instruction
from simulator.rules.accesses import Access, accesses
from simulator.rules.conflicts import conflicts, issue_group
from simulator.rules.waits import RULES, WINDOW, WaitRule
from simulator.schedule.groups import Group
from simulator.schedule.nodes import Node

_AS_PRODUCER: dict[str, list[WaitRule]] = defaultdict(list)
_AS_CONSUMER: dict[str, list[WaitRule]] = defaultdict(list)
for _rule in RULES:
    _AS_PRODUCER[_rule.producer].append(_rule)
    _AS_CONSUMER[_rule.consumer].append(_rule)


@lru_cache(maxsize=1 << 14)
def _accesses(instruction: Instruction) -> tuple[Access, ...]:
    return tuple(accesses(instruction))


@lru_cache(maxsize=1 << 14)
def gap(producer: Instruction, consumer: Instruction) -> int:
    """Steps that must lie between two instructions, of which the first comes first."""
    return max(
        (
            rule.gap(made, used)
            for made in _accesses(producer)
            for rule in _AS_PRODUCER.get(made.kind, ())
            for used in _accesses(consumer)
            if used.kind == rule.consumer
        ),
        default=0,
    )


class Table:
    """Which nodes stand in which step."""

    def __init__(self) -> None:
        self.steps: dict[int, list[Node]] = defaultdict(list)
        self._sealed: set[int] = set()
        self._uses: dict[tuple[str, int], list[Access]] = defaultdict(list)

    def place(self, group: Group, start: int) -> None:
        """Let a group begin at this step."""
        self._sealed |= {start + time for time in group.sealed}
        for node in group.nodes:
            if node.instruction is not None:
                time = start + node.time - group.start
                self.steps[time].append(node)
                for access in _accesses(node.instruction):
                    self._uses[access.kind, time].append(access)

    def fits(self, group: Group, start: int) -> bool:
        """True where a group may begin at this step. At the end of the table it always may."""
        if any(self.steps.get(start + time) for time in group.sealed):
            return False
        joined: dict[int, list[Node]] = defaultdict(list)
        for node in group.nodes:
            if node.instruction is not None:
                joined[start + node.time - group.start].append(node)
        return all(self._joins(nodes, time) for time, nodes in joined.items()) and all(
            self._waited(node.instruction, time)
            for time, nodes in joined.items()
            for node in nodes
            if node.instruction is not None
        )

    def _joins(self, nodes: list[Node], time: int) -> bool:
        """True where nodes may share a step with what is there: no finding, not even a warning."""
        if time in self._sealed:
            return False
        there = self.steps.get(time)
        if not there:
            return True
        together = [node.instruction for node in (*there, *nodes) if node.instruction is not None]
        if len({issue_group(instruction) for instruction in together}) < len(together):
            return False  # as `rules.conflicts` would say, which takes longer
        return not conflicts(together)

    def _waited(self, instruction: Instruction, time: int) -> bool:
        """True where this step is late enough for what is before it, and early enough for what is after it."""
        for access in _accesses(instruction):
            for rule in _AS_CONSUMER.get(access.kind, ()):
                for between in range(WINDOW):
                    before = self._uses.get((rule.producer, time - between - 1), ())
                    if any(rule.gap(made, access) > between for made in before):
                        return False
            for rule in _AS_PRODUCER.get(access.kind, ()):
                for between in range(WINDOW):
                    after = self._uses.get((rule.consumer, time + between + 1), ())
                    if any(rule.gap(access, used) > between for used in after):
                        return False
        return True
