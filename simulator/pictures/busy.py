"""The picture of `profile`: which unit works when, and how much of the time."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from simulator.explain.profile import LANES, Profile
from simulator.pictures.timeline import busy_share

COLOURS = {
    "MV": "#4c72b0",
    "L2BM": "#55a868",
    "L1BM": "#8c9c2c",
    "MAU": "#c44e52",
    "ALU": "#dd8452",
    "nop": "#8c8c8c",
}
BINS = 1500
TRACK = 0.955  # grey of a band where its unit does nothing
SMALL = 80
"""Up to this many intervals, each carries the number of its line."""
NAMED_WAITS = 5


def draw(profile: Profile, kind: str) -> bytes:
    """The timeline as "png" or "svg": units from top to bottom, time in cycles of the cost model to the right."""
    with matplotlib.rc_context({"svg.hashsalt": "haribote", "font.size": 9}):
        figure = Figure(figsize=(12, 4), layout="constrained")
        timeline, share = figure.subplots(1, 2, sharey=True, width_ratios=[5, 1])
        _timeline(timeline, profile)
        _share(share, profile)
        cost = profile.cost
        figure.suptitle(
            f"{Path(profile.filename).name}: {cost.steps:,} steps ({cost.nops:,} nops), {cost.moves:,} MV, "
            f"{cost.cycles:,.0f} cycles"
        )
        target = io.BytesIO()
        figure.savefig(target, format=kind, dpi=120, metadata={"Date": None} if kind == "svg" else {"Software": None})
    return target.getvalue()


def _timeline(axes: Axes, profile: Profile) -> None:
    """Every unit as a band; where an interval is thinner than a dot, the colour tells how busy the unit is."""
    total = max(profile.cost.cycles, 1.0)
    bins = min(BINS, max(int(total), 1))
    picture = np.full((len(LANES), bins, 3), TRACK)
    for row, lane in enumerate(LANES):
        busy = busy_share([b for b in profile.busy if b.lane == lane], total, bins)
        strength = np.where(busy > 0, 0.25 + 0.75 * np.minimum(busy, 1), 0)[:, None]
        picture[row] = TRACK + strength * (np.array(to_rgb(COLOURS[lane])) - TRACK)
    axes.imshow(picture, aspect="auto", interpolation="nearest", extent=(0, total, len(LANES) - 0.5, -0.5))
    axes.set_yticks(range(len(LANES)), [f"{lane}  " if lane != "nop" else "waiting  " for lane in LANES])
    axes.set_xlabel("cycles (a step is 4); every MV is waited for")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    for row in range(1, len(LANES)):
        axes.axhline(row - 0.5, color="white", linewidth=3)
    axes.tick_params(left=False)
    axes.spines[:].set_visible(False)
    if len(profile.busy) <= SMALL:
        _number(axes, profile)
    else:
        _name_waits(axes, profile, total)


def _number(axes: Axes, profile: Profile) -> None:
    """The line numbers, where there is room for them, and a gap between neighbours."""
    for busy in profile.busy:
        axes.axvline(busy.start + busy.cycles, color="white", linewidth=0.8)
        if busy.cycles >= profile.cost.cycles / 60:
            centre = busy.start + busy.cycles / 2
            axes.text(
                centre, LANES.index(busy.lane), str(busy.line), ha="center", va="center", color="white", fontsize=8
            )


def _name_waits(axes: Axes, profile: Profile, total: float) -> None:
    """The longest runs of nops, by the line where they stand, no two on top of each other."""
    starts = {busy.line: busy.start for busy in profile.busy if busy.lane == "nop"}
    taken: list[float] = []
    for waiting in sorted(profile.waitings, key=lambda w: -w.nops):
        place = starts[waiting.line]
        if len(taken) == NAMED_WAITS or any(abs(place - other) < total / 9 for other in taken):
            continue
        taken.append(place)
        label = f"line {waiting.line}: {waiting.nops} nop{'s' * (waiting.nops > 1)}"
        side = "right" if place > 0.9 * total else "left"
        box = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 1.5}
        axes.text(place, LANES.index("nop"), label, fontsize=7, ha=side, va="center", bbox=box)


def _share(axes: Axes, profile: Profile) -> None:
    shares = [profile.lanes[lane] for lane in LANES]
    axes.barh(range(len(LANES)), shares, color=[COLOURS[lane] for lane in LANES], height=0.6)
    for row, share in enumerate(shares):
        axes.text(share + 0.02, row, f"{share:.0%}", va="center", fontsize=8)
    axes.set_xlim(0, max(1.0, *shares) * 1.2)
    axes.set_xticks([])
    axes.set_xlabel("share of all cycles")
    axes.tick_params(left=False, labelleft=False)
    axes.spines[:].set_visible(False)
