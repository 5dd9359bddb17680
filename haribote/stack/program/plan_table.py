"""A plan as a table: what each action does, between which layouts, and what it costs; it adds up to the total."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, prod

from haribote.stack.plan import Multiply, Stream
from haribote.stack.products.bound import bound, gemm_bound
from haribote.stack.program.builder import ActionCode, Built
from haribote.stack.program.telling import Letters, made, piece_costs, subject, told, utilisation, way, where
from haribote.stack.program.work import Joined
from haribote.words import word
from simulator.columns import aligned
from simulator.isa.cost import Cost, sum_costs
from simulator.messages import shown, tr

HEAD = ("", "value", "action", "layout", "in", "steps", "nops", "MV words", "cycles")
NUMBERS = 4
"""The last columns, which are numbers."""
WIDEST = {1: 26, 2: 44}
"""Characters of a cell at most, by its column."""


def table(built: Built) -> str:
    """Aligned text, in the language of the moment. Each action is counted by itself, one after another; the schedule
    then merges them.
    """
    letters, costs = Letters(built), piece_costs(built)
    cells = [HEAD, *(_row(k, *both, letters) for k, both in enumerate(zip(built.pieces, costs, strict=True), 1))]
    scheduled = built.executable.cost
    cells.append(("", "", tr("one after another"), "", "", *_numbers(sum_costs(costs))))
    cells.append(("", "", tr("scheduled"), "", "", *_numbers(scheduled)))
    said = [tuple(map(word, HEAD)), *((*row[:2], shown(row[2]), *row[3:]) for row in cells[1:])]
    lines = aligned(said, rights=[0, *range(len(HEAD) - NUMBERS, len(HEAD))])
    below = ["", *stays(built, letters), "", *products(built, costs), "", *letters.legend(), "", _total(scheduled)]
    return "\n".join([*lines, *map(shown, below)])


def stays(built: Built, letters: Letters) -> list[str]:
    """What is on the chip before and after a step."""
    return [tr("stays on the chip: {value} in "
               "{letters}, {places}", version.value, letters[version.map], where(places))
            for version, places in built.homes.items()]  # fmt: skip


def products(built: Built, costs: Sequence[Cost]) -> list[str]:
    """The products: by which template, how each is cut, what that costs (one after another) and what it costs at
    least."""
    lines = []
    for piece, cost in zip(built.pieces, costs, strict=True):
        action = piece.action.multiply if isinstance(piece.action, Joined) else piece.action
        if isinstance(action, Multiply):
            lines.append(_multiplied(action, piece, cost))
        if not isinstance(action, Stream):
            continue
        tiling = action.tiling
        least = gemm_bound(tiling.rows, tiling.depth, tiling.columns)
        size = f"{tiling.rows}x{tiling.depth}x{tiling.columns}"
        cycles = tr("{overlapped:,.0f} cycles, at least {cycles:,.0f}", tiling.overlapped, least.cycles)
        lines.append(
            tr(
                "streamed: {value}, {size}, matrix {value2}, {tiling}; {cycles}",
                value=action.target.value,
                size=size,
                value2=action.matrix.value,
                tiling=tiling,
                cycles=cycles,
            )
        )
    return lines


def _multiplied(action: Multiply, piece: ActionCode, cost: Cost) -> str:
    """A product of operands that are in the PEs. Its sizes are those of the axes as they are split."""
    a, b, _ = action.spec.replace("->", ",").split(",")
    sizes = dict(zip(a + b, (*action.a.map.shape, *action.b.map.shape), strict=True))
    matrix = any("gmfma" in line or "gmmul" in line or "hmfma" in line or "hmmul" in line for line in piece.lines)
    unit = tr("matrix units") if matrix else tr("vector units")
    summed = "x".join(str(size) for letter, size in sizes.items() if letter in a and letter in b)
    free = "x".join(str(size) for letter, size in sizes.items() if not (letter in a and letter in b))
    tiles = tr("{free} results of {value} products each", free, summed or 1)
    least = ceil(bound(prod(sizes.values()), 0).cycles)
    cycles = tr("{cycles:,.0f} cycles, at least {least:,.0f}", cost.cycles, least)
    return tr(
        "product of values in the PEs: {value}, {tiles}, by {unit}; {cycles}", action.target.value, tiles, unit, cycles
    )


def _total(cost: Cost) -> str:
    return f"{tr('{cycles:,.0f} cycles', cost.cycles)}: {shown(utilisation(cost))}"


def _row(number: int, piece: ActionCode, cost: Cost, letters: Letters) -> tuple[str, ...]:
    homes = where(piece.places.get(made(piece)[0], ())) if made(piece) else ""
    texts = (str(number), subject(piece), told(piece), way(piece, letters), homes)
    return (*(_short(text, WIDEST.get(column, 0)) for column, text in enumerate(texts)), *_numbers(cost))


def _short(text: str, most: int) -> str:
    return text if not most or len(text) <= most else f"{text[: most - 1]}…"


def _numbers(cost: Cost) -> tuple[str, ...]:
    return f"{cost.steps}", f"{cost.nops}", f"{cost.move_words:,}", f"{cost.cycles:,.0f}"
