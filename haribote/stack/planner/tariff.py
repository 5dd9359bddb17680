"""What moves cost: guessed at first, then known of those that a plan really wants.

The planner weighs thousands of moves, and a path takes some milliseconds. So it plans by guesses, has the moves of its
plan priced, and plans again until the moves that it wants are known.
"""

from __future__ import annotations

from functools import lru_cache

from haribote.stack import moves
from haribote.stack.maps import BitMap
from haribote.stack.paths import anonymous
from haribote.stack.places import NoRoom
from haribote.stack.planner.guess import NEVER, guess

Ask = tuple[BitMap, BitMap, str]
"""The map before, the map after, and what joins parts."""


__all__ = ["NEVER", "Ask", "Tariff"]


class Tariff:
    """Prices in cycles, one move after another. gathers: those of a graph's gathers by the maps before and after and
    the name of the index, which no plan changes."""

    def __init__(self) -> None:
        self.gathers: dict[tuple[BitMap, BitMap, str], float] = {}
        self._guessed: dict[bool, dict[Ask, float]] = {False: {}, True: {}}  # with care, boldly
        self._known: dict[Ask, float] = {}
        self._now: dict[Ask, float] = {}  # today's prices
        self._boldly = True

    def begin(self, boldly: bool) -> None:
        """A round, in which what is not known is guessed boldly (`planner.guess`), or with more care."""
        self._boldly = boldly
        self._now.clear()

    def price(self, source: BitMap, target: BitMap, combine: str = "") -> float:
        """Cycles of a move, as far as known."""
        ask = source, target, combine
        price = self._now.get(ask)
        if price is None:
            price = self._known.get(_anonymous(ask))
            if price is None:
                guessed = self._guessed[self._boldly]
                price = guessed[ask] if ask in guessed else guess(source, target, self._boldly)
                guessed[ask] = price
            self._now[ask] = price
        return price

    def learn(self, source: BitMap, target: BitMap, combine: str = "") -> bool:
        """Find out what a move costs. False where it was known."""
        key = _anonymous((source, target, combine))
        if key in self._known:
            return False
        try:
            self._known[key] = moves.price(source, target, combine)
        except NoRoom:
            self._known[key] = NEVER
        self._now.clear()
        return True


@lru_cache(maxsize=1 << 15)
def _anonymous(ask: Ask) -> Ask:
    """The same for asks that differ in the names of index bits only."""
    return *anonymous(*ask[:2]), ask[2]
