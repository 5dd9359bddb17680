"""Pictures of the transfers between L2BM and L1BMs, and between an L1BM and the PEs below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from simulator import isa
from simulator.explain.wording import masked
from simulator.isa import program as p
from simulator.isa.formulas import Index
from simulator.isa.transfers import Transfer
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, width_of
from simulator.pictures.move_words import CYCLES, Segment, Strip, bank_name, brief, cell_text, closed, full, writes

LEFT, ROOM = 74.0, 688.0
"""The strip of the broadcast memory and the row of its units below it."""
GAP, ROW = 48.0, 18.0
Units = frozenset[int]


# --- L2BM and L1BM ---------------------------------------------------------------------------------------------------


def l2bm_panel(canvas: Canvas, instruction: p.Instruction, transfer: Transfer, y: float) -> float:
    """The L2BM above, the 8 L1BMs below it (for l2bmi, L1BMs twice); returns where it ends."""
    ends = [transfer.points(cycle) for cycle in CYCLES]
    if transfer.formula.source.memory == transfer.formula.destination.memory:
        return _among_l1bms(canvas, ends, y)
    down = transfer.formula.source.memory == "L2BM"
    blocks = [(source, target) if down else (target, source) for target, source in ends]
    canvas.text(MARGIN, y + 14, "L2BM: the same in all 8 L2Bs", "b")
    partners = [_partners(lc[:, -1], lb[:, 0]) for lc, lb in blocks]
    strip = Strip(LEFT, y + 22, len(partners[0]), ROOM)
    segments: list[Segment] = []
    for cycle, found in enumerate(partners):
        segments = _segments(found, _l1b_style, lambda units: f"L1B {brief(units, 4)}")
        data = "" if down else f"writes L2BM all {full(found)}"
        strip.row(canvas, cycle, sorted(found), segments, data)
    below = strip.bottom + GAP
    words = {b: [lb[lb[:, 0] == b][:, -1].tolist() for _, lb in blocks] for b in range(isa.L1BS)}
    style = {b: _l1b_style(units) for units in partners[0].values() for b in units}
    _l1bm_row(canvas, below, words, style, written=down)
    order = sorted(partners[0])
    for segment in segments:
        units = partners[0][order[segment.first]]
        at = strip.centre(segment.first, segment.count), strip.bottom + 2
        _fan(canvas, at, [(_l1b_x(b), below - 2) for b in sorted(units)], down, segment.style, transfer.reduction)
    return below + 18 + 4 * ROW


def _partners(addresses: Index, units: Index) -> dict[int, Units]:
    """Address to the units that it goes to or comes from."""
    found: dict[int, set[int]] = {}
    for address, unit in zip(addresses.tolist(), units.tolist(), strict=True):
        found.setdefault(address, set()).add(unit)
    return {address: frozenset(found[address]) for address in sorted(found)}


def _segments(partners: Mapping[int, Units], style: object, label: object) -> list[Segment]:
    """Neighbouring cells with the same partners."""
    assert callable(style) and callable(label)
    found: list[Segment] = []
    before: Units | None = None
    for number, units in enumerate(partners.values()):
        if units == before:
            last = found[-1]
            found[-1] = Segment(last.first, last.count + 1, last.style, last.label)
        else:
            found.append(Segment(number, 1, style(units), label(units)))
        before = units
    return found


def _l1b_style(units: Units) -> str:
    """A hue per L1B, or per pair; the first one where all get the same."""
    return f"h{min(units)}" if len(units) <= 2 else "h0"


def _l1b_x(b: int) -> float:
    return LEFT + (b + 0.5) * ROOM / isa.L1BS


def _l1bm_row(
    canvas: Canvas, y: float, words: Mapping[int, Sequence[Sequence[int]]], style: Mapping[int, str], written: bool
) -> None:
    """The L1BMs of an L2B; words: of every L1B, by cycle."""
    width = ROOM / isa.L1BS - 6
    canvas.text(LEFT - 8, y + 12, "L1BM", "b", anchor="end")
    for cycle in CYCLES:
        canvas.text(LEFT - 8, y + 18 + cycle * ROW + 13, f"cycle {cycle}", "s f", anchor="end")
    for b, cycles in words.items():
        x = _l1b_x(b) - width / 2
        used = b in style
        canvas.text(_l1b_x(b), y + 12, f"L1B {b}", "s b" if used else "s f", anchor="middle")
        for cycle, addresses in enumerate(cycles):
            data = f"writes L1BM b{b} {full(addresses)}" if written and addresses else ""
            top = y + 18 + cycle * ROW
            with canvas.group(data=data):
                canvas.rect(x, top, width, ROW - 1, style.get(b, "empty"), title=f"L1B {b}, cycle {cycle}")
            if addresses:
                canvas.text(_l1b_x(b), top + 13, brief(addresses), "m on", anchor="middle", room=width)


def _fan(
    canvas: Canvas,
    strip: tuple[float, float],
    units: Sequence[tuple[float, float]],
    down: bool,
    style: str,
    reduction: str,
) -> None:
    """Arrows between a place of the strip and the units below it; a reduction stands where they meet."""
    if not reduction:
        for unit in units:
            canvas.arrow([strip, unit] if down else [unit, strip], style)
        return
    x, y = strip
    for unit in units:
        half = (unit[1] + y + 20) / 2
        canvas.path(f"M{unit[0]:g} {unit[1]:g}C{unit[0]:g} {half:g} {x:g} {half:g} {x:g} {y + 20:g}", f"{style}-line")
    canvas.arrow([(x, y + 14), (x, y)], style)
    _pill(canvas, x, y + 17, reduction)


def _pill(canvas: Canvas, x: float, y: float, text: str) -> None:
    """A word on a line."""
    width = width_of(text, "m") + 12
    canvas.rect(x - width / 2, y - 8, width, 16, "box", round_=8)
    canvas.text(x, y + 4, text, "m", anchor="middle")


def _among_l1bms(canvas: Canvas, ends: Sequence[tuple[Index, Index]], y: float) -> float:
    """l2bmi: some L1BMs copied to others; the sources above, the destinations below."""
    canvas.text(MARGIN, y + 14, "L1BMs of one L2B: the same in all 8 L2Bs", "b")
    below = y + 22 + 18 + 4 * ROW + GAP
    groups = [
        {b: [side[side[:, 0] == b][:, -1].tolist() for side in sides] for b in range(isa.L1BS)}
        for sides in ([source for _, source in ends], [target for target, _ in ends])
    ]
    used = [sorted(b for b, cycles in words.items() if any(cycles)) for words in groups]
    pairs = {(int(s[0]), int(t[0])) for target, source in ends for t, s in zip(target, source, strict=True)}
    hue = {target: f"h{source}" for source, target in pairs}
    _l1bm_row(canvas, y + 22, groups[0], {b: f"h{b}" for b in used[0]}, written=False)
    _l1bm_row(canvas, below, groups[1], hue, written=True)
    for source, target in sorted(pairs):
        canvas.arrow([(_l1b_x(source), below - GAP + 2), (_l1b_x(target), below - 2)], f"h{source}")
    return below + 18 + 4 * ROW


# --- L1BM and PEs ----------------------------------------------------------------------------------------------------


def l1bm_panel(canvas: Canvas, instruction: p.Instruction, transfer: Transfer, y: float) -> float:
    """The L1BM above, its 16 MABs below it, and the PEs of one of them; returns where it ends."""
    down = transfer.formula.destination.memory == "PE"
    ends = [transfer.points(cycle) for cycle in CYCLES]
    blocks = [(source[:, -1], target) if down else (target[:, -1], source) for target, source in ends]
    block = (instruction.sources if down else instruction.destinations)[0].operand
    turned = isinstance(block, p.Turnaround)
    name = "the turnaround register" if turned else "L1BM"
    canvas.text(MARGIN, y + 14, f"{name}: the same in all 64 L1Bs", "b")
    strip = Strip(LEFT, y + 22, len(set(blocks[0][0].tolist())), ROOM)
    for cycle, (addresses, pes) in enumerate(blocks):
        found = _partners(addresses, pes[:, 1])
        data = "" if down or turned else f"writes L1BM all {full(found)}"
        strip.row(canvas, cycle, list(found), _segments(found, _pe_style, lambda units: f"PE {brief(units)}"), data)
    below = strip.bottom + GAP
    groups = _mab_groups(blocks)
    _mab_row(canvas, below, groups)
    order = sorted(set(blocks[0][0].tolist()))
    for mabs, _ in groups:
        addresses, pes = blocks[0]
        places = [order.index(a) for a, m in zip(addresses.tolist(), pes[:, 0].tolist(), strict=True) if m in mabs]
        at = strip.centre(min(places), max(places) - min(places) + 1), strip.bottom + 2
        first, last = _mab_x(mabs[0]), _mab_x(mabs[-1])
        if len(mabs) > 1:
            canvas.line(first - 19, below - 6, last + 19, below - 6, "arrow")
        style = "" if len(groups) < isa.MABS else "h7"
        _fan(canvas, at, [((first + last) / 2, below - 7)], down, style, transfer.reduction)
    return _pes(canvas, below + 48, instruction, blocks, groups, down)


def _pe_style(units: Units) -> str:
    return f"h{min(units)}" if len(units) == 1 else "h7"


def _mab_groups(blocks: Sequence[tuple[Index, Index]]) -> list[tuple[list[int], Units]]:
    """MABs that share the same long words, and these."""
    words: dict[int, set[int]] = {}
    for addresses, pes in blocks:
        for address, mab in zip(addresses.tolist(), pes[:, 0].tolist(), strict=True):
            words.setdefault(mab, set()).add(address)
    groups: dict[Units, list[int]] = {}
    for mab in sorted(words):
        groups.setdefault(frozenset(words[mab]), []).append(mab)
    return [(mabs, found) for found, mabs in groups.items()]


def _mab_x(mab: int) -> float:
    return LEFT + (mab + 0.5) * ROOM / isa.MABS


def _mab_row(canvas: Canvas, y: float, groups: Iterable[tuple[list[int], Units]]) -> None:
    used = {mab for mabs, _ in groups for mab in mabs}
    canvas.text(LEFT - 8, y + 18, "MABs", "b", anchor="end")
    width = ROOM / isa.MABS - 5
    for mab in range(isa.MABS):
        x = _mab_x(mab) - width / 2
        with canvas.group(f"MAB {mab}: {'takes part' if mab in used else 'takes no part'}"):
            canvas.rect(x, y, width, 30, "box", round_=2)
            canvas.text(_mab_x(mab), y + 13, f"m{mab}", "m" if mab in used else "m f", anchor="middle")
            for pe in range(isa.PES_PER_MAB):
                style = f"h{pe}" if mab in used else "empty"
                canvas.rect(x + 3 + pe * (width - 6) / 4, y + 18, (width - 6) / 4 - 1, 9, style)


def _pes(
    canvas: Canvas,
    y: float,
    instruction: p.Instruction,
    blocks: Sequence[tuple[Index, Index]],
    groups: Sequence[tuple[list[int], Units]],
    down: bool,
) -> float:
    """The four PEs of the first MAB that takes part: which words of the block, which of their own; returns the end."""
    mab, count = groups[0][0][0], sum(len(mabs) for mabs, _ in groups)
    shared = len(groups) == 1
    more = f"; the same in {'all 16' if count == isa.MABS else count} MABs" if shared and count > 1 else ""
    canvas.text(MARGIN, y + 10, f"the PEs of MAB {mab}{more}", "b")
    own: Sequence[p.Source | p.Destination] = instruction.destinations if down else instruction.sources[:1]
    units = _mab_text([mab for mabs, _ in groups for mab in mabs])
    width = ROOM / isa.PES_PER_MAB
    y += 18
    for number, end in enumerate(own):
        top = y + 16 + number * (4 * ROW + 16)
        for pe in range(isa.PES_PER_MAB):
            x = LEFT + pe * width
            own_name = bank_name(end.operand)
            canvas.text(x, top - 3, f"PE {pe}: {f'L1BM → {own_name}' if down else f'{own_name} → L1BM'}", "s b")
            for cycle in CYCLES:
                addresses, pes = blocks[cycle]
                mine = addresses[(pes[:, 0] == mab) & (pes[:, 1] == pe)].tolist()
                _pe_row(canvas, x, top + cycle * ROW, width - 8, pe, cycle, mine, end, units if down else "")
        for cycle in CYCLES:
            canvas.text(LEFT - 8, top + cycle * ROW + 13, f"cycle {cycle}", "s f", anchor="end")
    bottom = y + 16 + len(own) * (4 * ROW + 16) - 16
    for end in own:
        note = masked(end.mask) if isinstance(end, p.Destination) else ""
        if note:
            bottom += 16
            canvas.text(LEFT, bottom, f"{bank_name(end.operand)}: written {note}", "s f", room=WIDTH - LEFT - MARGIN)
    return bottom


def _mab_text(mabs: Sequence[int]) -> str:
    return "" if len(mabs) == isa.MABS else f"m{full(mabs)} "


def _pe_row(
    canvas: Canvas,
    x: float,
    y: float,
    width: float,
    pe: int,
    cycle: int,
    block: Sequence[int],
    end: p.Source | p.Destination,
    units: str,
) -> None:
    """One cycle of a PE: the long words of the block and its own words. units: of the MABs, where words are written."""
    own = cell_text(end.operand, cycle, pe) or bank_name(end.operand)
    off = isinstance(end, p.Destination) and closed(end, cycle)
    if isinstance(end, p.Destination):
        text = f"{brief(block)} → {'not written' if off else own}"
        data = "" if off else writes(end.operand, cycle, pe).replace(f" p{pe} ", f" {units}p{pe} ")
    else:
        text, data = f"{own} → {brief(block)}", ""
    with canvas.group(data=data):
        canvas.rect(x, y, width, ROW - 1, "empty" if off or not block else f"h{pe}")
    tone = "m f" if off or not block else "m on"
    canvas.text(x + width / 2, y + 13, text if block else "takes no part", tone, anchor="middle", room=width)
