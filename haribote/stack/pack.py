"""Lines of several hops into steps: each hop in its order, hops side by side where units and waits allow.

What a line reads must have been written by lines of earlier steps; how long before is asked of the simulator's rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from haribote.stack.issues import Issue
from simulator import assemble
from simulator.isa.program import Line, Move, Step
from simulator.rules.conflicts import conflicts
from simulator.rules.waits import Timeline


@dataclass
class _Entry:
    """A line with what must come before it: pairs of stream and position there."""

    text: str
    code: Line
    needs: list[tuple[int, int]] = field(default_factory=list)


def pack(hops: Sequence[Sequence[Issue]], texts: Sequence[Sequence[str]]) -> list[str]:
    """The program of hops one after another. texts: the lines of the issues as they are written."""
    streams = _streams(hops, texts)
    done, lines, nops = [0] * len(streams), [], 0
    timeline = Timeline()
    while any(count < len(stream) for count, stream in zip(done, streams, strict=True)):
        lines_now = list(_moves(streams, done))
        step, taken = _step(streams, done, timeline)
        if lines_now or taken:
            lines += _nops(nops) + lines_now
            nops = 0
        if step is None:
            if not lines_now:
                timeline.now += 1
                nops += 1
            continue
        timeline.issue(step)
        lines.append(step.text)
        for stream in taken:
            done[stream] += 1
    return lines


def _nops(count: int) -> list[str]:
    return [f"nop/{count}" if count > 1 else "nop"] if count else []


def _streams(hops: Sequence[Sequence[Issue]], texts: Sequence[Sequence[str]]) -> list[list[_Entry]]:
    """One stream for every unit of every hop, with what each line waits for."""
    streams: list[list[_Entry]] = []
    before: _Writers | None = None
    for issues, lines in zip(hops, texts, strict=True):
        codes = assemble("\n".join(lines)).lines
        numbers: dict[str, int] = {}
        places: list[tuple[int, int]] = []
        writers = _Writers(issues)
        for issue, text, code in zip(issues, lines, codes, strict=True):
            stream = numbers.setdefault(issue.unit, len(streams))
            if stream == len(streams):
                streams.append([])
            needs = [places[number] for number in issue.after] + (before.of(issue.reads) if before else [])
            places.append((stream, len(streams[stream])))
            streams[stream].append(_Entry(text, code, needs))
        writers.places = places
        before = writers
    return streams


class _Writers:
    """Which line of a hop is the last to write an address."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        written = [np.asarray(issue.writes, np.int64) for issue in issues]
        self.first = min((int(at.min()) for at in written if len(at)), default=0)
        end = max((int(at.max()) + 1 for at in written if len(at)), default=0)
        self.last = np.full(end - self.first, -1)
        for number, at in enumerate(written):
            self.last[at - self.first] = number
        self.places: list[tuple[int, int]] = []

    def of(self, addresses: Sequence[int]) -> list[tuple[int, int]]:
        """Stream and position of the last line that any of the addresses waits for; lines are issued in order."""
        at = np.asarray(addresses, np.int64) - self.first
        at = at[(at >= 0) & (at < len(self.last))]
        number = int(self.last[at].max(initial=-1))
        return [self.places[number]] if number >= 0 else []


def _ready(entry: _Entry, done: Sequence[int]) -> bool:
    return all(done[stream] > position for stream, position in entry.needs)


def _moves(streams: Sequence[Sequence[_Entry]], done: list[int]) -> Iterator[str]:
    """The MV lines that can be issued now; they take no step."""
    for number, stream in enumerate(streams):
        while done[number] < len(stream) and isinstance(stream[done[number]].code, Move):
            if not _ready(stream[done[number]], done):
                break
            yield stream[done[number]].text
            done[number] += 1


def _step(
    streams: Sequence[Sequence[_Entry]], done: Sequence[int], timeline: Timeline
) -> tuple[Step | None, list[int]]:
    """What can be issued now, of later hops first; and from which streams."""
    step: Step | None = None
    taken: list[int] = []
    for number in reversed(range(len(streams))):
        if done[number] >= len(streams[number]):
            continue
        entry = streams[number][done[number]]
        code = entry.code
        if not isinstance(code, Step) or not _ready(entry, done) or timeline.waits(code):
            continue
        if step is None:
            step, taken = code, [number]
            continue
        both = (*code.instructions, *step.instructions)
        if not conflicts(both):
            step, taken = Step(code.line, f"{code.text}; {step.text}", both), [*taken, number]
    return step, taken
