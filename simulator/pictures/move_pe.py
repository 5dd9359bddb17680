"""Pictures of instructions within a PE and its MAB: operands, unit, destinations, cycle by cycle; matrix registers."""

from __future__ import annotations

from simulator import isa
from simulator.effects.inputs import names_of
from simulator.explain.wording import FIXED, LOWER, PATHS, PRECISIONS, masked, spans
from simulator.isa import program as p
from simulator.isa.transfers import ELEMENTS, transfer_of
from simulator.isa.units import UNITS
from simulator.messages import Text, joined, shown, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, wrap
from simulator.pictures.move_words import CYCLES, bank_name, bank_words, cell_text, closed, full, writes

SIDE, MIDDLE = 262.0, 168.0
"""Widths of the columns of operands and of the unit between them."""
ROW = 17.0
CELL = 9.0
"""Pixels of a matrix element."""
BRIEF = {
    "imm": Text("the literal word in every word"),
    "passa": Text("x unchanged"),
    "rsqrt": Text("roughly 1 / sqrt(|x|), from a table"),
    "ftoi": Text("x as an integer, truncated"),
    "bfn": Text("x as a block float"),
    "msl": Text("PE p gets x of PE p-1 of its MAB"),
    "msr": Text("PE p gets x of PE p+1 of its MAB"),
    "vfma": "x * y + z",
    "vmul": "x * y",
    "vadd": "x + y",
    "vpassa": "x * 1 + 0",
    "mmul": Text("matrix times x"),
    "mfma": Text("matrix times x plus y"),
    "mwrite": Text("writes matrix rows"),
    "mread": Text("reads matrix columns"),
    "l2bmd": Text("64 long words per cycle dealt out to"),
}
"""Meanings of instructions as far as there is room for them."""


def pe_panel(canvas: Canvas, instruction: p.Instruction, y: float) -> float:
    """What the unit reads on the left, what it writes on the right; a colour per cycle; returns where it ends."""
    left, right, middle = MARGIN, WIDTH - MARGIN - SIDE, (WIDTH - MIDDLE) / 2
    top, at = y, y
    sources: list[tuple[p.Source, float, float]] = []
    for name, source in zip(names_of(instruction), instruction.sources, strict=True):
        bottom = _source(canvas, instruction, name, source, left, at)
        sources.append((source, at, bottom))
        at = bottom + 8
    left_end, at = at - 8, y
    targets: list[tuple[p.Destination, float, float]] = []
    for destination in instruction.destinations:
        bottom = _destination(canvas, instruction, destination, right, at)
        targets.append((destination, at, bottom))
        at = bottom + 8
    if instruction.path:
        canvas.text(right, at + 10, tr("${path} keeps the result for the next step", instruction.path), "s f")
        at += 22
    bottom = max(left_end, at - 8, y + 74 + 30 * bool(_remarks(instruction)))
    centre = (top + bottom) / 2
    _unit(canvas, instruction, middle, centre)
    for _, first, last in sources:
        place = (first + last) / 2
        canvas.arrow([(left + SIDE + 3, place), (middle - 3, _near(place, centre))], sideways=True)
    for _, first, last in targets:
        place = (first + last) / 2
        canvas.arrow([(middle + MIDDLE + 3, _near(place, centre)), (right - 3, place)], sideways=True)
    for cycle in CYCLES:
        for source, first, last in sources:
            unit = middle + 6, _near((first + last) / 2, centre)
            _packet(canvas, instruction, source, cycle, (left + SIDE - 30, first, last), unit)
        for destination, first, last in targets:
            unit = middle + MIDDLE - 6, _near((first + last) / 2, centre)
            _packet(canvas, instruction, destination, cycle, (right + 90, first, last), unit)
    if instruction.op in ("msl", "msr"):
        bottom = _neighbours(canvas, instruction, bottom + 22)
    return bottom


def _near(place: float, centre: float) -> float:
    """Where an arrow meets the unit."""
    return min(max(place, centre - 22), centre + 22)


