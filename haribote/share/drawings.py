"""The two drawings of the page, as SVG: the timeline of the step and the curve of the loss."""

from __future__ import annotations

import html

from haribote.share.story import Story
from haribote.share.texts import kernel_label
from simulator.messages import tr

WIDE, TALL = 1000, 34
LEFT, RIGHT, TOP, BOTTOM = 34.0, 470.0, 12.0, 150.0
HEIGHT = 176
SPACE = 0.6  # between two kernels of the timeline


def timeline(story: Story) -> str:
    """Kernels in their order and as long as they take: above by kind, below by whose they are."""
    recording = story.recording
    parts = [f'<svg viewBox="0 0 {WIDE} {TALL}" preserveAspectRatio="none" aria-hidden="true">']
    for kernel in recording.kernels:
        x, width = (WIDE * value / recording.cycles for value in (kernel.start, kernel.cycles))
        if width <= 0:
            continue
        width = max(0.5, width - SPACE)
        paint = "mine" if kernel.owner == "yours" else "course"
        parts.append(
            f'<g><title>{html.escape(kernel_label(story, kernel))}</title><rect class="k-{kernel.kind}" x="{x:.1f}" '
            f'y="0" width="{width:.1f}" height="24"/><rect class="{paint}" x="{x:.1f}" y="26" width="{width:.1f}" '
            f'height="8"/></g>'
        )
    return "".join([*parts, "</svg>"])


def loss_points(story: Story) -> list[tuple[float, float]]:
    """Where the loss of each step stands in the drawing."""
    highest = _highest(story)
    last = max(1, len(story.losses) - 1)
    return [
        (round(LEFT + (RIGHT - LEFT) * step / last, 1), round(BOTTOM - (BOTTOM - TOP) * loss / highest, 1))
        for step, loss in enumerate(story.losses)
    ]


def loss_drawing(story: Story) -> str:
    """The curve, which the script draws again."""
    points = loss_points(story)
    path = "M" + "L".join(f"{x} {y}" for x, y in points)
    x, y = points[-1]
    label = tr("loss from {first:.2f} to {last:.2f}", story.losses[0], story.losses[-1])
    parts = [f'<svg class="plot" viewBox="0 0 480 {HEIGHT}" role="img" aria-label="{html.escape(label)}">']
    for value in range(int(_highest(story)) + 1):
        height = BOTTOM - (BOTTOM - TOP) * value / _highest(story)
        parts.append(f'<path class="axis" d="M{LEFT:g} {height:.1f}H{RIGHT:g}"/>')
        parts.append(f'<text x="{LEFT - 8:g}" y="{height + 4:.1f}" text-anchor="end">{value}</text>')
    parts.append(f'<text x="{LEFT:g}" y="{HEIGHT - 8}">{html.escape(tr("loss of each step"))}</text>')
    steps = html.escape(tr("step {steps}", len(story.losses)))
    parts.append(f'<text x="{RIGHT:g}" y="{HEIGHT - 8}" text-anchor="end">{steps}</text>')
    parts.append(f'<path class="ghost" d="{path}"/><path class="curve" d="{path}"/>')
    return "".join([*parts, f'<circle class="dot" r="5" cx="{x}" cy="{y}"/></svg>'])


def _highest(story: Story) -> float:
    return max(0.5, 1.05 * max(story.losses))
