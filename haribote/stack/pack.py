"""Lines of several hops into steps: each hop in its order, hops side by side where units and waits allow.

What a line reads must have been written by lines of earlier steps; how long before is asked of the simulator's rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from haribote.stack.issues import Issue
from simulator import assemble
from simulator.conflicts import conflicts
from simulator.program import Line, Move, Step
from simulator.waits import Timeline


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
    writers: dict[int, tuple[int, int]] = {}
    for issues, lines in zip(hops, texts, strict=True):
        codes = assemble("\n".join(lines)).lines
        numbers: dict[str, int] = {}
        places: list[tuple[int, int]] = []
        last = _last_writers(before) if (before := writers) else None
        made: dict[int, tuple[int, int]] = {}
        for issue, text, code in zip(issues, lines, codes, strict=True):
            stream = numbers.setdefault(issue.unit, len(streams))
            if stream == len(streams):
                streams.append([])
            entry = _Entry(text, code, [places[k] for k in issue.after])
            if last is not None:
                entry.needs += last(issue.reads)
            places.append((stream, len(streams[stream])))
            streams[stream].append(entry)
            made |= dict.fromkeys(issue.writes, places[-1])
        writers = made
    return streams


def _last_writers(writers: dict[int, tuple[int, int]]):  # type: ignore[no-untyped-def]
    """A function from addresses to the last line that wrote any of them."""
    size = max(writers) + 1
    streams = np.full(size, -1)
    positions = np.full(size, -1)
    keys = np.fromiter(writers, np.int64, len(writers))
    streams[keys] = [stream for stream, _ in writers.values()]
    positions[keys] = [position for _, position in writers.values()]

    def of(addresses: Sequence[int]) -> list[tuple[int, int]]:
        at = np.asarray(addresses, np.int64)
        at = at[at < size]
        found = positions[at] if len(at) else np.zeros(0, np.int64)
        if not len(found) or found.max() < 0:
            return []
        k = int(found.argmax())
        return [(int(streams[at[k]]), int(found[k]))]

    return of


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