def _packet(
    canvas: Canvas,
    instruction: p.Instruction,
    end: p.Source | p.Destination,
    cycle: int,
    box: tuple[float, float, float],
    unit: tuple[float, float],
) -> None:
    """What one operand sends to the unit in a cycle, or gets from it. box: of its words, top and bottom."""
    operand, (x, top, bottom) = end.operand, box
    written = isinstance(end, p.Destination)
    if isinstance(operand, p.NoWrite) or (isinstance(end, p.Destination) and closed(end, cycle)):
        return
    in_rows = isinstance(operand, p.PeMemory | p.TRegister | p.Path)
    place = x, top + 23 + (cycle + 0.5) * ROW if in_rows else (top + bottom) / 2
    label, data = bank_name(operand), ""
    if isinstance(operand, p.PeMemory | p.TRegister):
        every = [bank_words(operand, cycle, pe) for pe in range(isa.PES_PER_MAB)]
        label = cell_text(operand, cycle, 0) if isinstance(operand, p.PeMemory) else f"T {full(every[0])}"
        words = [full(every[0])] if every[0] == every[3] else [f"p{pe} {full(mine)}" for pe, mine in enumerate(every)]
        known = not (isinstance(operand, p.PeMemory) and operand.indirect)
        data = f"{'to' if written else 'from'} {bank_name(operand)} {' '.join(words)}" if known else ""
    if isinstance(operand, p.Matrix):
        lines = _lines(operand, 4 * ELEMENTS[instruction.precision]).get(cycle)
        label = bank_name(operand)
        if lines:
            label = tr("row {lines}", full(lines)) if instruction.op == "mwrite" else tr("column {lines}", full(lines))
    if written:
        canvas.packet(cycle, unit, place, f"k{cycle}", label=label, flight="o", data=data)
    else:
        canvas.packet(cycle, place, unit, f"k{cycle}", label=label, flight="i", data=data)


def _unit(canvas: Canvas, instruction: p.Instruction, x: float, centre: float) -> None:
    canvas.rect(x, centre - 36, MIDDLE, 72, "box", round_=10)
    name = UNITS[instruction.unit].lane
    canvas.text(x + MIDDLE / 2, centre - 16, name, "b", anchor="middle")
    meaning = BRIEF.get(instruction.op, isa.INSTRUCTIONS[instruction.op].meaning)
    lines = [*wrap(meaning, MIDDLE - 8, "s")[:2]]
    if len(lines) < 2 and instruction.precision in ELEMENTS:
        count = ELEMENTS[instruction.precision]
        lines.append(tr("{count} element{s} a cycle", count, "s" * (count > 1)))
    for number, text in enumerate([*lines, PRECISIONS.get(instruction.precision, "")][:3]):
        tone = "s" if number == 0 else "s f"
        canvas.text(x + MIDDLE / 2, centre + 2 + number * 15, text, tone, anchor="middle", room=MIDDLE)
    for number, text in enumerate(_remarks(instruction)):
        canvas.text(x + MIDDLE / 2, centre + 51 + number * 14, text, "s f", anchor="middle")


def _remarks(instruction: p.Instruction) -> list[str]:
    """What the opcode says beside the operation."""
    found: list[str] = []
    if instruction.rows:
        found.append(tr("products in PEs {value} only", tr("0 and 1") if instruction.rows == "u" else tr("2 and 3")))
    if instruction.narrow:
        found.append(tr("rounded to {precision} precision", LOWER.get(instruction.precision, Text("half"))))
    if instruction.flush is not None:
        found.append(_kept(p.WriteMask(instruction.flush, 1)))
    return found


def _kept(mask: p.WriteMask) -> str:
    """Where a result is not flushed to zero."""
    if not masked(mask):
        return tr("kept everywhere")
    if not mask.fixed:
        return tr("kept where mask register entry {entry} is 1, else 0", mask.entry)
    return tr("kept in cycle {value}, else 0", spans(mask.cycles) or tr("none"))


def _source(canvas: Canvas, instruction: p.Instruction, name: str, source: p.Source, x: float, y: float) -> float:
    """An input; returns where its box ends."""
    operand = source.operand
    tags = [tr("negated")] * source.negate + [tr("rounded to half")] * source.narrow
    tags += [tr("widened from {precision}", LOWER.get(instruction.precision, Text("half")))] * source.widen
    head = joined(f"{shown(name)} = {shown(bank_name(operand))}", *tags)
    if isinstance(operand, p.Matrix):
        return _matrix(canvas, instruction, operand, head, x, y, written=False)
    if isinstance(operand, p.Immediate):
        return _plain(canvas, f"{shown(name)} = {tr('the literal')}", f"0x{operand.word:08x}", x, y)
    if isinstance(operand, p.Fixed):
        return _plain(canvas, head, FIXED[operand.name], x, y)
    if isinstance(operand, p.L2bm):  # of l2bmdars; all other transfers have pictures of their own
        return _plain(canvas, head, tr("from long word {address} on", operand.address), x, y)
    note = joined(PATHS[operand.name], tr("last step")) if isinstance(operand, p.Path) else _further(operand)
    return _rows(canvas, head, note, operand, x, y)


