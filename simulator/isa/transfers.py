"""The index formula of one decoded instruction: its row's formula and what the operands make constant in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from simulator import isa
from simulator.isa.formulas import Formula, Index, parse
from simulator.isa.program import Dar, Dram, Instruction, L1bm, L2bm, Matrix, Move, Operand, Pdm, Turnaround
from simulator.isa.rows import kind_of

ELEMENTS: Mapping[str, int] = {"d": 1, "f": 2, "g": 2, "h": 4}
"""Elements per long word and PE, by precision: a matrix has four times as many rows and columns."""


@dataclass(frozen=True)
class Transfer:
    """constants, chosen: as in `Formula.points`. A is missing where the address comes from the DRAM address table."""

    formula: Formula
    constants: Mapping[str, int]
    chosen: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    reduction: str = ""

    @property
    def known(self) -> bool:
        """True where all addresses are known without running the program."""
        return {"A", "B"} <= self.constants.keys()

    def points(self, cycle: int | None = None) -> tuple[Index, Index]:
        """All pairs of coordinates, or those of one cycle; addresses past the end of a memory wrap around."""
        constants = self.constants if cycle is None else {**self.constants, "c": cycle}
        ends = self.formula.points(constants, self.chosen)
        for points, side in zip(ends, (self.formula.destination, self.formula.source), strict=True):
            if side.memory in isa.LONGS:
                points[:, -1] %= isa.LONGS[side.memory]
        return ends

    @cached_property
    def all_points(self) -> tuple[Index, Index]:
        """`points` of all cycles, kept."""
        return self.points()

    @cached_property
    def points_from_0(self) -> tuple[Index, Index]:
        """The same with addresses that are not known counted from 0, and without wrapping around; kept."""
        return self.formula.points({"A": 0, "B": 0, **self.constants}, self.chosen)

    def text(self) -> str:
        """The formula with the addresses of this instruction."""
        return self.formula.text(self.constants, self.chosen, self.reduction)


def _address(operand: Operand) -> int | None:
    if isinstance(operand, L1bm | L2bm | Dram | Pdm):
        return operand.address
    if isinstance(operand, Dar):
        return operand.entry
    if isinstance(operand, Matrix):
        return operand.row
    return 0 if isinstance(operand, Turnaround) else None


def matrix_constants(matrix: Matrix, precision: str) -> dict[str, int]:
    """What a matrix makes constant in a formula: elements per long word, rows, rows or columns per cycle."""
    elements = ELEMENTS[precision]
    return {"E": elements, "N": 4 * elements, "D": 2 if matrix.double else 1}


@lru_cache(maxsize=1 << 12)
def transfer_of(instruction: Instruction) -> Transfer | None:
    """The transfer that a PE instruction is; None where its words stay in their PE."""
    form = instruction.form
    if not form.formula:
        return None
    constants: dict[str, int] = {}
    chosen: dict[str, tuple[int, ...]] = {}
    for name, operand in (("A", instruction.sources[0].operand), ("B", instruction.destinations[0].operand)):
        constants[name] = _address(operand) or 0
        if isinstance(operand, L1bm | Turnaround) and instruction.unit == "l1bm":
            constants["W"] = operand.words // 2
        if isinstance(operand, Matrix):
            constants |= matrix_constants(operand, instruction.precision)
    if instruction.unit == "alu":
        constants["W"] = 1
    if instruction.op == "l1bmd":
        constants["n"] = instruction.shift
    if form.at == "mab":
        constants["k"] = instruction.mab
    if form.at == "indirect":
        constants["i"] = instruction.free
    if form.at == "l1b":
        constants["b"] = min(instruction.l1bs or {0})
    elif instruction.l1bs is not None:
        chosen["s" if form.at == "indirect" else "b"] = tuple(sorted(instruction.l1bs))
    return Transfer(parse(form.formula), constants, chosen, _reduction(instruction))


@lru_cache(maxsize=1 << 12)
def move_transfer(move: Move) -> Transfer | None:
    """The transfer that an MV instruction is; None for mvnop."""
    if move.source is None or move.destination is None:
        return None
    source, destination = move.source.operand, move.destination.operand
    form = isa.MOVES[move.op].forms[kind_of(source), kind_of(destination)]
    constants = {"n": move.size}
    for operand, letters in ((source, "AGL"), (destination, "BHK")):
        address, group = _address(operand), getattr(operand, "group", None)
        constants |= {letters[0]: address} if address is not None else {}
        constants |= {letters[1]: group} if group is not None else {}
        constants[letters[2]] = operand.l2b or 0 if isinstance(operand, L2bm) else 0
    return Transfer(parse(form.formula), constants, reduction=_reduction(move))


def _reduction(line: Instruction | Move) -> str:
    return f"{line.precision}{line.reduction}" if line.reduction else ""


def turnaround_block(instruction: Instruction, operand: L1bm | Turnaround) -> tuple[str, int]:
    """The name of the block that a transfer keeps in the turnaround register or takes from it, and its long words.

    Transfers of one family, by how many MABs of an L1B have words of their own, can read each other's block.
    """
    wide, form = operand.words // 2, instruction.form
    family = {1: "l1bmm", 4: "l1bmm4", 16: "l1bmd"}[form.l1bm // isa.PES_PER_MAB]
    return f"{family} $l{'l' * (wide - 1)}bi", isa.STEP_CYCLES * form.l1bm * wide
