"""Whose kernels do how much of a step: words moved, steps, cycles, counted in the text that each kernel yields.

What pieces cost adds up to what the linked program costs, but for the nops that the linker puts between kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from haribote.chip.codegen import ChipPiece
from haribote.chip.program import Compiled
from haribote.passes.placement import row_of
from simulator import assemble
from simulator.explain.moved_words import words_moved
from simulator.isa.cost import Cost, cost_of, sum_costs
from simulator.messages import tr

NOTHING = Cost()


@dataclass(frozen=True)
class Share:
    """What the kernels of one owner do in a step.

    tasks: whose kernels these are, in the order in which the step meets them. pieces: how often they run in a step,
    each DL and UL counted. words: of 32 bits that arrive in the memories of the chip, as `draw.traffic` counts them.
    cost: without nops between kernels.
    """

    tasks: tuple[str, ...] = ()
    pieces: int = 0
    words: int = 0
    cost: Cost = NOTHING


@dataclass(frozen=True)
class Shares:
    """The parts of a step by owner: "yours", "reference", and "compiler" for the copies of -O1.

    between: steps of nops that the linker puts between kernels, before a scheduler; they are nobody's.
    """

    parts: Mapping[str, Share]
    between: int

    def part(self, owner: str) -> Share:
        """The part of an owner, empty where there is none."""
        return self.parts.get(owner, Share())

    @property
    def whole(self) -> Share:
        """All parts together."""
        parts = self.parts.values()
        tasks = dict.fromkeys(task for part in parts for task in part.tasks)
        cost = sum_costs(part.cost for part in parts)
        return Share(tuple(tasks), sum(part.pieces for part in parts), sum(part.words for part in parts), cost)

    def words(self, owner: str) -> float:
        """The owner's share of the words that the step moves, 0 to 1."""
        return self.part(owner).words / max(1, self.whole.words)

    def steps(self, owner: str) -> float:
        """The owner's share of the steps of all kernels, 0 to 1."""
        return self.part(owner).cost.steps / max(1, self.whole.cost.steps)

    def counts(self, owner: str) -> str:
        """`3 of 33 kernels, 12 % of the words moved, 4.1 % of the steps`."""
        words, steps = per_cent(self.words(owner)), per_cent(self.steps(owner))
        kernels = tr("{tasks} of {tasks2} kernels", len(self.part(owner).tasks), len(self.whole.tasks))
        return tr("{kernels}, {words} of the words moved, {steps} of the steps", kernels, words, steps)


def shares_of(compiled: Compiled) -> Shares:
    """The shares of a compiled step: what runs on the chip, by whose kernel yields it."""
    pieces = [piece for piece in compiled.pieces if isinstance(piece, ChipPiece)]
    owners = dict.fromkeys(piece.owner for piece in pieces)
    parts = {owner: part_of(piece for piece in pieces if piece.owner == owner) for owner in owners}
    linked = compiled.unscheduled or compiled.cost
    return Shares(parts, linked.steps - sum(part.cost.steps for part in parts.values()))


def per_cent(share: float) -> str:
    """`12 %`, `4.1 %` below a tenth, and never 0 % or 100 % for what is not quite so."""
    percent = 100 * share
    if 0 < percent < 0.1:
        return tr("under 0.1 %")
    if 0 < percent < 9.95:
        return f"{percent:.1f} %"
    return f"{min(round(percent), 99) if percent < 100 else 100:.0f} %"


def part_of(pieces: Iterable[ChipPiece]) -> Share:
    """What these pieces do in a step."""
    found = list(pieces)
    rows = [row_of(piece.node) for piece in found]
    tasks = dict.fromkeys(row.task for row in rows if row is not None)
    programs = [assemble("\n".join(piece.lines), filename=tr("kernel of {name}", piece.node.name)) for piece in found]
    words = sum(sum(words_moved(program).values()) for program in programs)
    return Share(tuple(tasks), len(found), words, sum_costs(map(cost_of, programs)))
