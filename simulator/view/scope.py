"""The part of the chip whose values are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.engine.state.contents import UNITS, Level
from simulator.errors import SimulatorError
from simulator.isa import ALL_PES
from simulator.isa.tree import SIZES, name_of, numbers_of
from simulator.messages import tr

_UNIT = re.compile(r"(?:n(\d+)(?:c(\d+)(?:b(\d+)(?:m(\d+)(?:p(\d+))?)?)?)?)?")


@dataclass(frozen=True, slots=True)
class ChipPart:
    """A unit and everything below it, e.g. n0c1 for an L2B; no numbers for the whole chip."""

    numbers: tuple[int, ...]

    @property
    def name(self) -> str:
        """`n0c1b2m3p0`, or as much of it as is given."""
        return name_of(self.numbers)

    def pes(self) -> slice:
        """The PEs below it."""
        first, count = 0, ALL_PES
        for size, number in zip(SIZES.values(), self.numbers, strict=False):
            count //= size
            first += number * count
        return slice(first, first + count)


@dataclass(frozen=True, slots=True)
class Scope:
    """Some units; the first is where narrowing leads to."""

    parts: tuple[ChipPart, ...]

    def units(self, level: Level) -> NDArray[np.bool_] | None:
        """Which units of a level are inside, or have a part inside; None for all."""
        pes = np.zeros(ALL_PES, np.bool_)
        for part in self.parts:
            pes[part.pes()] = True
        inside: NDArray[np.bool_] = np.logical_or.reduce(pes.reshape(UNITS[level], -1), axis=1)
        return None if inside.all() else inside

    @property
    def names(self) -> list[str]:
        """The names of the units; empty for the whole chip."""
        return [part.name for part in self.parts if part.numbers]


CHIP = Scope((ChipPart(()),))


def narrower(scope: Scope, pe: int = 0) -> Scope | None:
    """The next smaller part around a PE: the chip, then one group, L2B, L1B, MAB, PE. None where there is none."""
    depth = len(scope.parts[0].numbers) + 1
    return Scope((ChipPart(numbers_of("ncbmp", pe)[:depth]),)) if depth <= len(SIZES) else None


def parse_unit(text: str) -> ChipPart:
    """`n0c1b2m3p0` or the first letters of it. Raises SimulatorError."""
    match = _UNIT.fullmatch(text)
    if not text or match is None:
        raise SimulatorError(
            tr("`{text}` does not name a unit", text), tr("n0c0b0m0p0, or n0c0 for an L2B and all below it")
        )
    numbers = tuple(int(number) for number in match.groups() if number is not None)
    for (level, size), number in zip(SIZES.items(), numbers, strict=False):
        if number >= size:
            last = size - 1
            raise SimulatorError(tr("`{text}`: {level} goes from 0 to {last}", text, level, last), f"{level}{last}")
    return ChipPart(numbers)
