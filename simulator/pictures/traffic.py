"""Where the words of a program go: between which memories of the chip, and through which ports of a PE."""

from __future__ import annotations

import math

from simulator import isa
from simulator.explain.moved_words import words_moved
from simulator.explain.profile import PathUse, profile_of
from simulator.messages import Text, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture, width_of
from simulator.pictures.source import Source, program_of

NODES = {
    "DRAM": (270.0, 56.0), "PDM": (36.0, 130.0), "L2BM": (270.0, 204.0), "L1BM": (270.0, 286.0), "PE": (270.0, 368.0)
}  # fmt: skip
"""The top left corner of each memory's box."""
BOX_WIDTH, BOX_HEIGHT = 136.0, 38.0
COUNTS = {"DRAM": Text("4, one per group"), "PDM": Text("4, one per group"), "L2BM": "8", "L1BM": "64", "PE": "4,096"}
BARS = 560.0


def traffic(source: Source) -> Picture:
    """The words that arrive in each memory of the chip, and the words that pass the ports of a PE.

    source: a program, its text or lines, or a .vsm file.
    """
    program = program_of(source)
    links = words_moved(program)
    canvas = Canvas()
    total = sum(links.values())
    head = tr("No words move between the memories")
    if total:
        head = tr("{total:,} words arrive in the memories of the chip", total)
    canvas.text(MARGIN, 28, head, "head")
    for (start, end), words in sorted(links.items()):
        if start != end:
            _link(canvas, start, end, words)
    for name, (x, y) in NODES.items():
        used = any(name in link for link in links)
        canvas.rect(x, y, BOX_WIDTH, BOX_HEIGHT, "from" if used else "box", round_=4)
        tone = " on" if used else " f"
        canvas.text(x + BOX_WIDTH / 2, y + 17, name if name != "PE" else "PEs", f"b{tone}", anchor="middle")
        inside = links[name, name]
        note = tr("{inside:,} from one to another", inside) if inside else COUNTS[name]
        canvas.text(x + BOX_WIDTH / 2, y + 31, note, f"s{tone}", anchor="middle", room=BOX_WIDTH)
    bottom = max(NODES["PE"][1] + BOX_HEIGHT + 24, _ports(canvas, profile_of(program).paths))
    canvas.text(MARGIN, bottom, tr("a word is 32 bits; a line's width grows with the logarithm of the words"), "s f")
    says = "; ".join(
        tr("{start} to {end} {words:,}", start, end, words) for (start, end), words in sorted(links.items())
    )
    return canvas.picture(f"{head}: {says}" if says else head, bottom + MARGIN)


# --- drawing ---------------------------------------------------------------------------------------------------------


def _link(canvas: Canvas, start: str, end: str, words: int) -> None:
    """An arrow between two memories: down on the left, up on the right."""
    width = 1.5 + max(0.0, math.log2(words / 64)) * 0.45
    order = list(NODES)
    down = order.index(end) > order.index(start)
    (x0, y0), (_, y1) = NODES[start], NODES[end]
    text = f"{words:,}"
    style, stroke = "from-line" if down else "to-line", f'style="stroke-width: {width:.3g}"'
    if "PDM" in (start, end):
        side = 44.0 if down else 92.0
        other = end if start == "PDM" else start
        pdm = NODES["PDM"][0] + side, NODES["PDM"][1] + (0 if other == "DRAM" else BOX_HEIGHT)
        across = NODES["DRAM"][0], NODES[other][1] + (26 if down else 12)
        if other != "DRAM":
            across = across[0], NODES[other][1] + (12 if down else 26)
        path = f"M{pdm[0]:g} {pdm[1]:g}V{across[1]:g}H{across[0]:g}"
        canvas.path(path, style, more=stroke)
        tip = across if start == "PDM" else pdm
        _tip(canvas, tip, "right" if start == "PDM" else ("down" if other == "DRAM" else "up"), width, down)
        label_y = across[1] + (14 if (other == "DRAM") == down else -5)
        canvas.text(across[0] - 16, label_y, text, "s", anchor="end")
        return
    x = x0 + (46 if down else 90)
    edge, arrive = (y0 + BOX_HEIGHT, y1) if down else (y0, y1 + BOX_HEIGHT)
    canvas.path(f"M{x:g} {edge:g}V{arrive:g}", style, more=stroke)
    _tip(canvas, (x, arrive), "down" if down else "up", width, down)
    middle = (edge + arrive) / 2 + 4
    if down:
        canvas.text(x - 10 - width / 2, middle, text, "s", anchor="end")
    else:
        canvas.text(x + 10 + width / 2, middle, text, "s")


def _tip(canvas: Canvas, at: tuple[float, float], to: str, width: float, down: bool) -> None:
    size = 4 + 0.6 * width
    dx, dy = {"down": (0, 1), "up": (0, -1), "right": (1, 0)}[to]
    x, y = at
    if dy:
        path = f"M{x:g} {y:g}l{-size:.3g} {-dy * size * 1.4:.3g}h{2 * size:.3g}z"
    else:
        path = f"M{x:g} {y:g}l{-dx * size * 1.4:.3g} {-size:.3g}v{2 * size:.3g}z"
    canvas.path(path, "from" if down else "to")


def _ports(canvas: Canvas, paths: tuple[PathUse, ...]) -> float:
    """The memories of a PE: words read and written, and the share of what the port could pass; returns the end."""
    mine = [use for use in paths if use.per == "PE"]
    canvas.text(BARS - 76, 62, tr("through the ports of each PE") if mine else tr("nothing in the PEs"), "b")
    most = max((use.words for use in mine), default=1)
    room = WIDTH - MARGIN - BARS - width_of("1,000,000  100%", "s")
    y = 84.0
    for use in mine:
        written = use.path.endswith(" written")
        port = use.path.removesuffix(" written").removesuffix(" read")
        name = tr("{value} write", port) if written else tr("{value} read", port)
        canvas.text(BARS - 8, y, name, "s", anchor="end")
        length = max(1.0, room * use.words / most)
        share = "" if use.share is None else tr("{share:.0%} of its port", use.share)
        words = tr("{name}: {words:,} words", name, use.words)
        told = tr("{words}, {share}", words, share) if share else words
        canvas.rect(BARS, y - 11, length, 14, "to" if written else "from", title=told)
        says = f"{use.words:,}" + ("" if use.share is None else f"  {use.share:.0%}")
        canvas.text(BARS + length + 6, y, says, "s f")
        y += 20
    if mine:
        canvas.text(BARS, y + 2, tr("percent: of {value} words per step", 16 * isa.STEP_CYCLES // 4), "s f")
    return y + 20
