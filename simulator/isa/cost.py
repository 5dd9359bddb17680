"""What a program costs by the published rates (isa.md, section 13): a rank of programs, no forecast of device time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from simulator import isa
from simulator.isa.program import Dram, DramIndirect, L2bm, Move, Pdm, Program, Step
from simulator.messages import Text, tr


@dataclass(frozen=True, slots=True)
class Rate:
    """Long words per cycle of a kind of MV instruction, counted by its size operand, and where the number is from."""

    kind: str
    longs: int
    source: str


INSIDE_GROUP = Rate(
    Text("inside a group"),
    16,
    Text("D for mvp between PDM and L2BM (section 6); A for other memories, mvb2, mvb4, mvd"),
)
BETWEEN_GROUPS = Rate(
    Text("mvp between groups"), 8, Text("D for mvp between PDM and L2BM (section 6); A for other memories")
)
BROADCAST_FROM_PDM = Rate(Text("mvb from a PDM"), 8, Text("A (section 13)"))
REDUCE_TO_DRAM = Rate(
    Text("mvr, mvr2, mvr4 into DRAM"), 32, Text("D for mvr (section 6); A for the others: mvr4 is given as 16")
)
REDUCE_TO_PDM = Rate(Text("mvr into a PDM"), 8, Text("A (section 13)"))
RATES = (INSIDE_GROUP, BETWEEN_GROUPS, BROADCAST_FROM_PDM, REDUCE_TO_DRAM, REDUCE_TO_PDM)

NOT_KNOWN = (
    Text("how long an MV instruction takes before its first word arrives: no latency was ever published"),
    Text("overlap: with tags, a device runs steps while an MV is under way; here every MV is waited for"),
    Text("the DRAM's own rate: 128 GB/s per group would be near 21 long words per cycle at 0.75 GHz (both derived)"),
    Text(
        "an MV can be issued only every 4th step, and a program is fetched in blocks of 128 bytes; neither is counted"
    ),
)
"""What the cost leaves out, since nothing public says how to count it."""


@dataclass(frozen=True)
class Cost:
    """steps: PE steps of 4 cycles, `nops` of them nops; moves: MV instructions; move_words: their sizes (long words).

    cycles: 4 per step plus, for every MV, size / rate; nothing overlaps. units: instructions by unit ("alu", "mau", …).
    overlapped: cycles where MVs run beside steps, None where that was not counted.
    """

    steps: int = 0
    nops: int = 0
    moves: int = 0
    move_words: int = 0
    cycles: float = 0
    units: Mapping[str, int] = field(default_factory=dict)
    overlapped: float | None = None

    @property
    def fewest(self) -> float:
        """Cycles, overlapped where that was counted."""
        return self.cycles if self.overlapped is None else self.overlapped

    @property
    def figures(self) -> str:
        """`serial 3,912  overlapped 2,540 cycles`; what was not counted is left out."""
        if self.overlapped is None:
            return tr("serial {cycles:,.0f} cycles", self.cycles)
        return tr("serial {cycles:,.0f}  overlapped {overlapped:,.0f} cycles", self.cycles, self.overlapped)


def move_rate(move: Move) -> int:
    """Long words per cycle of an MV instruction."""
    return _rate(move).longs


def _rate(move: Move) -> Rate:
    source = None if move.source is None else move.source.operand
    destination = None if move.destination is None else move.destination.operand
    if move.op.startswith("mvr"):
        return REDUCE_TO_PDM if isinstance(destination, Pdm) else REDUCE_TO_DRAM
    if move.op == "mvb" and isinstance(source, Pdm):
        return BROADCAST_FROM_PDM
    places = Dram | DramIndirect | Pdm | L2bm
    if isinstance(source, places) and isinstance(destination, places):
        between = move.op == "mvp" and source.group != destination.group
        return BETWEEN_GROUPS if between else INSIDE_GROUP
    return INSIDE_GROUP


def cost_of(program: Program) -> Cost:
    """The cost of running a program once."""
    moves = [line for line in program.lines if isinstance(line, Move)]
    units: Counter[str] = Counter()
    for step in program.lines:
        if isinstance(step, Step):
            for instruction in step.instructions:
                units[instruction.unit] += step.count
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
