"""Why a program waits: which producer and consumer every run of nops stands between (isa.md, section 12.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from simulator.isa.program import Program, Step
from simulator.messages import tr
from simulator.rules.waits import WINDOW, Timeline, Wait


@dataclass(frozen=True, slots=True)
class Waiting:
    """A run of nops. needed: how many of them a rule asks for; rule, producer, consumer: of the rule that asks for most
    ("" and None where none does); consumer may come some steps after the nops.
    """

    line: int
    nops: int
    needed: int
    rule: str = ""
    producer: int | None = None
    consumer: int | None = None


def waitings(program: Program) -> list[Waiting]:
    """Every run of nops of a program, in order."""
    steps = [line for line in program.lines if isinstance(line, Step)]
    timeline = Timeline()
    found: list[Waiting] = []
    position = 0
    while position < len(steps):
        if not steps[position].is_nop:
            timeline.issue(steps[position])
            position += 1
            continue
        start, nops = position, 0
        while position < len(steps) and steps[position].is_nop:
            nops += steps[position].count
            position += 1
        found.append(_reason(timeline, steps[start].line, nops, islice(steps, position, position + WINDOW)))
        timeline.now += nops
    return found


def _reason(timeline: Timeline, line: int, nops: int, following: Iterator[Step]) -> Waiting:
    """What would come too early if the nops were not there."""
    before = timeline.now
    worst: tuple[int, Wait, int] | None = None
    for step in following:
        missing = [wait for wait in timeline.waits(step) if not wait.rule.warning]
        for wait in missing:
            if worst is None or wait.missing > worst[0]:
                worst = wait.missing, wait, step.line
        timeline.now += step.count
    timeline.now = before
    if worst is None:
        return Waiting(line, nops, 0)
    needed, wait, consumer = worst
    rule = tr("{producer}, then {consumer}", wait.rule.producer, wait.rule.consumer)
    return Waiting(line, nops, min(needed, nops), rule, wait.producer_line, consumer)


@dataclass(frozen=True, slots=True)
class Chain:
    """Waitings of which each one's consumer is the next one's producer."""

    links: tuple[Waiting, ...]

    @property
    def nops(self) -> int:
        """Nops of all links."""
        return sum(link.nops for link in self.links)


def chains(found: Sequence[Waiting]) -> list[Chain]:
    """The waitings that a rule asks for, linked into chains; those with the most nops first."""
    ending: dict[int | None, tuple[Waiting, ...]] = {}
    for waiting in found:
        if waiting.needed:
            ending[waiting.consumer] = (*ending.pop(waiting.producer, ()), waiting)
    return sorted((Chain(links) for links in ending.values()), key=lambda chain: (-chain.nops, chain.links[0].line))
