"""What a compiled step costs on the machine, operator by operator: where there is something to gain."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from haribote.chip.codegen import ChipPiece
from haribote.chip.program import Compiled
from haribote.passes.placement import row_of
from haribote.words import word
from simulator import assemble
from simulator.columns import columns, left, right
from simulator.isa.cost import Cost, cost_of
from simulator.messages import tr

FLOOR = 2050
"""Cycles of a step that reads the images once from DRAM and does all else on the chip, overlapped (an estimate)."""


@dataclass(frozen=True)
class KernelCost:
    """What all uses of one kernel in a step cost together; steps with the nops inside. share: of the step's cycles.

    whose: "yours" or "course".
    """

    name: str
    task: str
    whose: str
    uses: int
    steps: int
    moves: int
    cycles: float
    share: float


@dataclass(frozen=True)
class StepCost:
    """The kernels of a step, the dearest first; `between`: cycles of the nops that stand between kernels."""

    total: Cost
    kernels: tuple[KernelCost, ...]
    between: float

    @property
    def transfers(self) -> float:
        """The share of the cycles that DL and UL take, 0 to 1."""
        return sum(kernel.share for kernel in self.kernels if kernel.name.startswith(("dl_", "ul_")))

    def __str__(self) -> str:
        head = tuple(map(word, ("kernel", "task", "whose", "uses", "steps", "MV", "cycles", "share")))
        rows = [
            (kernel.name, kernel.task, word(kernel.whose), *map(str, (kernel.uses, kernel.steps, kernel.moves)),
             f"{kernel.cycles:,.0f}", f"{kernel.share:.1%}")
            for kernel in self.kernels
        ]  # fmt: skip
        rows.append((tr("between kernels"), "", "", "", f"{self.between / 4:.0f}", "", f"{self.between:,.0f}", ""))
        total = self.total
        rows.append((tr("together"), "", "", "", str(total.steps), str(total.moves), f"{total.cycles:,.0f}", ""))
        widths = [max(map(columns, column)) for column in zip(head, *rows, strict=True)]
        return "\n".join(_line(row, widths) for row in (head, *rows))

    __repr__ = __str__


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    """Names to the left of their columns, numbers to the right."""
    cells = [
        left(text, width) if k < 3 else right(text, width)
        for k, (text, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def step_cost(compiled: Compiled) -> StepCost:
    """The cost of a compiled step by kernel. What the host does costs the machine nothing."""
    costs: dict[tuple[str, str, str], list[Cost]] = defaultdict(list)
    for piece in compiled.pieces:
        row = row_of(piece.node)
        if isinstance(piece, ChipPiece) and row is not None:
            key = row.name, piece.task, "yours" if piece.owner == "yours" else "course"
            costs[key].append(cost_of(assemble("\n".join(piece.lines), filename=row.name)))
    total = compiled.cost
    kernels = [_together(*key, found, max(total.cycles, 1.0)) for key, found in costs.items()]
    between = total.cycles - sum(kernel.cycles for kernel in kernels)
    return StepCost(total, tuple(sorted(kernels, key=lambda kernel: -kernel.cycles)), between)


def _together(name: str, task: str, whose: str, costs: list[Cost], all_cycles: float) -> KernelCost:
    cycles = sum(cost.cycles for cost in costs)
    steps, moves = sum(cost.steps for cost in costs), sum(cost.moves for cost in costs)
    return KernelCost(name, task, whose, len(costs), steps, moves, cycles, cycles / all_cycles)
