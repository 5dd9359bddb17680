"""Where the time of a program goes: a lane per unit, cycles of the cost model to the right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simulator.explain.profile import LANES, Busy, Profile, profile_of
from simulator.isa.program import Program
from simulator.messages import tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture, width_of
from simulator.pictures.source import Source, program_of

HUE = {"MV": "from", "L2BM": "from", "L1BM": "from", "MAU": "to", "ALU": "to", "nop": "h7"}
"""What moves words, what computes, and waiting; the lanes have names."""
LEFT, RIGHT = 82.0, 680.0
LANE, GAP = 30.0, 8.0
SINGLE = 90
"""Up to so many intervals are drawn one by one, with the number of their line."""
STRENGTHS = 8
MOST_WAITS = 5
"""Runs of nops that are named."""


def timeline(source: Source) -> Picture:
    """Which unit works when, and for what share of all cycles.

    source: a program, its text or lines, or a .vsm file. A step takes 4 cycles and every MV is waited for, as in
    simulator/isa/cost.py.
    """
    program = source if isinstance(source, Program) else program_of(source)  # of a program without lines too
    profile = profile_of(program)
    cost = profile.cost
    head = tr(
        "{cycles:,.0f} cycles: {steps:,} steps, {nops:,} of them nops, and {moves:,} MV",
        cost.cycles,
        cost.steps,
        cost.nops,
        cost.moves,
    )
    canvas = Canvas()
    canvas.text(MARGIN, 28, head, "head", room=WIDTH - 2 * MARGIN)
    canvas.text(RIGHT + 24, 50, tr("share of all cycles"), "s f")
    total = max(cost.cycles, 1.0)
    top = 58.0
    for row, lane in enumerate(LANES):
        y = top + row * (LANE + GAP)
        name = tr("waiting") if lane == "nop" else lane
        canvas.text(LEFT - 10, y + LANE / 2 + 4, name, "b", anchor="end")
        title = tr("{name}: {lanes:.1%} of the cycles", name, profile.lanes[lane])
        canvas.rect(LEFT, y, RIGHT - LEFT, LANE, "empty", title=title)
        mine = [busy for busy in profile.busy if busy.lane == lane]
        if len(profile.busy) <= SINGLE:
            _single(canvas, y, mine, total, program)
        else:
            _dense(canvas, y, HUE[lane], mine, total)
        _share(canvas, y, HUE[lane], profile.lanes[lane])
    bottom = top + len(LANES) * (LANE + GAP)
    if len(profile.busy) > SINGLE:
        bottom = _waits(canvas, bottom, profile, total)
    _axis(canvas, bottom, total)
    shares = ", ".join(f"{lane} {share:.0%}" for lane, share in profile.lanes.items() if share)
    title = tr("A timeline of this program: {head}; {shares}", head, shares)
    return canvas.picture(title, bottom + 44, zooms=len(profile.busy) > SINGLE)


def _single(canvas: Canvas, y: float, busy: Sequence[Busy], total: float, program: Program) -> None:
    texts = {line.line: line.text for line in program.lines}
    for work in busy:
        x = LEFT + work.start / total * (RIGHT - LEFT)
        width = work.cycles / total * (RIGHT - LEFT)
        gap = 1 if width > 3 else 0
        title = tr("line {line}: {texts}, {cycles:g} cycles", work.line, texts[work.line][:120], work.cycles)
        canvas.rect(x, y, width - gap, LANE, HUE[work.lane], title=title)
        if width > 4 + 6.5 * len(str(work.line)):
            canvas.text(x + width / 2, y + LANE / 2 + 4, str(work.line), "s on", anchor="middle")


def _dense(canvas: Canvas, y: float, hue: str, busy: Sequence[Busy], total: float) -> None:
    """A column per pixel, the stronger the more of its time the unit works."""
    bins = int(RIGHT - LEFT)
    share = busy_share(busy, total, bins)
    strength = np.ceil(share * STRENGTHS).astype(int)
    edges = [0, *(np.flatnonzero(np.diff(strength)) + 1).tolist(), bins]
    paths: dict[int, list[str]] = {}
    for start, end in pairwise(edges):
        if strength[start]:
            paths.setdefault(int(strength[start]), []).append(
                f"M{LEFT + start:g} {y:g}h{end - start}v{LANE:g}h{start - end}z"
            )
    for level, parts in sorted(paths.items()):
        canvas.path("".join(parts), hue, more=f'fill-opacity="{0.25 + 0.75 * level / STRENGTHS:.3g}"')


def busy_share(busy: Sequence[Busy], total: float, bins: int) -> NDArray[np.float64]:
    """The share of each of `bins` equal parts of the time in which one of the intervals, which are in order, lasts."""
    if not busy:
        return np.zeros(bins)
    edges = np.linspace(0, total, bins + 1)
    ends = np.array([(b.start, b.start + b.cycles) for b in busy]).ravel()  # start, end, start, end …, ascending
    done = np.concatenate([[0.0], np.cumsum(np.diff(ends) * (np.arange(len(ends) - 1) % 2 == 0))])
    return np.asarray(np.diff(np.interp(edges, ends, done)) / np.diff(edges))


def _share(canvas: Canvas, y: float, hue: str, share: float) -> None:
    width = (WIDTH - MARGIN - RIGHT - 24 - 44) * share
    if width:
        canvas.rect(RIGHT + 24, y + 6, max(width, 1), LANE - 12, hue)
    text = "0%" if not share else f"{share:.0%}" if share >= 0.01 else "<1%"
    canvas.text(RIGHT + 30 + width, y + LANE / 2 + 4, text, "s")


def _waits(canvas: Canvas, y: float, profile: Profile, total: float) -> float:
    """The longest runs of nops, by their line, below the lane; returns where they end."""
    starts = {busy.line: busy.start for busy in profile.busy if busy.lane == "nop"}
    taken: list[tuple[float, float]] = []
    for waiting in sorted(profile.waitings, key=lambda w: -w.nops):
        x = LEFT + starts[waiting.line] / total * (RIGHT - LEFT)
        text = tr("line {line}: {nops} nop{s}", waiting.line, waiting.nops, "s" * (waiting.nops > 1))
        left = min(x, RIGHT - width_of(text, "s"))
        right = left + width_of(text, "s") + GAP
        if len(taken) == MOST_WAITS or any(left < end and start < right for start, end in taken):
            continue
        taken.append((left, right))
        canvas.line(x, y - GAP, x, y, "rule")
        canvas.text(left, y + 9, text, "s f")
    return y + 14 if taken else y


def _axis(canvas: Canvas, y: float, total: float) -> None:
    for value in ticks(total):
        x = LEFT + value / total * (RIGHT - LEFT)
        canvas.line(x, y, x, y + 5)
        canvas.text(x, y + 18, f"{value:,.0f}", "s f", anchor="middle")
    canvas.line(LEFT, y, RIGHT, y)
    canvas.text((LEFT + RIGHT) / 2, y + 34, tr("cycles; a step is 4, every MV is waited for"), "s f", anchor="middle")


def ticks(end: float, most: int = 8) -> list[float]:
    """Round numbers from 0 to `end`, at most `most` of them."""
    step = 10.0 ** np.floor(np.log10(max(end, 1e-300)))
    for factor in (0.1, 0.2, 0.5, 1, 2, 5):
        if end / (step * factor) <= most - 1:
            step *= factor
            break
    return [step * i for i in range(int(end / step + 1e-9) + 1)]
