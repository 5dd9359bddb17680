"""What one line of assembly does, as a picture: which words of which units it reads and which it writes.

Every shape that stands for words written carries `data-name="writes MEMORY UNITS WORDS"`, with UNITS such as `b3` or
`m0-15 p2` (levels that are not named: all units) and WORDS in the memory's own addresses. A test compares this with
what the machine changes.
"""

from __future__ import annotations

from simulator import isa
from simulator.errors import SimulatorError
from simulator.isa import program as p
from simulator.isa.transfers import move_transfer, transfer_of
from simulator.isa.units import UNITS
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture, wrap
from simulator.pictures.move_blocks import l1bm_panel, l2bm_panel
from simulator.pictures.move_mv import mv_panel
from simulator.pictures.move_pe import pe_panel
from simulator.pictures.source import program_of

HEADING = 15  # pixels
QUIET = ("nop", "wait", "noforward")


def move(line: str | p.Step | p.Move) -> Picture:
    """What one line of assembly reads, computes and writes, cycle by cycle.

    line: a line of text such as `l1bmd $lb0 $lm0v`, or a line of a program. Instructions of one step stand one below
    the other. Raises AssemblyError for a line that cannot be assembled, SimulatorError where there is none, or several.
    """
    found = _line(line)
    canvas = Canvas()
    text = found.text.strip()
    canvas.text(MARGIN, 28, text, "m b", room=WIDTH - 2 * MARGIN, size=HEADING)
    y = 34.0
    y = _mv(canvas, found, y) if isinstance(found, p.Move) else _step(canvas, found, y)
    return canvas.picture(f"What `{text}` moves: {_says(found)}", y + MARGIN)


def _line(line: str | p.Step | p.Move) -> p.Step | p.Move:
    if isinstance(line, p.Step | p.Move):
        return line
    lines = [found for found in program_of(line).lines if isinstance(found, p.Step | p.Move)]
    if len(lines) != 1:
        count = f"there are {len(lines)} lines" if lines else "there is no instruction"
        raise SimulatorError(f"{count} in what should be drawn", "one line, such as 'l1bmd $lb0 $lm0v'")
    return lines[0]


def _says(line: p.Step | p.Move) -> str:
    """The index formulas of a line, or what its instructions mean."""
    if isinstance(line, p.Move):
        transfer = move_transfer(line)
        return transfer.text() if transfer else isa.MOVES[line.op].meaning
    parts = []
    for instruction in line.instructions:
        found = transfer_of(instruction)
        parts.append(found.text() if found else isa.INSTRUCTIONS[instruction.op].meaning)
    return "; ".join(parts)


def _mv(canvas: Canvas, line: p.Move, y: float) -> float:
    row = isa.MOVES[line.op]
    y = _sentences(canvas, f"{line.op} (MV): {row.meaning}", y)
    transfer = move_transfer(line)
    if transfer is None:
        return y
    canvas.text(MARGIN, y + 14, transfer.text(), "m f", room=WIDTH - 2 * MARGIN)
    return mv_panel(canvas, line, transfer, y + 28)


def _step(canvas: Canvas, step: p.Step, y: float) -> float:
    working = [i for i in step.instructions if i.op not in QUIET]
    if not working:
        steps = f"{step.count} step{'s' * (step.count > 1)}, {step.count * isa.STEP_CYCLES} cycles"
        return _sentences(canvas, f"Nothing moves for {steps}. Forwarding paths keep what they hold.", y)
    if len(working) > 1:
        y = _sentences(
            canvas, f"{len(working)} instructions in one step: all of them read before any of them writes.", y
        )
    for number, instruction in enumerate(working):
        if number:
            y += 14
            canvas.line(MARGIN, y, WIDTH - MARGIN, y)
        y = _instruction(canvas, instruction, y, named=len(working) > 1)
    if any(UNITS[i.unit].lane in ("ALU", "MAU") for i in working):
        y += 20
        canvas.text(MARGIN, y, "All 4,096 PEs do this at the same time, each with its own memories.", "s f")
    return y


def _instruction(canvas: Canvas, instruction: p.Instruction, y: float, named: bool) -> float:
    row = isa.INSTRUCTIONS[instruction.op]
    if named:
        y += 18
        canvas.text(MARGIN, y, instruction.text.strip(), "m b", room=WIDTH - 2 * MARGIN)
    meaning = row.meaning if row.meaning[1] == " " else row.meaning[0].upper() + row.meaning[1:]
    y = _sentences(canvas, meaning, y)
    transfer = transfer_of(instruction)
    if transfer is not None:
        canvas.text(MARGIN, y + 14, transfer.text(), "m f", room=WIDTH - 2 * MARGIN)
        y += 18
    if transfer is not None and instruction.unit == "l2bm":
        return l2bm_panel(canvas, instruction, transfer, y + 6)
    if transfer is not None and instruction.unit == "l1bm":
        return l1bm_panel(canvas, instruction, transfer, y + 6)
    return pe_panel(canvas, instruction, y + 8)


def _sentences(canvas: Canvas, text: str, y: float) -> float:
    for part in wrap(text, WIDTH - 2 * MARGIN):
        y += 17
        canvas.text(MARGIN, y, part)
    return y
