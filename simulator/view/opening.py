"""Where a page begins: at a word that is wrong, with what was expected of it, or at a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.effects.places import LONG_WORD, Place
from simulator.effects.running import Touch
from simulator.engine.state.contents import KINDS, UNITS
from simulator.isa import ALL_PES
from simulator.messages import shown


@dataclass(frozen=True)
class Opening:
    """What a page shows first. title: a headline; sentences: what there is to say, first things first.

    word: where to look. name: what it is for the reader, such as `y[0, 3]`. expected: its right bits, None where no
    value is the right one. received: its bits at the end. line: of the text to begin at, None for the start.
    """

    title: str
    sentences: Sequence[str] = ()
    word: Place | None = None
    name: str = ""
    expected: int | None = None
    received: int | None = None
    line: int | None = None


@dataclass(frozen=True)
class Spot:
    """A word as the page counts: memory, its address there, half of a long word, and a PE at or below its unit."""

    memory: str
    address: int
    half: int
    pe: int


def spot_of(place: Place) -> Spot:
    """The place of a trace as the page names it."""
    pe = place.unit * (ALL_PES // UNITS[KINDS[place.memory].level])
    if place.memory in LONG_WORD:
        return Spot(place.memory, *divmod(place.word, 2), pe)
    return Spot(place.memory, place.word // 4 if place.memory == "omr" else place.word, 0, pe)


def touch_of(opening: Opening) -> list[Touch]:
    """The word of an opening, to be kept whether or not a line touches it."""
    if opening.word is None:
        return []
    spot = spot_of(opening.word)
    return [Touch(spot.memory, False, np.array([spot.address]))]


def encoded(opening: Opening, frame: int) -> dict[str, Any]:
    """For the page. frame: where it begins."""
    sentences = list(map(shown, opening.sentences))
    found: dict[str, Any] = {"title": shown(opening.title), "sentences": sentences, "frame": frame}
    if opening.word is not None:
        spot = spot_of(opening.word)
        found |= {
            "memory": spot.memory, "address": spot.address, "half": spot.half, "pe": spot.pe, "name": opening.name,
            "expected": opening.expected, "received": opening.received, "place": shown(str(opening.word)),
        }  # fmt: skip
    return found
