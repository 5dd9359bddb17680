"""explore.nops: the steps between a write and a read on a slider; what the rule asks for, and what is read."""

from __future__ import annotations

import html

from haribote.draw.explore.panel import Choice, Controls, Panel, PanelContent, Slider, Values
from haribote.words import word
from simulator.assembly import checks
from simulator.assembly.assembler import assemble
from simulator.errors import Diagnostic, advised
from simulator.messages import tr
from simulator.notebook.card import card
from simulator.pictures import Picture
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas

PAIRS = (
    ("lpassa $ls0v $lm0v", "fvadd $lm0v $lm0v $ln0v"),
    ("fvmul $lm0v $lm0v $lr0v", "fvadd $lr0v $lm0v $ln0v"),
    ("fvmul $lm0v $lm0v $lr0v", "fvadd $lr8v $lm0v $ln0v"),
    ("l1bmm@0 $llm0v $llb0", "l1bmm $llb0 $llm8v"),
    ("l2bmb $lc0 $lb0", "l1bmm $lb0 $lm0v"),
)
MOST = 8
ROOM, STEP, LEFT, TOP = 34.0, 76.0, MARGIN, 84.0


def nops(write: str = "", read: str = "") -> Panel:
    """A slider for the nops between two lines. Without lines of your own there is a list of pairs.

    Raises AssemblyError for a line that cannot be assembled.
    """
    offered = {f"{a} → {b}": (a, b) for a, b in ([(write, read)] if write and read else PAIRS)}
    first = next(iter(offered))
    for pair in offered.values():
        program(pair, 0)

    def controls(_: Values) -> Controls:
        return {"pair": Choice(word("lines"), list(offered), first), "nops": Slider(tr("nops between"), 0, MOST, 0)}

    def draw(values: Values) -> PanelContent:
        pair, between = offered[values["pair"]], int(values["nops"])
        found = findings(pair, between)
        return PanelContent.of(picture(pair, between, needed(pair)), verdict(found))

    return Panel(controls, draw)


def program(pair: tuple[str, str], between: int) -> str:
    """The text with so many nops in the middle."""
    nop = [] if not between else ["nop"] if between == 1 else [f"nop/{between}"]
    return "\n".join([pair[0], *nop, pair[1]])


def findings(pair: tuple[str, str], between: int) -> list[Diagnostic]:
    """What the checks have against it. Raises AssemblyError."""
    return list(checks.check(assemble(program(pair, between))))


def needed(pair: tuple[str, str]) -> int:
    """The fewest nops with which the checks are content."""
    return next((count for count in range(MOST) if not findings(pair, count)), MOST)


def verdict(found: list[Diagnostic]) -> str:
    """What is read, as a card, with what the checks say."""
    if not found:
        return card("good", tr("✓ the read gets what was written"), "")
    body = "\n".join(html.escape(advised(finding.message, finding.fix)) for finding in found)
    return card("bad", tr("✗ too early: the chip may read the words from before"), f'<pre class="prose">{body}</pre>')


def picture(pair: tuple[str, str], between: int, fewest: int) -> Picture:
    """Steps from left to right: the write, the nops, the read, and from where on the words are there."""
    canvas = Canvas()
    heading = tr("{between} nop{s} between write and read", between, "s" * (between != 1))
    canvas.text(MARGIN, 28, heading, "head")
    canvas.text(LEFT, 52, f"1: {pair[0]}", "m")
    canvas.text(LEFT, 68, f"2: {pair[1]}", "m")
    for step in range(MOST + 2):
        kind, text = (
            ("from", tr("1 writes")) if not step else ("to", tr("2 reads")) if step == between + 1 else ("empty", "")
        )
        x = LEFT + step * STEP
        canvas.rect(x, TOP, STEP - 4, ROOM, kind, round_=3)
        text = text or ("nop" if step <= between else "")
        canvas.text(x + STEP / 2 - 2, TOP + 21, text, "s on" if kind != "empty" else "s f", anchor="middle")
        canvas.text(x + STEP / 2 - 2, TOP + ROOM + 16, tr("step {step}", step), "s f", anchor="middle")
    arrives = LEFT + (fewest + 1) * STEP - 2
    canvas.arrow([(LEFT + STEP / 2, TOP + ROOM + 34), (arrives, TOP + ROOM + 34)])
    canvas.line(arrives, TOP - 6, arrives, TOP + ROOM + 44, "mark")
    canvas.text(
        arrives + 8, TOP + ROOM + 38, tr("from here on the words are there"), "s", room=WIDTH - arrives - MARGIN
    )
    says = tr("in time") if between >= fewest else tr("too early")
    return canvas.picture(
        tr(
            "{heading}, `{pair}` then `{pair2}`: {says}; {fewest} are needed",
            heading=heading,
            pair=pair[0],
            pair2=pair[1],
            says=says,
            fewest=fewest,
        ),
        TOP + ROOM + 60,
    )
