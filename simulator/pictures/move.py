"""What one line of assembly does, as a picture: which words of which units it reads and which it writes.

Every shape that stands for words written carries `data-name="writes MEMORY UNITS WORDS"`, with UNITS such as `b3` or
`m0-15 p2` (levels that are not named: all units) and WORDS in the memory's own addresses. A test compares this with
what the machine changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator import isa
from simulator.errors import SimulatorError
from simulator.isa import program as p
from simulator.isa.transfers import move_transfer, transfer_of
from simulator.isa.units import UNITS
from simulator.messages import shown, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture, wrap
from simulator.pictures.motion import Film, Moving
from simulator.pictures.move_blocks import l2bm_panel
from simulator.pictures.move_l1bm import l1bm_panel
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
    height = _one_below_the_other(canvas, [found]) + MARGIN
    return canvas.picture(tr("What `{strip}` moves: {found}", found.text.strip(), _says(found)), height)


MOST = 8
"""Lines that one moving picture shows."""


def animate(*lines: str | p.Step | p.Move) -> Film:
    """The same as `move`, moving: in every cycle the words that are read, on their way and written.

    lines: as of `move`; a text may have several lines. They follow one another in time and stand one below the other.
    In a notebook there are buttons below the title; the picture stands still where a reader asks for less motion.
    Raises AssemblyError for a line that cannot be assembled, SimulatorError where there is none, or more than eight.
    """
    found = [one for line in lines for one in _lines(line)]
    if not 1 <= len(found) <= MOST:
        received = tr("there are {found} lines", len(found)) if found else tr("there is no instruction")
        raise SimulatorError(
            tr("{received} in what should move", received), tr("1 to {most} lines, such as 'l1bmd $lb0 $lm0v'", MOST)
        )
    moving, standing = Moving(), Canvas()
    height = _one_below_the_other(moving, found) + MARGIN
    _one_below_the_other(standing, found)
    standing.text(MARGIN, height + 2, tr("All cycles at once; in a running notebook they follow one another."), "s f")
    says = tr("; then ").join(f"`{line.text.strip()}`: {_says(line)}" for line in found)
    return moving.film(standing.picture(tr("What moves, cycle by cycle, in {says}", says), height + MARGIN), height)


def _one_below_the_other(canvas: Canvas, lines: Sequence[p.Step | p.Move]) -> float:
    """Lines with their headings; returns where they end."""
    y = 6.0
    for number, line in enumerate(lines):
        if number:
            canvas.line(MARGIN, y + MARGIN, WIDTH - MARGIN, y + MARGIN)
            y += MARGIN + 6
        canvas.begin(_slots(line, number + 1 if len(lines) > 1 else 0))
        canvas.text(MARGIN, y + 22, line.text.strip(), "m b", room=WIDTH - 2 * MARGIN, size=HEADING)
        y = _mv(canvas, line, y + 28) if isinstance(line, p.Move) else _step(canvas, line, y + 28)
    return y


def _slots(line: p.Step | p.Move, number: int) -> list[str]:
    """What the cycles of a line are called; an MV instruction is shown at once, a step of nops too. number: of the
    line, 0 for one that is alone.
    """
    if isinstance(line, p.Move) or all(i.op in QUIET for i in line.instructions):
        name = "MV" if isinstance(line, p.Move) else "nop"
        return [tr("line {number}, {name}", number, name) if number else name]
    return [
        tr("line {number}, cycle {cycle}", number, cycle) if number else tr("cycle {cycle}", cycle)
        for cycle in range(isa.STEP_CYCLES)
    ]


def _lines(line: str | p.Step | p.Move) -> list[p.Step | p.Move]:
    if isinstance(line, p.Step | p.Move):
        return [line]
    return [found for found in program_of(line).lines if isinstance(found, p.Step | p.Move)]


def _line(line: str | p.Step | p.Move) -> p.Step | p.Move:
    lines = _lines(line)
    if len(lines) != 1:
        count = tr("there are {lines} lines", len(lines)) if lines else tr("there is no instruction")
        raise SimulatorError(tr("{count} in what should be drawn", count), tr("one line, such as 'l1bmd $lb0 $lm0v'"))
    return lines[0]


def _says(line: p.Step | p.Move) -> str:
    """The index formulas of a line, or what its instructions mean, in the language of the moment."""
    if isinstance(line, p.Move):
        transfer = move_transfer(line)
        return transfer.text() if transfer else shown(isa.MOVES[line.op].meaning)
    parts = []
    for instruction in line.instructions:
        found = transfer_of(instruction)
        parts.append(found.text() if found else shown(isa.INSTRUCTIONS[instruction.op].meaning))
    return "; ".join(parts)


def _mv(canvas: Canvas, line: p.Move, y: float) -> float:
    row = isa.MOVES[line.op]
    y = _sentences(canvas, f"{line.op} (MV): {shown(row.meaning)}", y)
    transfer = move_transfer(line)
    if transfer is None:
        return y
    canvas.text(MARGIN, y + 14, transfer.text(), "m f", room=WIDTH - 2 * MARGIN)
    return mv_panel(canvas, line, transfer, y + 28)


def _step(canvas: Canvas, step: p.Step, y: float) -> float:
    working = [i for i in step.instructions if i.op not in QUIET]
    if not working:
        steps = tr("{count} step{s}, {value} cycles", step.count, "s" * (step.count > 1), step.count * isa.STEP_CYCLES)
        return _sentences(canvas, tr("Nothing moves for {steps}. Forwarding paths keep what they hold.", steps), y)
    if len(working) > 1:
        y = _sentences(
            canvas,
            tr("{working} instructions in one step: all of them read before any of them writes.", len(working)),
            y,
        )
    for number, instruction in enumerate(working):
        if number:
            y += 14
            canvas.line(MARGIN, y, WIDTH - MARGIN, y)
        y = _instruction(canvas, instruction, y, named=len(working) > 1)
    if any(UNITS[i.unit].lane in ("ALU", "MAU") for i in working):
        y += 20
        canvas.text(MARGIN, y, tr("All 4,096 PEs do this at the same time, each with its own memories."), "s f")
    return y


def _instruction(canvas: Canvas, instruction: p.Instruction, y: float, named: bool) -> float:
    row = isa.INSTRUCTIONS[instruction.op]
    if named:
        y += 18
        canvas.text(MARGIN, y, instruction.text.strip(), "m b", room=WIDTH - 2 * MARGIN)
    meaning = shown(row.meaning)
    if meaning == row.meaning and meaning[1] != " ":
        meaning = meaning[0].upper() + meaning[1:]
    y = _sentences(canvas, meaning, y)
    transfer = transfer_of(instruction)
    if transfer is not None:
        canvas.text(MARGIN, y + 14, transfer.text(), "m f", room=WIDTH - 2 * MARGIN)
        y += 18
    if transfer is not None and instruction.unit == "l2bm":
        return l2bm_panel(canvas, transfer, y + 6)
    if transfer is not None and instruction.unit == "l1bm":
        return l1bm_panel(canvas, instruction, transfer, y + 6)
    return pe_panel(canvas, instruction, y + 8)


def _sentences(canvas: Canvas, text: str, y: float) -> float:
    for part in wrap(text, WIDTH - 2 * MARGIN):
        y += 17
        canvas.text(MARGIN, y, part)
    return y
