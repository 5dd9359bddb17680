"""A plan as a picture: every value a bar from when it is made to when it is last read, in the colour of its memory.

Time runs to the right, in cycles of the actions one after another. Arrows are moves from layout to layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from haribote.stack.places import Place
from haribote.stack.plan import Alias, Shift, Version
from haribote.stack.program.builder import Built
from haribote.stack.program.telling import Letters, made, piece_costs, read, subject, told, utilisation, way, where
from haribote.words import word
from simulator.isa.cost import sum_costs
from simulator.messages import shown, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture

LEFT, RIGHT = 190.0, WIDTH - MARGIN
TOP, ROW, BAR = 94.0, 19.0, 14.0
LEAST = 4.0
"""Pixels that an action is wide at least."""
HUES = (("GRF0, GRF1", "h1"), ("GRF", "h2"), ("LM", "h0"), ("DRAM", "h7"))


@dataclass(frozen=True)
class Bar:
    """A version from a piece to another, both included; -1 and the number of pieces stand for what is there before and
    after the step. ends: when it is spilled, or overwritten.
    """

    version: Version
    places: tuple[Place, ...]
    first: int
    last: int

    @property
    def hue(self) -> str:
        """The colour of its memory."""
        banks = {place.memory[:-1] for place in self.places}
        if banks == {"GRF"}:
            return dict(HUES)["GRF0, GRF1" if len(self.places) > 1 else "GRF"]
        return dict(HUES)["LM"]


def bars(built: Built) -> list[Bar]:
    """What is alive when, in the order in which it is made."""
    end = len(built.pieces)
    alive = {version: (places, -1, -1) for version, places in built.homes.items()}
    found: list[Bar] = []
    for number, piece in enumerate(built.pieces):
        for version in read(piece):
            if version in alive:
                alive[version] = (*alive[version][:2], number)
        for version in made(piece):
            if version in alive:
                found.append(Bar(version, *alive[version]))
            alive[version] = (piece.places[version], number, number)
    for version, (places, first, last) in alive.items():
        found.append(Bar(version, places, first, end if version in built.homes else last))
    kept = (bar for bar in found if bar.last >= 0)
    return sorted(kept, key=lambda bar: (bar.first, bar.last))


def plan_picture(built: Built, title: str = "") -> Picture:
    """The picture of a built plan, with its legend and what it costs."""
    costs, letters, found = piece_costs(built), Letters(built), bars(built)
    total, cost = sum_costs(costs), built.executable.cost
    edges = _edges([piece_cost.cycles for piece_cost in costs])
    canvas = Canvas()
    head = tr(
        "{value}: {cycles:,.0f} cycles, {cycles2:,.0f} before the schedule",
        title or tr("the plan"),
        cost.cycles,
        total.cycles,
    )
    canvas.text(MARGIN, 28, head, "head", room=WIDTH - 2 * MARGIN)
    canvas.text(MARGIN, 48, utilisation(cost), "s f", room=WIDTH - 2 * MARGIN)
    bottom = TOP + len(found) * ROW
    canvas.text(LEFT - 8, TOP - 14, word("value"), "s f", anchor="end")
    canvas.text(
        LEFT, TOP - 26, tr("actions in their order, as wide as they take cycles; time runs to the right"), "s f"
    )
    _actions(canvas, built, letters, edges, bottom, [piece_cost.cycles for piece_cost in costs])
    for row, bar in enumerate(found):
        _bar(canvas, bar, TOP + row * ROW, edges, letters)
    _arrows(canvas, built, found, edges)
    bottom = _legend(canvas, letters, bottom + 30)
    return canvas.picture(f"{shown(head)}; {shown(utilisation(cost))}", bottom + MARGIN, zooms=True)


def _edges(cycles: list[float]) -> list[float]:
    """Where each action begins, and where the last one ends: by its cycles, none too narrow to be seen."""
    room = RIGHT - LEFT - LEAST * len(cycles) - 2 * LEAST
    scale = max(room, 0.0) / max(sum(cycles), 1.0)
    widths = [LEAST + time * scale for time in cycles]
    squeeze = min(1.0, (RIGHT - LEFT - 2 * LEAST) / max(sum(widths), 1.0))
    return list(accumulate((width * squeeze for width in widths), initial=LEFT + LEAST))


def _actions(
    canvas: Canvas, built: Built, letters: Letters, edges: list[float], bottom: float, cycles: list[float]
) -> None:
    """A column for every action, its number above where there is room, and all about it in its tooltip."""
    free = 0.0
    for number, piece in enumerate(built.pieces):
        x, width = edges[number], edges[number + 1] - edges[number]
        does, time = shown(told(piece)), tr("{cycles:,.0f} cycles", cycles[number])
        text = f"{number + 1}: {subject(piece)}: {does}, {way(piece, letters)}, {time}"
        canvas.rect(x, TOP - 8, width, bottom - TOP + 8, "empty" if number % 2 else "paper", title=text)
        if x + width / 2 - 10 > free:
            canvas.text(x + width / 2, TOP - 14, str(number + 1), "s f", anchor="middle")
            free = x + width / 2 + 10


def _bar(canvas: Canvas, bar: Bar, y: float, edges: list[float], letters: Letters) -> None:
    x = LEFT if bar.first < 0 else edges[bar.first]
    end = RIGHT if bar.last >= len(edges) - 1 else edges[bar.last + 1]
    name = str(bar.version)
    words = 2 * bar.version.map.longs
    canvas.text(LEFT - 8, y + 11, name, "s", anchor="end", room=LEFT - MARGIN - 12, name=True)
    text = tr("layout {letters}, {words} words per PE at {places}", letters[bar.version.map], words, where(bar.places))
    canvas.rect(x, y, end - x, BAR, bar.hue, round_=3, title=f"{name}: {text}")
    if end - x > 14:
        text = f"{letters[bar.version.map]} {words}" if end - x > 50 else letters[bar.version.map]
        canvas.text(x + 5, y + 11, text, "s on", room=end - x - 6)


def _arrows(canvas: Canvas, built: Built, found: list[Bar], edges: list[float]) -> None:
    """What moves: from the row of the version before to that after."""
    for number, piece in enumerate(built.pieces):
        if not isinstance(piece.action, Shift | Alias):
            continue
        rows = [_row_of(found, version, number) for version in (piece.action.source, piece.action.target)]
        if None not in rows:
            x = edges[number] + 3
            up, down = (TOP + (row or 0) * ROW for row in rows)
            points = [(x, up + BAR), (x, down)] if down > up else [(x, up), (x, down + BAR)]
            canvas.arrow(points, "" if isinstance(piece.action, Alias) else "to")


def _row_of(found: list[Bar], version: Version, number: int) -> int | None:
    return next((k for k, bar in enumerate(found) if bar.version == version and bar.first <= number <= bar.last), None)


def _legend(canvas: Canvas, letters: Letters, y: float) -> float:
    x = MARGIN
    for name, hue in HUES[:3]:
        canvas.rect(x, y - 10, 12, 12, hue, round_=2)
        canvas.text(x + 17, y, name, "s")
        x += 130
    canvas.text(x, y, tr("in a bar: its layout and words per PE; orange arrows: moves"), "s f")
    for line in letters.legend():
        y += 16
        canvas.text(MARGIN, y, line, "m", room=WIDTH - 2 * MARGIN)
    return y
