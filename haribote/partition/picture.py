"""A cut as a picture: chip on the left, host on the right, time from top to bottom, beside each piece what comes in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from haribote.partition.costs import ASSUMED
from haribote.partition.pieces import Crossing, Cut, Piece, told
from simulator.messages import shown, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture, wrap

COLUMN = 370.0
"""Pixels of a column; the arrows run between the two."""
LINE, PADDING, GAP = 16.0, 12.0, 18.0
MOST_PIECES, MOST_LINES = 20, 6
"""Pieces that are drawn, and lines of text beside or in one."""
HUES = {"chip": "h0", "host": "h1"}
LEFT = {"chip": MARGIN, "host": WIDTH - MARGIN - COLUMN}
INNER = {"chip": MARGIN + COLUMN, "host": WIDTH - MARGIN - COLUMN}
"""Where arrows leave and arrive."""


def cut_picture(cut: Cut, title: str = "") -> Picture:
    """The picture of a cut, with what it costs and what the figures rest on."""
    canvas = Canvas()
    head = tr(
        "{value}: {coverage} nodes on the chip, {microseconds:,.1f} us",
        title or cut.model.graph.name or tr("the graph"),
        cut.coverage,
        cut.microseconds,
    )
    canvas.text(MARGIN, 28, head, "head", room=WIDTH - 2 * MARGIN)
    spent = {side: sum(piece.microseconds for piece in cut.pieces if piece.side == side) for side in HUES}
    link = sum(crossing.microseconds for crossing in cut.crossings)
    canvas.text(MARGIN, 52, tr("Chip, {spent:,.1f} us", spent["chip"]), "b")
    canvas.text(
        LEFT["host"], 52, tr("Host, {spent:,.1f} us; the link between them, {link:,.1f} us", spent["host"], link), "b"
    )
    first, y = cut.pieces[:MOST_PIECES], 64.0
    places: list[tuple[float, float]] = []
    for number, piece in enumerate(first):
        coming = [crossing for crossing in cut.crossings if crossing.target == number]
        height = _piece(canvas, number, piece, coming, y, cut.microseconds)
        places.append((y, height))
        y += height + GAP
    _arrows(canvas, cut, places)
    more = len(cut.pieces) - len(first)
    if more:
        canvas.text(MARGIN, y + 4, tr("and {more} piece{s} more", more, "s" * (more != 1)), "s f")
        y += LINE
    for line in wrap(ASSUMED, WIDTH - 2 * MARGIN, "s"):
        canvas.text(MARGIN, y + 8, line, "s f")
        y += LINE
    return canvas.picture(f"Cut: {head}", y + MARGIN)


def _piece(canvas: Canvas, number: int, piece: Piece, coming: Sequence[Crossing], y: float, total: float) -> float:
    """A piece as a box, and what comes in beside it; gives the height."""
    x, other = LEFT[piece.side], LEFT["host" if piece.side == "chip" else "chip"]
    lines, inputs = _about(piece), _incoming(coming)
    height = 2 * PADDING + LINE * max(1 + len(lines), len(inputs)) + 6
    names = ", ".join(node.name for node in piece.model.graph.node)
    canvas.rect(x, y, COLUMN, height, "box", round_=4, title=tr("piece {value}: {names}", number + 1, names))
    canvas.rect(x, y, 5, height, HUES[piece.side])
    engine = "" if piece.side == "chip" else f", {piece.engine}"
    nodes = tr("{nodes} node{s}", piece.nodes, "s" * (piece.nodes != 1))
    text = f"{number + 1}  {nodes}{engine}"
    canvas.text(x + 16, y + PADDING + 10, text, "b")
    cycles = "" if piece.cycles is None else tr("{cycles:,.0f} cycles", piece.cycles) + ", "
    time = f"{cycles}{piece.microseconds:,.1f} us"
    canvas.text(x + COLUMN - 12, y + PADDING + 10, time, anchor="end")
    for row, line in enumerate(lines, 1):
        canvas.text(x + 16, y + PADDING + 10 + row * LINE, line, "s f", room=COLUMN - 28)
    share = piece.microseconds / total if total else 0.0
    canvas.rect(x + 16, y + height - 9, max((COLUMN - 28) * share, 1), 4, HUES[piece.side], title=f"{share:.0%}")
    for row, line in enumerate(inputs):
        canvas.text(other, y + PADDING + 10 + row * LINE, line, "s", room=COLUMN)
    return height


def _about(piece: Piece) -> list[str]:
    """Its operators, and why they are there."""
    found = Counter(node.op_type for node in piece.model.graph.node)
    operators = ", ".join(name if count == 1 else f"{count} {name}" for name, count in found.most_common())
    if piece.side == "chip":
        return [operators, *[tr("not one with the piece before: {apart}", piece.apart)] * bool(piece.apart)]
    reasons: dict[str, list[str]] = {}
    for node, reason in piece.reasons.items():
        reasons.setdefault(reason, []).append(node)
    lines = [f"{', '.join(nodes)}: {shown(reason)}" for reason, nodes in reasons.items()]
    return [operators, *_limited(lines)]


def _incoming(coming: Sequence[Crossing]) -> list[str]:
    return _limited([told(crossing) for crossing in coming])


def _limited(lines: list[str]) -> list[str]:
    """The lines, or the first ones and how many there are more."""
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], tr("and {value} more", len(lines) - MOST_LINES + 1)]


def _arrows(canvas: Canvas, cut: Cut, places: Sequence[tuple[float, float]]) -> None:
    """One arrow for each pair of pieces between which something goes; wider where more does."""
    pairs: dict[tuple[int, int], int] = {}
    for crossing in cut.crossings:
        if crossing.target < len(places) and crossing.source < crossing.target:
            pair = (crossing.source, crossing.target)
            pairs[pair] = pairs.get(pair, 0) + crossing.size
    for number, ((source, target), size) in enumerate(pairs.items()):
        x = INNER["chip"] + 14 + (INNER["host"] - INNER["chip"] - 28) * (number % 5) / 4
        start, end = INNER[cut.pieces[source].side], INNER[cut.pieces[target].side]
        entering = [pair for pair in pairs if pair[1] == target].index((source, target))
        y0 = places[source][0] + places[source][1] - 14
        y1 = places[target][0] + 14 + 8 * entering
        points = [(start, y0), (x, y0), (x, y1), (end, y1)]
        canvas.arrow(points, HUES[cut.pieces[source].side], width=min(1.2 + size / 1e6, 4.0))
