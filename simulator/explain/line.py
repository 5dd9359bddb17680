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
from simulator.messages import Text, joined, shown, tr

ON_CHIP = (p.L1bm, p.L2bm, p.Turnaround, p.Matrix, p.Dar)


@dataclass(frozen=True)
class Sentence:
    """One thing that a line does; details: lines about its operands and cycles; evidence: where we know it from."""

    text: str
    details: tuple[str, ...] = ()
    evidence: str = ""

    def lines(self, evidence: bool = True) -> list[str]:
        """The sentence and, indented below it, its details and its evidence."""
        known = [tr("evidence: {evidence}", self.evidence)] if evidence and self.evidence else []
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
        steps = tr("{count} step{s}", step.count, "s" * (step.count > 1))
        cycles = step.count * isa.STEP_CYCLES
        yield Sentence(
            tr("nothing for {steps} = {cycles} cycles; the forwarding paths keep what they hold", steps, cycles)
        )
    elif len(parts) > 1:
        yield Sentence(tr("{parts} instructions in one step; all read before any of them writes", len(parts)))
    for instruction in step.instructions:
        if instruction.op != "nop":
            yield _instruction(instruction)
    forwarded = [f"${i.path}" for i in parts if i.path]
    if forwarded and not any(i.op == "noforward" for i in step.instructions):
        yield Sentence(tr("the next step finds the result on {forwarded}", ", ".join(forwarded)))


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
        yield tr(
            "combined by {reduction}, {precisions}", instruction.reduction, wording.PRECISIONS[instruction.precision]
        )
    if row.unsigned and instruction.precision in "lis":
        yield tr("unsigned") if instruction.unsigned else tr("signed")
    if instruction.op in ("mmul", "mfma") and instruction.precision == "f":
        yield tr("j counts the 4 PEs: M[i, 2j] times the first word of x in PE j")
    if instruction.rows:
        yield tr(
            "products only in {value} of each MAB", tr("PEs 0 and 1") if instruction.rows == "u" else tr("PEs 2 and 3")
        )
    if instruction.narrow:
        lower = wording.LOWER.get(instruction.precision, Text("half"))
        yield tr("the result is rounded directly to {lower} precision and packed", lower)
    if instruction.kept is not None:
        yield tr("{kept} mantissa bits are kept", instruction.kept)
    if instruction.form.from_pes:
        yield tr("what is sent also stays in the turnaround register, for `$lbi` in the next step")
    if row.unit == "wait":
        yield tr("tag {tag:02x}", instruction.tag)
    if instruction.flush is not None:
        singles = instruction.unit == "mau" and instruction.precision == "h" and not instruction.narrow
        cycles = wording.masked(
            p.WriteMask(instruction.flush, 4 if singles else 1)
        )  # results of halves are four singles
        yield tr("zero-flush: the result is kept {value}, elsewhere it becomes 0", cycles or tr("everywhere"))


def _operands(instruction: p.Instruction) -> Iterator[tuple[str, str]]:
    """Every operand that is not in the formula of a transfer already, behind its part in the instruction."""
    moved = transfer_of(instruction) is not None
    for name, source in zip(names_of(instruction), instruction.sources, strict=True):
        if not isinstance(source.operand, p.L1bm | p.L2bm):
            role = tr("PE words read") if moved and not isinstance(source.operand, ON_CHIP) else name
            role = "M" if isinstance(source.operand, p.Matrix) else role
            yield role, wording.source(source, instruction.precision)
    for destination in instruction.destinations:
        if isinstance(destination.operand, p.L1bm | p.L2bm):
            continue
        if isinstance(destination.operand, p.Matrix):
            role = "M"
        else:
            role = tr("PE words written") if moved and not isinstance(destination.operand, ON_CHIP) else tr("result")
        mask = wording.masked(destination.mask, isinstance(destination.operand, p.MaskRegister))
        yield role, joined(wording.describe(destination.operand), mask)


# --- cycle by cycle --------------------------------------------------------------------------------------------------


def _table(instruction: p.Instruction, transfer: Transfer | None) -> list[str]:
    """A row per cycle: what each input is, and what is written; one row for all where no cycle differs."""
    head = [tr("cycle"), *names_of(instruction), *([tr("to")] * len(instruction.destinations))]
    rows = [_cycle(instruction, transfer, cycle) for cycle in wording.CYCLES]
    if all(row == rows[0] for row in rows):
        rows = [[tr("0 to 3"), *rows[0]]]
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
        else tr("{operand} cleared", wording.short(d.operand))
        if isinstance(d.operand, p.MaskRegister)
        else tr("not written")
        for d in instruction.destinations
    ]
    return [*inputs, *outputs]


def _place(operand: p.Operand, side: Reference, points: Index) -> str:
    """Where a transfer reads or writes, e.g. `L1BM[64-79]`; units where there are several."""
    if isinstance(operand, p.Matrix):
        few_rows = len(np.unique(points[:, 0])) < len(np.unique(points[:, 1]))
        if few_rows:
            return tr("row {rows} of ${register}", _spans(points, 0), operand.register)
        return tr("column {columns} of ${register}", _spans(points, 1), operand.register)
    name = tr("turnaround") if isinstance(operand, p.Turnaround) else side.memory
    addresses = _spans(points, -1)
    if points.shape[1] == 1:
        return f"{name}[{addresses}]"
    return tr("{name}[{addresses}] of L1B {points}", name, addresses, _spans(points, 0))


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
        yield tr("combined by {reduction}, {precisions}", move.reduction, wording.PRECISIONS[move.precision])
    yield transfer.text()
    if transfer.known:
        for end, side, points in zip(
            (tr("to"), tr("from")),
            (transfer.formula.destination, transfer.formula.source),
            transfer.points(),
            strict=True,
        ):
            yield tr("{end}: {memory}[{points}] of {side}", end, side.memory, _spans(points, -1), _units(side, points))
    else:
        longs = isa.DAR_UNIT * move.units
        yield tr("A comes from the DRAM address table: an entry is used for {longs} long words, then the next", longs)
    if move.tag is not None:
        yield tr("tag {tag:02x}: `wait i{tag:02x}` holds the program until this is done", move.tag)
    rate = move_rate(move)
    yield tr("{size} long words at {move} per cycle: {value:g} cycles", move.size, rate, move.size / rate)


def _units(side: Reference, points: Index) -> str:
    groups = _spans(points, 0)
    if side.memory != "L2BM":
        return tr("group {groups}", groups)
    return tr("group {groups}, L2B {points}", groups, _spans(points, 1))


def _debug(line: p.DebugSet | p.DebugGet | p.DramPreset) -> str:
    if isinstance(line, p.DramPreset):
        return tr(
            "writes {values} long words to the DRAM of group {group} from address {address} on",
            len(line.values),
            line.group,
            line.address,
        )
    target = line.target
    fields = [(level, getattr(target, level)) for level in "ncbmp"]
    unit = " ".join(f"{level}{number}" for level, number in fields if number is not None) or tr("every unit")
    memory = wording.BANKS.get(target.memory, target.memory.upper())
    if isinstance(line, p.DebugSet):
        return tr(
            "sets {values} long words of {memory} from address {address} on, in {unit}",
            values=len(line.values),
            memory=memory,
            address=target.address,
            unit=unit,
        )
    return tr(
        "prints {count} long words of {memory} from address {address} on, of {unit}",
        line.count,
        memory,
        target.address,
        unit,
    )
