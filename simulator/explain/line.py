"""`explain`: a line of assembly, or a file, in words: what moves where and what is computed, cycle by cycle.

Everything said comes from the row of the instruction (simulator/isa) and from its decoded operands. It is said in the
language of the moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simulator import isa
from simulator.columns import aligned
from simulator.effects.inputs import names_of
from simulator.explain import wording
from simulator.isa import program as p
from simulator.isa.cost import move_rate
from simulator.isa.formulas import Index, Reference
from simulator.isa.transfers import Transfer, move_transfer, transfer_of
from simulator.isa.units import UNITS
from simulator.messages import joined, shown

ON_CHIP = (p.L1bm, p.L2bm, p.Turnaround, p.Matrix, p.Dar)


@dataclass(frozen=True)
class Sentence:
    """One thing that a line does; details: lines about its operands and cycles; evidence: where we know it from."""

    text: str
    details: tuple[str, ...] = ()
    evidence: str = ""

    def lines(self, evidence: bool = True) -> list[str]:
        """The sentence and, indented below it, its details and its evidence."""
        known = [f"evidence: {self.evidence}"] if evidence and self.evidence else []
        return [shown(self.text), *(f"  {shown(text)}" for text in (*self.details, *known))]


def explain(program: p.Program) -> str:
    """What every line of a program does. Units: words for LM, GRF; long words for all other memories."""
    return "\n\n".join("\n".join(explain_line(line)) for line in program.lines)


def explain_line(line: p.Line, evidence: bool = True) -> list[str]:
    """One line of a program: its text, then what it does, indented. evidence: and where we know it from."""
    body = [text for sentence in sentences(line) for text in sentence.lines(evidence)]
    return [f"{line.line}: {line.text[:200]}", *(f"    {text}" for text in body)]


def sentences(line: p.Line) -> list[Sentence]:
    """What one line of a program does, in order."""
    if isinstance(line, p.Step):
        return list(_step(line))
    return [_move(line) if isinstance(line, p.Move) else Sentence(_debug(line))]


# --- steps -----------------------------------------------------------------------------------------------------------


def _step(step: p.Step) -> Iterator[Sentence]:
    parts = [i for i in step.instructions if i.unit not in ("nop", "wait", "noforward")]
    if step.is_nop:
        steps = f"{step.count} step{'s' * (step.count > 1)}"
        cycles = step.count * isa.STEP_CYCLES
        yield Sentence(f"nothing for {steps} = {cycles} cycles; the forwarding paths keep what they hold")
    elif len(parts) > 1:
        yield Sentence(f"{len(parts)} instructions in one step; all read before any of them writes")
    for instruction in step.instructions:
        if instruction.op != "nop":
            yield _instruction(instruction)
    forwarded = [f"${i.path}" for i in parts if i.path]
    if forwarded and not any(i.op == "noforward" for i in step.instructions):
        yield Sentence(f"the next step finds the result on {', '.join(forwarded)}")


def _instruction(instruction: p.Instruction) -> Sentence:
    row = isa.INSTRUCTIONS[instruction.op]
    lane = UNITS[row.unit].lane
    name = instruction.text.split()[0]
    details = [*_remarks(instruction)]
    transfer = transfer_of(instruction)
    if transfer is not None:
        details.append(transfer.text())
    details += [f"{shown(role)} = {text}" for role, text in _operands(instruction)]
    if instruction.sources or instruction.destinations:
        details += _table(instruction, transfer)
    return Sentence(f"{name}{f' ({lane})' if lane else ''}: {shown(row.meaning)}", tuple(details), row.evidence)


def _remarks(instruction: p.Instruction) -> Iterator[str]:
    row = isa.INSTRUCTIONS[instruction.op]
    size = wording.elements(row.unit, instruction.precision)
    if size and not row.reduces:
        yield size
    if instruction.reduction:
        yield f"combined by {instruction.reduction}, {wording.PRECISIONS[instruction.precision]}"
    if row.unsigned and instruction.precision in "lis":
        yield "unsigned" if instruction.unsigned else "signed"
    if instruction.rows:
        yield f"products only in {'PEs 0 and 1' if instruction.rows == 'u' else 'PEs 2 and 3'} of each MAB"
    if instruction.narrow:
        lower = wording.LOWER.get(instruction.precision, "half")
        yield f"the result is rounded directly to {lower} precision and packed"
    if instruction.kept is not None:
        yield f"{instruction.kept} mantissa bits are kept"
    if instruction.form.from_pes:
        yield "what is sent also stays in the turnaround register, for `$lbi` in the next step"
    if row.unit == "wait":
        yield f"tag {instruction.tag:02x}"
    if instruction.flush is not None:
        cycles = wording.masked(p.WriteMask(instruction.flush, 1))
        yield f"zero-flush: the result is kept {cycles or 'everywhere'}, elsewhere it becomes 0"


def _operands(instruction: p.Instruction) -> Iterator[tuple[str, str]]:
    """Every operand that is not in the formula of a transfer already, behind its part in the instruction."""
    moved = transfer_of(instruction) is not None
    for name, source in zip(names_of(instruction), instruction.sources, strict=True):
        if not isinstance(source.operand, p.L1bm | p.L2bm):
            role = "PE words read" if moved and not isinstance(source.operand, ON_CHIP) else name
            role = "M" if isinstance(source.operand, p.Matrix) else role
            yield role, wording.source(source, instruction.precision)
    for destination in instruction.destinations:
        if isinstance(destination.operand, p.L1bm | p.L2bm):
            continue
        if isinstance(destination.operand, p.Matrix):
            role = "M"
        else:
            role = "PE words written" if moved and not isinstance(destination.operand, ON_CHIP) else "result"
        mask = wording.masked(destination.mask, isinstance(destination.operand, p.MaskRegister))
        yield role, joined(wording.describe(destination.operand), mask)


# --- cycle by cycle --------------------------------------------------------------------------------------------------


def _table(instruction: p.Instruction, transfer: Transfer | None) -> list[str]:
    """A row per cycle: what each input is, and what is written; one row for all where no cycle differs."""
    head = ["cycle", *names_of(instruction), *(["to"] * len(instruction.destinations))]
    rows = [_cycle(instruction, transfer, cycle) for cycle in wording.CYCLES]
    if all(row == rows[0] for row in rows):
        rows = [["0 to 3", *rows[0]]]
    else:
        rows = [[str(cycle), *row] for cycle, row in enumerate(rows)]
    return aligned([[shown(cell) for cell in row] for row in (head, *rows)])


def _cycle(instruction: p.Instruction, transfer: Transfer | None, cycle: int) -> list[str]:
    """What one cycle reads and writes."""

    def cell(operand: p.Operand, end: int) -> str:
        if transfer is None or not isinstance(operand, ON_CHIP):
            return wording.at_cycle(operand, cycle)
        side = (transfer.formula.destination, transfer.formula.source)[end]
        return _place(operand, side, transfer.points(cycle)[end])

    inputs = [cell(source.operand, 1) for source in instruction.sources]
    outputs = [
        cell(d.operand, 0)
        if d.mask is None or cycle in d.mask.cycles
        else f"{wording.short(d.operand)} cleared"
        if isinstance(d.operand, p.MaskRegister)
        else "not written"
        for d in instruction.destinations
    ]
    return [*inputs, *outputs]


def _place(operand: p.Operand, side: Reference, points: Index) -> str:
    """Where a transfer reads or writes, e.g. `L1BM[64-79]`; units where there are several."""
    if isinstance(operand, p.Matrix):
        rows, columns = (_spans(points, i) for i in (0, 1))
        one_row = len(rows) < len(columns)
        return f"row {rows} of ${operand.register}" if one_row else f"column {columns} of ${operand.register}"
    name = "turnaround" if isinstance(operand, p.Turnaround) else side.memory
    addresses = _spans(points, -1)
    if points.shape[1] == 1:
        return f"{name}[{addresses}]"
    return f"{name}[{addresses}] of L1B {_spans(points, 0)}"


def _spans(points: Index, coordinate: int) -> str:
    """The values of one coordinate."""
    return wording.spans(np.unique(points[:, coordinate]).tolist())


# --- MV lines and debug statements -----------------------------------------------------------------------------------


def _move(move: p.Move) -> Sentence:
    transfer = move_transfer(move)
    details = () if transfer is None else tuple(_moved(move, transfer))
    return Sentence(f"{move.op} (MV): {shown(isa.MOVES[move.op].meaning)}", details)


def _moved(move: p.Move, transfer: Transfer) -> Iterator[str]:
    if transfer.reduction:
        yield f"combined by {move.reduction}, {wording.PRECISIONS[move.precision]}"
    yield transfer.text()
    if transfer.known:
        for end, side, points in zip(
            ("to", "from"), (transfer.formula.destination, transfer.formula.source), transfer.points(), strict=True
        ):
            yield f"{end}: {side.memory}[{_spans(points, -1)}] of {_units(side, points)}"
    else:
        longs = isa.DAR_UNIT * move.units
        yield f"A comes from the DRAM address table: an entry is used for {longs} long words, then the next"
    if move.tag is not None:
        yield f"tag {move.tag:02x}: `wait i{move.tag:02x}` holds the program until this is done"
    yield f"{move.size} long words at {move_rate(move)} per cycle: {move.size / move_rate(move):g} cycles"


def _units(side: Reference, points: Index) -> str:
    groups = _spans(points, 0)
    return f"group {groups}" if side.memory != "L2BM" else f"group {groups}, L2B {_spans(points, 1)}"


def _debug(line: p.DebugSet | p.DebugGet | p.DramPreset) -> str:
    if isinstance(line, p.DramPreset):
        return f"writes {len(line.values)} long words to the DRAM of group {line.group} from address {line.address} on"
    target = line.target
    fields = [(level, getattr(target, level)) for level in "ncbmp"]
    unit = " ".join(f"{level}{number}" for level, number in fields if number is not None) or "every unit"
    memory = wording.BANKS.get(target.memory, target.memory.upper())
    if isinstance(line, p.DebugSet):
        return f"sets {len(line.values)} long words of {memory} from address {target.address} on, in {unit}"
    return f"prints {line.count} long words of {memory} from address {target.address} on, of {unit}"
