"""Pictures of the transfers between an L1BM and the PEs below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simulator import isa
from simulator.explain.wording import masked
from simulator.isa import program as p
from simulator.isa.formulas import Index
from simulator.isa.transfers import Transfer
from simulator.messages import shown, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas
from simulator.pictures.move_blocks import GAP, LEFT, ROOM, ROW, Units, fan, partners, segments
from simulator.pictures.move_words import CYCLES, Strip, bank_name, brief, cell_text, closed, full, listed, writes


def l1bm_panel(canvas: Canvas, instruction: p.Instruction, transfer: Transfer, y: float) -> float:
    """The L1BM above, its 16 MABs below it, and the PEs of one of them; returns where it ends."""
    down = transfer.formula.destination.memory == "PE"
    ends = [transfer.points(cycle) for cycle in CYCLES]
    blocks = [(source[:, -1], target) if down else (target[:, -1], source) for target, source in ends]
    block = (instruction.sources if down else instruction.destinations)[0].operand
    turned = isinstance(block, p.Turnaround)
    name = tr("the turnaround register") if turned else "L1BM"
    canvas.text(MARGIN, y + 14, tr("{name}: the same in all 64 L1Bs", name), "b")
    strip = Strip(LEFT, y + 22, len(set(blocks[0][0].tolist())), ROOM)
    for cycle, (addresses, pes) in enumerate(blocks):
        found = partners(addresses, pes[:, 1])
        data = "" if down or turned else f"writes L1BM all {full(found)}"
        parts = segments(found, _pe_style, lambda units: f"PE {brief(units)}")
        strip.row(canvas, cycle, list(found), parts, data, written=not down)
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
        fan(canvas, at, [((first + last) / 2, below - 7)], down, style, transfer.reduction)
    for cycle, (addresses, pes) in enumerate(blocks):
        _pe_packets(canvas, cycle, strip, below, addresses, pes, down)
    return _pes(canvas, below + 48, instruction, blocks, groups, down)


def _pe_packets(
    canvas: Canvas, cycle: int, strip: Strip, below: float, addresses: Index, pes: Index, down: bool
) -> None:
    """The words of a cycle, those that are the same in several MABs together."""
    order = sorted(set(addresses.tolist()))
    width = (ROOM / isa.MABS - 11) / isa.PES_PER_MAB
    together: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for mab, pe in sorted({(point[0], point[1]) for point in pes.tolist()}):
        mine = (pes[:, 0] == mab) & (pes[:, 1] == pe)
        words = addresses[mine][pes[mine][:, -1].argsort()]
        together.setdefault((pe, tuple(words.tolist())), []).append(mab)
    for (pe, found), mabs in together.items():
        block = sum(strip.centre(order.index(word), 1) for word in found) / len(found), strip.middle(cycle)
        units = [(_mab_x(mab) + (pe - 1.5) * width, below + 22.5) for mab in mabs]
        own = f"m{full(mabs)}p{pe}"
        data = f"{listed(found)} > {own}" if down else f"{own} > {listed(found)}"
        if len(units) > 1:
            canvas.spread(cycle, block, units, f"h{pe}", back=not down, data=data)
        else:
            canvas.packet(cycle, *((block, units[0]) if down else (units[0], block)), f"h{pe}", data=data)


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
        with canvas.group(tr("MAB {mab}: {value}", mab, tr("takes part") if mab in used else tr("takes no part"))):
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
    told = tr("the PEs of MAB {mab}", mab)
    if shared and count > 1:
        told = tr("the PEs of MAB {mab}; the same in {value} MABs", mab, tr("all 16") if count == isa.MABS else count)
    canvas.text(MARGIN, y + 10, told, "b")
    own: Sequence[p.Source | p.Destination] = instruction.destinations if down else instruction.sources[:1]
    units = _mab_text([mab for mabs, _ in groups for mab in mabs])
    width = ROOM / isa.PES_PER_MAB
    y += 18
    for number, end in enumerate(own):
        top = y + 16 + number * (4 * ROW + 16)
        for pe in range(isa.PES_PER_MAB):
            x = LEFT + pe * width
            own_name = shown(bank_name(end.operand))
            canvas.text(x, top - 3, f"PE {pe}: {f'L1BM → {own_name}' if down else f'{own_name} → L1BM'}", "s b")
            for cycle in CYCLES:
                addresses, pes = blocks[cycle]
                mine = addresses[(pes[:, 0] == mab) & (pes[:, 1] == pe)].tolist()
                _pe_row(canvas, x, top + cycle * ROW, width - 8, pe, cycle, mine, end, units if down else "")
        for cycle in CYCLES:
            canvas.text(LEFT - 8, top + cycle * ROW + 13, tr("cycle {cycle}", cycle), "s f", anchor="end")
    bottom = y + 16 + len(own) * (4 * ROW + 16) - 16
    for end in own:
        note = masked(end.mask) if isinstance(end, p.Destination) else ""
        if note:
            bottom += 16
            told = tr("{operand}: written {note}", bank_name(end.operand), note)
            canvas.text(LEFT, bottom, told, "s f", room=WIDTH - LEFT - MARGIN)
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
    own = shown(cell_text(end.operand, cycle, pe) or bank_name(end.operand))
    off = isinstance(end, p.Destination) and closed(end, cycle)
    if isinstance(end, p.Destination):
        text = f"{brief(block)} → {tr('not written') if off else own}"
        data = "" if off else writes(end.operand, cycle, pe).replace(f" p{pe} ", f" {units}p{pe} ")
    else:
        text, data = f"{own} → {brief(block)}", ""
    kind = canvas.lit(cycle, "w" if isinstance(end, p.Destination) else "r")
    with canvas.group(data=data, style=kind):
        canvas.rect(x, y, width, ROW - 1, "empty" if off or not block else f"h{pe}")
        tone = "m f" if off or not block else "m on"
        canvas.text(x + width / 2, y + 13, text if block else tr("takes no part"), tone, anchor="middle", room=width)