def _further(operand: p.Operand) -> str:
    """What the text of an operand says beside its words."""
    if isinstance(operand, p.PeMemory) and operand.j is not None:
        return tr("PEs 0 to {j} of each MAB: {words} further on", operand.j, operand.words)
    return tr("T: the low 12 bits of T's long word 0") if isinstance(operand, p.PeMemory) and operand.indirect else ""


def _destination(canvas: Canvas, instruction: p.Instruction, destination: p.Destination, x: float, y: float) -> float:
    """An output; returns where its box ends."""
    operand = destination.operand
    note = masked(destination.mask, isinstance(operand, p.MaskRegister))
    if isinstance(operand, p.Matrix):
        return _matrix(canvas, instruction, operand, bank_name(operand), x, y, written=True)
    if isinstance(operand, p.NoWrite):
        return _plain(canvas, "$nowrite", tr("nothing is written"), x, y)
    if isinstance(operand, p.MaskRegister):
        return _plain(canvas, tr("mask register {entry}", operand.entry), tr("the flags of the result"), x, y, note)
    if isinstance(operand, p.Dar):
        return _plain(
            canvas, tr("DRAM address table"), tr("from entry {entry} on, by way of a buffer", operand.entry), x, y
        )
    if isinstance(operand, p.BaseAddress):
        return _plain(canvas, bank_name(operand), tr("the low 12 bits"), x, y, note)
    return _rows(canvas, bank_name(operand), note or _further(operand), operand, x, y, destination)


def _plain(canvas: Canvas, head: str, text: str, x: float, y: float, note: str = "") -> float:
    lines = wrap(note, SIDE - 12, "s") if note else []
    height = 42 + 15 * len(lines)
    canvas.rect(x, y, SIDE, height, "box", round_=3)
    canvas.text(x + 8, y + 16, head, "b s", room=SIDE - 12)
    canvas.text(x + 8, y + 33, text, "m" if text.startswith("0x") else "s", room=SIDE - 12)
    for number, line in enumerate(lines):
        canvas.text(x + 8, y + 48 + 15 * number, line, "s f")
    return y + height


def _rows(
    canvas: Canvas,
    head: str,
    note: str,
    operand: p.Operand,
    x: float,
    y: float,
    destination: p.Destination | None = None,
) -> float:
    """A memory of the PE with the words of every cycle."""
    lines = wrap(note, SIDE - 12, "s") if note else []
    height = 24 + 4 * ROW + 14 * len(lines) + 4
    canvas.rect(x, y, SIDE, height, "box", round_=3)
    canvas.text(x + 8, y + 16, head, "b s", room=SIDE - 12)
    for cycle in CYCLES:
        top = y + 23 + cycle * ROW
        off = destination is not None and closed(destination, cycle)
        canvas.text(x + 8, top + 13, tr("cycle {cycle}", cycle), "s f")
        if destination is not None and not off:
            for pe in range(isa.PES_PER_MAB):
                with canvas.group(data=writes(operand, cycle, pe), style=canvas.lit(cycle, "w")):
                    width = (SIDE - 68) / isa.PES_PER_MAB
                    canvas.rect(x + 60 + pe * width, top, width, ROW - 1, f"k{cycle}")
        else:
            with canvas.group(style=canvas.lit(cycle, "r")):
                canvas.rect(x + 60, top, SIDE - 68, ROW - 1, "empty" if off else f"k{cycle}")
        text = tr("not written") if off else _words(operand, cycle)
        with canvas.group(style=canvas.lit(cycle, "w" if destination is not None else "r")):
            canvas.text(x + 60 + (SIDE - 68) / 2, top + 13, text, "m f" if off else "m on", anchor="middle")
    for number, line in enumerate(lines):
        canvas.text(x + 8, y + 23 + 4 * ROW + 12 + 14 * number, line, "s f")
    return y + height


def _words(operand: p.Operand, cycle: int) -> str:
    """The words of a cycle; of PE 0 and PE 3 where they differ."""
    if not isinstance(operand, p.PeMemory):
        return cell_text(operand, cycle, 0)
    first, last = (cell_text(operand, cycle, pe) for pe in (0, 3))
    if first == last or operand.j is None:
        return tr("word {first}", first) if operand.words == 1 else tr("words {first}", first)
    return f"p0: {first}   p3: {last}"


