"""What a plan of the layout game costs, line by line, as text and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from haribote.lessons.layout_game.prices import LAYOUTS, OPERATORS, READS, prices
from simulator.columns import left
from simulator.isa.cost import Cost
from simulator.messages import joined, shown, tr
from simulator.pictures.canvas import MARGIN, Canvas, Picture

LANE, ROW, TOP = 132.0, 62.0, 74.0
BOX_WIDTH, BOX_HEIGHT = 104.0, 34.0
BILL_LEFT = MARGIN + LANE * len(LAYOUTS) + 36
END = "end"


@dataclass(frozen=True)
class BillLine:
    """A line of the bill: an operator, or (with `after`) the move of a value from a layout to another."""

    value: str
    layout: str
    cost: Cost
    after: str = ""

    def __str__(self) -> str:
        if self.after:
            return tr("move {value}: {layout} → {after}", self.value, self.layout, self.after)
        return f"{self.value} = {OPERATORS[self.value]}{tr(' in ')}{self.layout}"


@dataclass(frozen=True)
class Bill:
    """A plan, which says in which layout every value is made, and what it costs. Print it, or let it be shown."""

    plan: Mapping[str, str]

    @cached_property
    def entries(self) -> tuple[BillLine, ...]:
        """In the order of the program."""
        return tuple(self._entries())

    def _entries(self) -> Iterator[BillLine]:
        table, moved = prices(), set[tuple[str, str]]()
        for value, reads in READS.items():
            layout = self.plan[value]
            for operand in reads:
                before = self.plan[operand]
                if before != layout and (operand, layout) not in moved:
                    moved.add((operand, layout))
                    yield BillLine(operand, before, table.move[operand, before, layout], layout)
            if value != END:
                yield BillLine(value, layout, table.work[value, layout])

    @property
    def cycles(self) -> float:
        """Of all entries, one after another."""
        return sum(entry.cost.cycles for entry in self.entries)

    @property
    def moving(self) -> float:
        """The cycles of the moves alone."""
        return sum(entry.cost.cycles for entry in self.entries if entry.after)

    def __str__(self) -> str:
        lines = [f"{left(shown(str(entry)), 28)} {_sums(entry.cost.steps, entry.cost.moves, entry.cost.cycles)}"
                 for entry in self.entries]  # fmt: skip
        return "\n".join([*lines, f"{left(tr('together'), 28)} {self.summary}"])

    @property
    def summary(self) -> str:
        """The sums, aligned with the lines."""
        steps, moves = (sum(getattr(entry.cost, name) for entry in self.entries) for name in ("steps", "moves"))
        return _sums(steps, moves, self.cycles)

    def _repr_html_(self) -> str:
        return self.picture()._repr_html_()

    def _repr_svg_(self) -> str:
        return str(self.picture())

    def picture(self) -> Picture:
        """A lane for each layout: values are boxes in them, and what crosses from lane to lane is a move."""
        canvas = Canvas()
        canvas.text(
            MARGIN,
            28,
            tr("Softmax in {cycles:,.0f} cycles, {moving:,.0f} of them for moves", self.cycles, self.moving),
            "head",
        )
        for number, layout in enumerate(LAYOUTS):
            x = MARGIN + number * LANE
            canvas.rect(x, 44, LANE - 10, TOP + ROW * len(self._rows) - 60, "empty", round_=6)
            canvas.text(x + LANE / 2 - 5, 62, tr("layout {layout}", layout), "b", anchor="middle")
        for reader, reads in READS.items():
            for operand in reads:
                self._wire(canvas, operand, reader)
        for row, value in enumerate(self._rows):
            self._box(canvas, value, row)
        self._list(canvas)
        text = "; ".join(f"{entry}, {entry.cost.cycles:g} cycles" for entry in self.entries)
        return canvas.picture(tr("A plan for softmax: {text}", text), TOP + ROW * len(self._rows))

    @cached_property
    def _rows(self) -> list[str]:
        return ["logits", *READS]

    def _center(self, value: str) -> tuple[float, float]:
        lane = LAYOUTS.index(self.plan[value])
        return MARGIN + lane * LANE + LANE / 2 - 5, TOP + self._rows.index(value) * ROW + BOX_HEIGHT / 2

    def _box(self, canvas: Canvas, value: str, row: int) -> None:
        x, y = self._center(value)
        canvas.rect(x - BOX_WIDTH / 2, y - BOX_HEIGHT / 2, BOX_WIDTH, BOX_HEIGHT, "box", round_=5)
        if value in OPERATORS:
            canvas.text(x, y - 2, value, "b", anchor="middle", name=True)
            cost = prices().work[value, self.plan[value]]
            canvas.text(x, y + 12, f"{OPERATORS[value]} {cost.cycles:,.0f}", "s f", anchor="middle")
        else:
            canvas.text(x, y + 4, value, "b", anchor="middle", name=True)

    def _wire(self, canvas: Canvas, operand: str, reader: str) -> None:
        """From a value to its reader; one that passes another value goes round it."""
        (x0, y0), (x1, y1) = self._center(operand), self._center(reader)
        rows = self._rows.index(reader) - self._rows.index(operand)
        style = "to" if self.plan[operand] != self.plan[reader] else ""
        if rows > 1 and not style:
            side = x0 + BOX_WIDTH / 2
            path = f"M{side:g} {y0:g}C{side + 14:g} {y0:g} {side + 14:g} {y1:g} {side + 1:g} {y1:g}"
            canvas.path(path, "arrow")
            canvas.path(f"M{side:g} {y1:g}l8 -4v8z", "tip")
            return
        half = BOX_HEIGHT / 2
        shift = 14.0 if rows > 1 else 0.0
        canvas.arrow([(x0 + shift, y0 + half), (x1 + shift, y1 - half)], style, width=2.4 if style else 1.5)

    def _list(self, canvas: Canvas) -> None:
        """The bill beside the lanes; moves in the colour of their arrows."""
        y, right = TOP + 4, BILL_LEFT + 370
        for entry in self.entries:
            style = "to" if entry.after else ""
            canvas.text(BILL_LEFT, y, str(entry), f"b {style}".strip() if style else "")
            steps, moves = (
                tr("{steps} steps", entry.cost.steps),
                f"{entry.cost.moves} MV" if entry.cost.moves else "",
            )
            canvas.text(BILL_LEFT + 236, y, joined(steps, moves), "s f", anchor="start")
            canvas.text(right, y, f"{entry.cost.cycles:,.0f}", style, anchor="end")
            y += 25
        canvas.line(BILL_LEFT, y - 14, right, y - 14)
        canvas.text(BILL_LEFT, y + 6, tr("together, cycles"), "b")
        canvas.text(right, y + 6, f"{self.cycles:,.0f}", "b", anchor="end")


def _sums(steps: int, moves: int, cycles: float) -> str:
    """The numbers of a line, aligned with those of the others."""
    return f"{steps:4} {tr('steps')} {moves:2} MV {cycles:6,.0f} {tr('cycles')}"
