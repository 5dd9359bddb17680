"""Which memories of which units words move between, for the arrows on the map of the chip."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simulator.effects.running import unit_numbers
from simulator.isa import program as p
from simulator.isa.transfers import move_transfer, transfer_of

Arrow = tuple[str, str, list[tuple[int, int]] | None]
"""Memory, memory, and pairs of units; None where every unit that takes part exchanges with the one it belongs to."""


def arrows_of(line: p.Line | None) -> Iterator[Arrow]:
    """The arrows of a line; none where words stay in their PE or MAB."""
    if isinstance(line, p.Move):
        yield from _move(line)
    elif isinstance(line, p.Step):
        for instruction in line.instructions:
            transfer = transfer_of(instruction)
            if transfer is not None and instruction.unit in ("l1bm", "l2bm"):
                source, destination = transfer.formula.source.memory, transfer.formula.destination.memory
                yield source.lower(), destination.lower(), None


def _move(move: p.Move) -> Iterator[Arrow]:
    transfer = move_transfer(move)
    if transfer is not None:
        ends, starts = map(unit_numbers, transfer.points_from_0)
        pairs = np.unique(np.stack([starts, ends], axis=1), axis=0)
        names = transfer.formula.source.memory.lower(), transfer.formula.destination.memory.lower()
        yield *names, [(int(source), int(end)) for source, end in pairs]