# --- matrix registers ------------------------------------------------------------------------------------------------


def _matrix(
    canvas: Canvas, instruction: p.Instruction, operand: p.Matrix, head: str, x: float, y: float, written: bool
) -> float:
    """A matrix register of a MAB, its elements coloured by the cycle that uses them; returns where its box ends."""
    count = ELEMENTS[instruction.precision]
    size = 4 * count
    used = _lines(operand, size)
    rows = instruction.op == "mwrite"
    side = size * CELL
    height = side + 58
    canvas.rect(x, y, SIDE, height, "box", round_=3)
    canvas.text(x + 8, y + 16, tr("{head}, {size}x{size}, one per MAB", head, size), "b s", room=SIDE - 12)
    left, top = x + 60, y + 40
    for pe in range(isa.PES_PER_MAB):
        place = left + (pe + 0.5) * side / 4
        if rows or instruction.op != "mread":
            canvas.text(place, top - 4, f"{'PE ' if size == 16 else 'p'}{pe}", "s f", anchor="middle")
        else:
            canvas.text(left - 6, top + (pe + 0.5) * side / 4 + 4, f"PE {pe}", "s f", anchor="end")
    canvas.rect(left, top, side, side, "empty")
    for cycle, numbers in used.items():
        data = f"writes M{operand.register.upper()} all {full(8 * n + w for n in numbers for w in range(8))}"
        title = tr("cycle {cycle}: columns {numbers}", cycle, full(numbers))
        if rows:
            title = tr("cycle {cycle}: rows {numbers}", cycle, full(numbers))
        with canvas.group(title, data=data if written else "", style=canvas.lit(cycle, "w" if written else "r")):
            for number in numbers:
                if rows:
                    canvas.rect(left, top + number * CELL, side, CELL - 1, f"k{cycle}")
                else:
                    canvas.rect(left + number * CELL, top, CELL - 1, side, f"k{cycle}")
    if not used:
        canvas.rect(left, top, side, side, "h7")
    for number in range(1, size):
        thick = ' style="stroke-width: 2"' if number % count == 0 else ""
        canvas.parts.append(f'<path class="gap"{thick} d="M{left + number * CELL:g} {top:g}v{side:g}"/>')
        canvas.path(f"M{left:g} {top + number * CELL:g}h{side:g}", "gap")
    text = tr("all of it, for the vector of every cycle")
    if used:
        lines = [number for numbers in used.values() for number in numbers]
        text = tr("columns {lines}, coloured by cycle", full(lines))
        if rows:
            text = tr("rows {lines}, coloured by cycle", full(lines))
    canvas.text(x + 8, top + side + 13, text, "s f", room=SIDE - 12)
    return y + height


def _lines(operand: p.Matrix, size: int) -> dict[int, list[int]]:
    """The rows written or columns read in each cycle; none for a product, which uses all."""
    if operand.row is None:
        return {}
    step = 2 if operand.double else 1
    return {c: [(operand.row + step * c + d) % size for d in range(step)] for c in CYCLES}


def _neighbours(canvas: Canvas, instruction: p.Instruction, y: float) -> float:
    """msl, msr: every PE gets the word of its neighbour; returns where it ends."""
    transfer = transfer_of(instruction)
    assert transfer is not None
    targets, sources = transfer.points(0)
    width, left = 110.0, (WIDTH - 4 * 120) / 2
    canvas.text(left - 10, y + 15, "x", "b", anchor="end")
    canvas.text(left - 10, y + 77, tr("result"), "b", anchor="end")
    for pe in range(isa.PES_PER_MAB):
        for top in (y, y + 62):
            canvas.rect(left + pe * 120, top, width, 22, f"h{pe}" if top == y else "box", round_=3)
            canvas.text(left + pe * 120 + width / 2, top + 15, f"PE {pe}", "s on" if top == y else "s", anchor="middle")
    for target, source in sorted({(int(t[0]), int(s[0])) for t, s in zip(targets, sources, strict=True)}):
        start, end = left + source * 120 + width / 2, left + target * 120 + width / 2
        canvas.arrow([(start, y + 24), (end, y + 60)], f"h{source}")
        for cycle in CYCLES:
            canvas.packet(cycle, (start, y + 11), (end, y + 73), f"h{source}", label=f"PE {source}")
    return y + 84
