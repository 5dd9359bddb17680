"""Pictures of MV instructions: the four groups with DRAM, PDM and L2BMs, and what goes from which to which."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simulator import isa
from simulator.isa import program as p
from simulator.isa.cost import move_rate
from simulator.isa.formulas import Index, Reference
from simulator.isa.transfers import Transfer
from simulator.messages import joined, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, width_of
from simulator.pictures.move_words import brief, full, listed

GROUP, SPACE = 196.0, 8.0
ROWS = {"DRAM": 0, "PDM": 1, "L2BM": 2}
HEIGHT, GAP = 36.0, 46.0
SHOWN = 8
"""Runs of addresses that are spelled out."""
Unit = tuple[str, int, int]
"""Memory, group, and L2B in the group (0 for DRAM and PDM)."""


def mv_panel(canvas: Canvas, move: p.Move, transfer: Transfer, y: float) -> float:
    """Every memory of the groups; those that take part coloured, with their addresses; returns where it ends."""
    targets, sources = transfer.points() if transfer.known else transfer.points_from_0
    formula = transfer.formula
    read, written = _by_unit(formula.source, sources), _by_unit(formula.destination, targets)
    known = transfer.known
    _boxes(canvas, y + 16, read, written, known)
    pairs = _pairs(formula.source, sources, formula.destination, targets)
    _arrows(canvas, y + 16, pairs, transfer.reduction)
    _packets(canvas, y + 16, transfer, targets, sources, pairs)
    bottom = y + 16 + 3 * HEIGHT + 2 * GAP
    if known and not transfer.reduction:
        bottom = _runs(canvas, bottom + 24, formula.source, sources, formula.destination, targets)
    cycles = move.size / move_rate(move)
    rate = tr("{size} long words by its size, {move} per cycle: {cycles:g} cycles", move.size, move_rate(move), cycles)
    canvas.text(MARGIN, bottom + 20, rate, "s f")
    return bottom + 20


def _packets(
    canvas: Canvas, y: float, transfer: Transfer, targets: Index, sources: Index, pairs: list[tuple[Unit, Unit]]
) -> None:
    """One packet for every pair of memories, with the words that go from the one to the other."""
    formula = transfer.formula
    starts, ends = _units(formula.source, sources), _units(formula.destination, targets)
    for source, target in pairs:
        mine = [n for n, pair in enumerate(zip(starts, ends, strict=True)) if pair == (source, target)]
        read, written = sources[mine, -1].tolist(), targets[mine, -1].tolist()
        start, end = ((x + width / 2, top + HEIGHT / 2) for x, top, width in (_box(source, y), _box(target, y)))
        label, data = tr("{read} words", len(read)), ""
        if transfer.known:
            label, data = brief(read), f"{_name(source)} {listed(read)} > {_name(target)} {listed(written)}"
        canvas.packet(0, start, end, "from", label=label, data=data)


def _name(unit: Unit) -> str:
    memory, group, l2b = unit
    return f"{memory} n{group}" + (f"c{l2b}" if memory == "L2BM" else "")


def _units(side: Reference, points: Index) -> list[Unit]:
    if side.memory == "L2BM":
        return [("L2BM", int(g), int(c)) for g, c in points[:, :2]]
    return [(side.memory, int(g), 0) for g in points[:, 0]]


def _by_unit(side: Reference, points: Index) -> dict[Unit, list[int]]:
    """The addresses of each unit."""
    found: dict[Unit, list[int]] = {}
    width = 2 if side.memory == "L2BM" else 1
    for numbers in np.unique(points[:, :width], axis=0):
        mine = (points[:, :width] == numbers).all(axis=1)
        unit = (side.memory, int(numbers[0]), int(numbers[1]) if width == 2 else 0)
        found[unit] = np.unique(points[mine][:, -1]).tolist()
    return found


def _pairs(source: Reference, sources: Index, target: Reference, targets: Index) -> list[tuple[Unit, Unit]]:
    """Which unit sends to which."""
    a, b = (2 if side.memory == "L2BM" else 1 for side in (source, target))
    both = np.unique(np.concatenate([sources[:, :a], targets[:, :b]], axis=1), axis=0)
    return list(zip(_units(source, both[:, :a]), _units(target, both[:, a:]), strict=True))


def _box(unit: Unit, y: float) -> tuple[float, float, float]:
    """Left, top and width of a memory."""
    memory, group, l2b = unit
    left = MARGIN + group * (GROUP + SPACE)
    top = y + ROWS[memory] * (HEIGHT + GAP)
    if memory == "DRAM":
        return left, top, GROUP
    if memory == "PDM":
        return left + 0.24 * GROUP, top, 0.52 * GROUP
    return left + 0.515 * GROUP * l2b, top, 0.485 * GROUP


def _boxes(canvas: Canvas, y: float, read: dict[Unit, list[int]], written: dict[Unit, list[int]], known: bool) -> None:
    every: list[Unit] = [(m, g, 0) for m in ("DRAM", "PDM") for g in range(isa.GROUPS)]
    every += [("L2BM", g, c) for g in range(isa.GROUPS) for c in range(isa.L2BS_PER_GROUP)]
    for group in range(isa.GROUPS):
        canvas.text(MARGIN + group * (GROUP + SPACE), y - 4, tr("group {group}", group), "s f")
    for unit in every:
        memory = unit[0]
        x, top, width = _box(unit, y)
        name = _name(unit)
        style = "to" if unit in written else "from" if unit in read else "box"
        data = f"writes {memory} {name.split()[1]} {full(written[unit])}" if unit in written and known else ""
        kind = canvas.lit(0, "w" if unit in written else "r") if unit in written or unit in read else ""
        with canvas.group(data=data, style=kind):
            canvas.rect(x, top, width, HEIGHT, style, round_=3, title=_title(name, read.get(unit), written.get(unit)))
            _box_text(canvas, unit, y, " on" if style != "box" else " f", read.get(unit), written.get(unit), known)


def _box_text(
    canvas: Canvas,
    unit: Unit,
    y: float,
    tone: str,
    read: list[int] | None,
    written: list[int] | None,
    known: bool,
) -> None:
    """The name of a memory, and which words of it are read and written."""
    x, top, width = _box(unit, y)
    canvas.text(x + width / 2, top + 15, _name(unit), f"b{tone}", anchor="middle", room=width)
    says = [tr("reads {read}", brief(read))] if read else []
    says += [tr("writes {written}", brief(written))] if written else []
    text = "; ".join(says)
    if width_of(text, "s") > width:
        text = "; ".join(brief(words) for words in (read, written) if words)
    if says and not known and unit[0] == "DRAM":
        text = tr("by the DRAM table")
    canvas.text(x + width / 2, top + 29, text, f"s{tone}", anchor="middle", room=width)


def _title(name: str, read: list[int] | None, written: list[int] | None) -> str:
    parts = [tr("reads long words {read}", brief(read, 4))] if read else []
    parts += [tr("writes long words {written}", brief(written, 4))] if written else []
    return f"{name}: {joined(*parts) or tr('takes no part')}"


def _arrows(canvas: Canvas, y: float, pairs: list[tuple[Unit, Unit]], reduction: str) -> None:
    """Straight arrows within groups; a line that all are joined to where words go from group to group."""
    rows = ROWS[pairs[0][0][0]], ROWS[pairs[0][1][0]]
    far = set(rows) == {0, 2}
    if rows[0] != rows[1] and not reduction and all(a[1] == b[1] for a, b in pairs):
        for source, target in pairs:
            x = _port(target if rows[1] == 2 else source, y, far, ROWS["L2BM"] in rows)
            start, end = _edge(source, y, rows[1] > rows[0]), _edge(target, y, rows[0] > rows[1])
            canvas.arrow([(x, start), (x, end)])
        return
    bus = y + 2 * (HEIGHT + GAP) - 20 if 2 in rows else y + HEIGHT + 20
    if rows == (1, 1):
        bus = y + 2 * HEIGHT + GAP + 20
    for together in _joined(pairs):
        _bus(canvas, y, bus, together, reduction)


def _joined(pairs: list[tuple[Unit, Unit]]) -> list[list[tuple[Unit, Unit]]]:
    """The pairs in parts that have no unit in common."""
    parts: list[list[tuple[Unit, Unit]]] = []
    for pair in pairs:
        near = [part for part in parts if any(set(pair) & set(other) for other in part)]
        parts = [part for part in parts if part not in near] + [[*(p for part in near for p in part), pair]]
    return parts


def _bus(canvas: Canvas, y: float, bus: float, pairs: list[tuple[Unit, Unit]], reduction: str) -> None:
    """A line at the height `bus` from all sources to all destinations."""
    rows = ROWS[pairs[0][0][0]], ROWS[pairs[0][1][0]]
    far = set(rows) == {0, 2}
    ends: list[float] = []
    for source in dict.fromkeys(source for source, _ in pairs):
        x = _port(source, y, far, ROWS["L2BM"] in rows) - (5 if rows[0] == rows[1] else 0)
        canvas.path(f"M{x:g} {_edge(source, y, bus > _box(source, y)[1]):g}V{bus:g}", "arrow")
        ends.append(x)
    for target in dict.fromkeys(target for _, target in pairs):
        x = _port(target, y, far, ROWS["L2BM"] in rows) + (5 if rows[0] == rows[1] else 0)
        canvas.arrow([(x, bus), (x, _edge(target, y, bus > _box(target, y)[1]))])
        ends.append(x)
    canvas.line(min(ends), bus, max(ends), bus, "arrow")
    if reduction:
        middle, width = (min(ends) + max(ends)) / 2, width_of(reduction, "m") + 14
        canvas.rect(middle - width / 2, bus - 9, width, 18, "box", round_=9)
        canvas.text(middle, bus + 4, reduction, "m", anchor="middle")


def _port(unit: Unit, y: float, far: bool, l2bm: bool) -> float:
    """Where an arrow meets a memory: those between DRAM and L2BM pass beside the PDM."""
    x, _, width = _box(unit, y)
    if unit[0] == "L2BM":
        return x + width * ((0.22 if unit[2] == 0 else 0.78) if far else (0.75 if unit[2] == 0 else 0.25))
    return x + width * (0.11 if far and l2bm else 0.5)


def _edge(unit: Unit, y: float, below: bool) -> float:
    """The lower or the upper edge of a memory, a little off."""
    _, top, _ = _box(unit, y)
    return top + HEIGHT + 2 if below else top - 2


def _runs(canvas: Canvas, y: float, source: Reference, sources: Index, target: Reference, targets: Index) -> float:
    """The first runs of addresses, spelled out; returns where they end."""
    lines = list(_run_texts(source, sources, target, targets))
    canvas.text(MARGIN, y, tr("in {lines:,} run{s} of long words", len(lines), "s" * (len(lines) > 1)), "b")
    few = lines if len(lines) <= SHOWN else lines[:SHOWN]
    rows = -(-len(few) // 2)
    for number, text in enumerate(few):
        x = MARGIN + number // rows * (WIDTH - 2 * MARGIN) / 2
        canvas.text(x, y + 17 + number % rows * 16, text, "m", room=(WIDTH - 2 * MARGIN) / 2)
    bottom = y + 17 + (rows - 1) * 16
    if len(lines) > SHOWN:
        bottom += 16
        canvas.text(MARGIN, bottom, tr("and {value:,} more", len(lines) - SHOWN), "s f")
    return bottom


def _run_texts(source: Reference, sources: Index, target: Reference, targets: Index) -> Iterator[str]:
    order = np.lexsort((targets[:, -1], *targets[:, :-1].T[::-1]))
    sources, targets = sources[order], targets[order]
    same = (np.diff(sources[:, :-1], axis=0) == 0).all(axis=1) & (np.diff(targets[:, :-1], axis=0) == 0).all(axis=1)
    same &= (np.diff(sources[:, -1]) == 1) & (np.diff(targets[:, -1]) == 1)
    starts = [0, *(np.flatnonzero(~same) + 1).tolist()]
    for start, end in zip(starts, [*starts[1:], len(sources)], strict=True):
        yield f"{_place(source, sources[start:end])} → {_place(target, targets[start:end])}"


def _place(side: Reference, points: Index) -> str:
    memory, group, l2b = _units(side, points[:1])[0]
    unit = f"n{group}" + (f"c{l2b}" if memory == "L2BM" else "")
    return f"{memory} {unit} [{brief(points[:, -1].tolist())}]"
