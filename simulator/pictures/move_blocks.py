"""Pictures of the transfers between L2BM and L1BMs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simulator import isa
from simulator.isa.formulas import Index
from simulator.isa.transfers import Transfer
from simulator.messages import tr
from simulator.pictures.canvas import MARGIN, Canvas, Point, width_of
from simulator.pictures.move_words import CYCLES, Segment, Strip, brief, full, listed

LEFT, ROOM = 74.0, 688.0
"""The strip of the broadcast memory and the row of its units below it."""
GAP, ROW = 48.0, 18.0
Units = frozenset[int]


def l2bm_panel(canvas: Canvas, transfer: Transfer, y: float) -> float:
    """The L2BM above, the 8 L1BMs below it (for l2bmi, L1BMs twice); returns where it ends."""
    ends = [transfer.points(cycle) for cycle in CYCLES]
    if transfer.formula.source.memory == transfer.formula.destination.memory:
        return _among_l1bms(canvas, ends, y)
    down = transfer.formula.source.memory == "L2BM"
    blocks = [(source, target) if down else (target, source) for target, source in ends]
    canvas.text(MARGIN, y + 14, tr("L2BM: the same in all 8 L2Bs"), "b")
    by_cycle = [partners(lc[:, -1], lb[:, 0]) for lc, lb in blocks]
    strip = Strip(LEFT, y + 22, len(by_cycle[0]), ROOM)
    parts: list[Segment] = []
    for cycle, found in enumerate(by_cycle):
        parts = segments(found, _l1b_style, lambda units: f"L1B {brief(units, 4)}")
        data = "" if down else f"writes L2BM all {full(found)}"
        strip.row(canvas, cycle, sorted(found), parts, data, written=not down)
    below = strip.bottom + GAP
    words = {b: [lb[lb[:, 0] == b][:, -1].tolist() for _, lb in blocks] for b in range(isa.L1BS)}
    style = {b: _l1b_style(units) for units in by_cycle[0].values() for b in units}
    _l1bm_row(canvas, below, words, style, written=down)
    order = sorted(by_cycle[0])
    for part in parts:
        units = by_cycle[0][order[part.first]]
        at = strip.centre(part.first, part.count), strip.bottom + 2
        fan(canvas, at, [(_l1b_x(b), below - 2) for b in sorted(units)], down, part.style, transfer.reduction)
    for cycle, (lc, lb) in enumerate(blocks):
        _l2bm_packets(canvas, cycle, strip, below, lc[:, -1], lb, down, style)
    return below + 18 + 4 * ROW


def _l2bm_packets(
    canvas: Canvas, cycle: int, strip: Strip, below: float, lc: Index, lb: Index, down: bool, style: Mapping[int, str]
) -> None:
    """The words of a cycle, one packet for each L1BM."""
    order = sorted(set(lc.tolist()))
    for b in sorted(set(lb[:, 0].tolist())):
        mine = lb[:, 0] == b
        above, own = lc[mine].tolist(), lb[mine][:, -1].tolist()
        places = [order.index(address) for address in above]
        up = strip.centre(min(places), max(places) - min(places) + 1), strip.middle(cycle)
        unit = _l1b_x(b), below + 18 + (cycle + 0.5) * ROW
        ends, data = (up, unit), f"{listed(above)} > b{b} {listed(own)}"
        if not down:
            ends, data = (unit, up), f"b{b} {listed(own)} > {listed(above)}"
        canvas.packet(cycle, *ends, style[b], label=brief(above if down else own), data=data)


def partners(addresses: Index, units: Index) -> dict[int, Units]:
    """Address to the units that it goes to or comes from."""
    found: dict[int, set[int]] = {}
    for address, unit in zip(addresses.tolist(), units.tolist(), strict=True):
        found.setdefault(address, set()).add(unit)
    return {address: frozenset(found[address]) for address in sorted(found)}


def segments(partners: Mapping[int, Units], style: object, label: object) -> list[Segment]:
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
    """Neighbours, or neighbouring pairs, in turn."""
    return f"u{min(units) // len(units) % 2}"


def _l1b_x(b: int) -> float:
    return LEFT + (b + 0.5) * ROOM / isa.L1BS


def _l1bm_row(
    canvas: Canvas, y: float, words: Mapping[int, Sequence[Sequence[int]]], style: Mapping[int, str], written: bool
) -> None:
    """The L1BMs of an L2B; words: of every L1B, by cycle."""
    width = ROOM / isa.L1BS - 6
    canvas.text(LEFT - 8, y + 12, "L1BM", "b", anchor="end")
    for cycle in CYCLES:
        canvas.text(LEFT - 8, y + 18 + cycle * ROW + 13, tr("cycle {cycle}", cycle), "s f", anchor="end")
    for b, cycles in words.items():
        x = _l1b_x(b) - width / 2
        used = b in style
        canvas.text(_l1b_x(b), y + 12, f"L1B {b}", "s b" if used else "s f", anchor="middle")
        for cycle, addresses in enumerate(cycles):
            data = f"writes L1BM b{b} {full(addresses)}" if written and addresses else ""
            top = y + 18 + cycle * ROW
            with canvas.group(data=data, style=canvas.lit(cycle, "w" if written else "r") if addresses else ""):
                canvas.rect(x, top, width, ROW - 1, style.get(b, "empty"), title=tr("L1B {b}, cycle {cycle}", b, cycle))
                if addresses:
                    canvas.text(_l1b_x(b), top + 13, brief(addresses), "m on", anchor="middle", room=width)


def fan(canvas: Canvas, strip: Point, units: Sequence[Point], down: bool, style: str, reduction: str) -> None:
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
    canvas.text(MARGIN, y + 14, tr("L1BMs of one L2B: the same in all 8 L2Bs"), "b")
    below = y + 22 + 18 + 4 * ROW + GAP
    groups = [
        {b: [side[side[:, 0] == b][:, -1].tolist() for side in sides] for b in range(isa.L1BS)}
        for sides in ([source for _, source in ends], [target for target, _ in ends])
    ]
    used = [sorted(b for b, cycles in words.items() if any(cycles)) for words in groups]
    pairs = {(int(s[0]), int(t[0])) for target, source in ends for t, s in zip(target, source, strict=True)}
    hue = {target: f"u{source % 2}" for source, target in pairs}
    _l1bm_row(canvas, y + 22, groups[0], {b: f"u{b % 2}" for b in used[0]}, written=False)
    _l1bm_row(canvas, below, groups[1], hue, written=True)
    for source, target in sorted(pairs):
        canvas.arrow([(_l1b_x(source), below - GAP + 2), (_l1b_x(target), below - 2)], f"u{source % 2}")
    for source, target in sorted(pairs):
        for cycle, (targets, sources) in enumerate(ends):
            mine = (sources[:, 0] == source) & (targets[:, 0] == target)
            words, own = sources[mine, -1].tolist(), targets[mine, -1].tolist()
            row = 18 + (cycle + 0.5) * ROW
            start, end = (_l1b_x(source), y + 22 + row), (_l1b_x(target), below + row)
            data = f"b{source} {listed(words)} > b{target} {listed(own)}"
            canvas.packet(cycle, start, end, f"u{source % 2}", label=brief(words), data=data)
    return below + 18 + 4 * ROW
