"""The layout game: in which layout is each value of softmax made, so that work and moves together cost the least?

game = LayoutGame()
game.choose(max="P", shifted="P")     # the bill of the plan as it is now
game.play()                           # the same with menus, in a notebook
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from haribote.errors import HariboteError
from haribote.lessons.layout_game.bill import Bill
from haribote.lessons.layout_game.cheapest import cheapest
from haribote.lessons.layout_game.prices import COLUMNS, FIXED, LAYOUTS, OPERATORS, READS, prices
from simulator.columns import left, right
from simulator.messages import shown, tr

if TYPE_CHECKING:
    from haribote.lessons.layout_game.menus import Menus

__all__ = ["TABLE", "Bill", "LayoutGame", "cheapest"]

TABLE = {"max": "P", "shifted": "P", "exp": "A", "sum": "P", "softmax": "P"}
"""The layouts of the kernel table, with which every game begins."""


@dataclass
class LayoutGame:
    """A game. logits, end: the layouts in which softmax gets its operand, and in which its result is wanted."""

    logits: str = FIXED["logits"]
    end: str = FIXED["end"]
    plan: dict[str, str] = field(default_factory=lambda: dict(TABLE))
    tried: list[Bill] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._require({"logits": self.logits, "end": self.end})

    @property
    def _fixed(self) -> dict[str, str]:
        return {"logits": self.logits, "end": self.end}

    def choose(self, **layouts: str) -> Bill:
        """Choose the layouts of some values, A, P or B; the others stay as they were. Returns the bill.

        Raises HariboteError for a value or a layout that there is not.
        """
        for value in layouts:
            if value not in OPERATORS:
                raise HariboteError(
                    tr("there is no value {value!r} to choose for", value),
                    tr("one of {operators}", ", ".join(OPERATORS)),
                )
        self._require(layouts)
        self.plan |= layouts
        bill = Bill({**self._fixed, **self.plan})
        self.tried.append(bill)
        return bill

    @property
    def best_so_far(self) -> Bill | None:
        """The cheapest plan that was tried."""
        return min(self.tried, key=lambda bill: bill.cycles, default=None)

    def best(self) -> Bill:
        """The cheapest plan of all, by `cheapest`: the learner's, where task 4.7 is written."""
        table = prices()
        return Bill(cheapest(READS, LAYOUTS, self._fixed, table.work_cycles, table.move_cycles))

    def play(self) -> Menus:
        """The game with a menu for each value."""
        from haribote.lessons.layout_game.menus import Menus

        return Menus(self)

    def prices(self) -> str:
        """What everything costs, in cycles, as a table."""
        table, width = prices(), 22
        lines = [left(tr("cycles in layout"), width) + "".join(f"{layout:>8}" for layout in LAYOUTS)]
        for value, operator in OPERATORS.items():
            costs = (table.work[value, layout].cycles for layout in LAYOUTS)
            lines.append(f"{f'{value} = {operator}':{width}}" + "".join(f"{cycles:8,.0f}" for cycles in costs))
        lines.append("")
        lines.append(left(tr("cycles of a move"), width) + "".join(right(tr("to ") + layout, 8) for layout in LAYOUTS))
        lines += self._moves("logits", [tr("matrix from {before}", before) for before in LAYOUTS], width)
        lines += self._moves(COLUMNS[0], [tr("column from {before}", before) for before in LAYOUTS], width)
        return "\n".join(lines)

    @staticmethod
    def _moves(value: str, names: list[str], width: int) -> list[str]:
        """The lines of the moves of a value, by name, from each layout to all."""
        move, lines = prices().move, []
        for before, name in zip(LAYOUTS, names, strict=True):
            costs = (move[value, before, after].cycles for after in LAYOUTS)
            lines.append(left(shown(name), width) + "".join(f"{cycles:8,.0f}" for cycles in costs))
        return lines

    @staticmethod
    def _require(layouts: dict[str, str]) -> None:
        for value, layout in layouts.items():
            if layout not in LAYOUTS:
                raise HariboteError(
                    tr("{value} cannot be in layout {layout!r}", value, layout),
                    tr("one of {layouts}", ", ".join(LAYOUTS)),
                )
