"""Which memories of which units words move between, for the arrows on the map of the chip."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simulator import isa
from simulator.isa import program as p
from simulator.isa.formulas import Index
from simulator.isa.transfers import move_transfer, transfer_of
from simulator.trace.destinations import memory_of

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
    if transfer is None or move.source is None or move.destination is None:
        return
    ends, starts = transfer.formula.points({"A": 0, "B": 0, **transfer.constants}, transfer.chosen)
    pairs = np.unique(np.stack([_units(starts), _units(ends)], axis=1), axis=0)
    names = memory_of(move.source.operand), memory_of(move.destination.operand)
    yield *names, [(int(source), int(end)) for source, end in pairs]


def _units(points: Index) -> Index:
    """The number of each unit among all of its kind: a group, or an L2B by its group and number in it."""
    return points[:, 0] if points.shape[1] == 2 else points[:, 0] * isa.L2BS_PER_GROUP + points[:, 1]
