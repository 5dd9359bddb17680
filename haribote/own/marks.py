"""Marks for the fewest cycles of a training step: of the small and of the large network, by one's own compiler alone.

A step of 256 images, as `haribote train --network NAME --backend sim --mine` counts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from haribote.words import word
from simulator.messages import Text, joined, tr

MEDALS = ("par", "silver", "gold")


def halfway(par: int, gold: int) -> int:
    """The most that silver may cost: half of the way from par to gold."""
    return (par + gold) // 2


@dataclass(frozen=True)
class Marks:
    """Cycles of a step. par: a first mark, which the generators of stage 05 keep at -O0. gold: what the reference
    kernels take at -O0.
    """

    network: Text
    par: int
    gold: int

    @property
    def silver(self) -> int:
        """The most cycles for silver."""
        return halfway(self.par, self.gold)

    def medal(self, cycles: float) -> str:
        """One of MEDALS, or "" for none."""
        return next((name for name in reversed(MEDALS) if cycles <= getattr(self, name)), "")

    def line(self, cycles: float) -> str:
        """What a step of one's own has reached, and what there is beyond it."""
        medal = word(self.medal(cycles)) or tr("no medal yet")
        reached = tr("{network}, all yours: {cycles:,.0f} cycles a step, {medal}", self.network, cycles, medal)
        beyond = [f"{word(name)} {getattr(self, name):,}" for name in MEDALS if cycles > getattr(self, name)]
        return tr("{reached} (next: {beyond})", reached, joined(*beyond)) if beyond else reached


MARKS: Mapping[str, Marks] = {
    "small": Marks(Text("the small network"), par=9_000, gold=5_584),
    "large": Marks(Text("the large network"), par=23_000, gold=19_640),
}
"""By the name of the network, with its 16 hidden units."""
