"""What moves cost: guessed at first, then known of those that a plan really wants.

The planner weighs thousands of moves, and writing one takes a search. So it plans by guesses, has the moves of its plan
written and priced, and plans again until the moves that it wants are known. Prices are kept between runs, so that no
move is written twice; but a plan knows only those that it asked for, and does not depend on what was planned before it.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache, lru_cache
from pathlib import Path

from haribote.stack import moves, paths
from haribote.stack.code import Code
from haribote.stack.maps import BitMap
from haribote.stack.places import NoRoom, Place
from haribote.stack.planner.guess import NEVER, guess
from simulator import assemble
from simulator.assembly.checks import fix_nops
from simulator.cache import cache_folder
from simulator.files import FileError, write_file
from simulator.isa.cost import cost_of

Ask = tuple[BitMap, BitMap, str]
"""The map before, the map after, and what joins parts."""


__all__ = ["NEVER", "Ask", "Tariff"]


class Tariff:
    """Prices in cycles, one move after another. gathers: those of a graph's gathers by the maps before and after and
    the name of the index, which no plan changes."""

    def __init__(self) -> None:
        self.gathers: dict[tuple[BitMap, BitMap, str], float] = {}
        self._guessed: dict[Ask, float] = {}
        self._known: dict[str, float] = {}
        self._kept = _read()
        self._new: dict[str, float] = {}

    def price(self, source: BitMap, target: BitMap, combine: str = "") -> float:
        """Cycles of a move, as far as known."""
        ask = source, target, combine
        known = self._known.get(_key(ask))
        if known is not None:
            return known
        if ask not in self._guessed:
            self._guessed[ask] = guess(source, target)
        return self._guessed[ask]

    def learn(self, source: BitMap, target: BitMap, combine: str = "") -> bool:
        """Find out what a move costs. False where it was known."""
        key = _key((source, target, combine))
        if key in self._known:
            return False
        if key not in self._kept:
            self._kept[key] = self._new[key] = _written(source, target, combine)
        self._known[key] = self._kept[key]
        return True

    def save(self) -> None:
        """Keep what was written for the next run; nothing happens where nothing was."""
        if not self._new:
            return
        try:
            _file().parent.mkdir(parents=True, exist_ok=True)
            kept = {**_read(), **self._new}  # another process may have written others
            write_file(_file(), json.dumps(kept).encode(), durable=False)
            self._new = {}
        except (OSError, FileError):
            pass  # a cache that cannot be written costs time only


def _written(source: BitMap, target: BitMap, combine: str) -> float:
    """The cycles of a move as it is written, from one bank to the other."""
    code = Code()
    try:
        moves.emit(code, Place("LM1", 0, source), Place("LM0", 0, target), combine)
    except NoRoom:
        return NEVER
    return cost_of(assemble(fix_nops(assemble("\n".join(code.lines) + "\n")))).cycles


@lru_cache(maxsize=1 << 16)
def _key(ask: Ask) -> str:
    """The same for asks that differ in the names of index bits only."""
    source, target = paths.anonymous(*ask[:2])
    return f"{_digest(source)}-{_digest(target)}-{ask[2]}"


@lru_cache(maxsize=1 << 14)
def _digest(found: BitMap) -> str:
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16]


@cache
def _file() -> Path:
    """Where prices are kept of the moves as this version writes them."""
    folder = Path(paths.__file__).parent
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sorted(folder.glob("*.py"))))
    return cache_folder() / "stack" / f"prices-{digest.hexdigest()[:16]}.json"


def _read() -> dict[str, float]:
    try:
        found = json.loads(_file().read_text("utf-8"))
        return {str(key): float(price) for key, price in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):  # not there, or not as we write it
        return {}
