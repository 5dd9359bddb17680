"""What a program costs by the published rates (isa.md, section 13): a rank of programs, no forecast of device time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from simulator import isa
from simulator.program import Dram, L2bm, Move, Pdm, Program, Step

# Long words per cycle of MV instructions. Sources: section 6 (mvp inside and between groups, mvr into DRAM); the others
# are assumed alike [A], as section 13 proposes.
INSIDE_GROUP = 16
BETWEEN_GROUPS = 8
BROADCAST_FROM_PDM = 8
REDUCE_TO_DRAM = 32
REDUCE_TO_PDM = 8


@dataclass(frozen=True)
class Cost:
    """steps: PE steps of 4 cycles, `nops` of them nops; moves: MV instructions; move_words: their sizes (long words).

    cycles: 4 per step plus, for every MV, size / rate; nothing overlaps. units: instructions by unit ("alu", "mau", …).
    """

    steps: int = 0
    nops: int = 0
    moves: int = 0
    move_words: int = 0
    cycles: float = 0
    units: Mapping[str, int] = field(default_factory=dict)


def move_rate(move: Move) -> int:
    """Long words per cycle of an MV instruction."""
    source = None if move.source is None else move.source.operand
    destination = None if move.destination is None else move.destination.operand
    if move.op.startswith("mvr"):
        return REDUCE_TO_PDM if isinstance(destination, Pdm) else REDUCE_TO_DRAM
    if move.op == "mvb" and isinstance(source, Pdm):
        return BROADCAST_FROM_PDM
    if isinstance(source, Dram | Pdm | L2bm) and isinstance(destination, Dram | Pdm | L2bm):
        between = move.op == "mvp" and source.group != destination.group
        return BETWEEN_GROUPS if between else INSIDE_GROUP
    return INSIDE_GROUP


def cost_of(program: Program) -> Cost:
    """The cost of running a program once."""
    moves = [line for line in program.lines if isinstance(line, Move)]
    instructions = [(i, s.count) for s in program.lines if isinstance(s, Step) for i in s.instructions]
    units: Counter[str] = Counter()
    for instruction, count in instructions:
        units[instruction.unit] += count
    cycles = isa.STEP_CYCLES * program.steps + sum(move.size / move_rate(move) for move in moves)
    return Cost(program.steps, program.nops, len(moves), program.move_words, cycles, dict(units))


def sum_costs(costs: Iterable[Cost]) -> Cost:
    """The cost of several programs one after another."""
    total = Cost()
    for cost in costs:
        total = Cost(
            total.steps + cost.steps,
            total.nops + cost.nops,
            total.moves + cost.moves,
            total.move_words + cost.move_words,
            total.cycles + cost.cycles,
            dict(Counter(total.units) + Counter(cost.units)),
        )
    return total
