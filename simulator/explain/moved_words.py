"""The words that a program moves between the memories of the chip, counted where they arrive."""

from __future__ import annotations

from collections import Counter

from simulator.isa import ALL_L1BS, L2BS
from simulator.isa import program as p
from simulator.isa.gather import gather_of
from simulator.isa.transfers import Transfer, move_transfer, transfer_of

Links = Counter[tuple[str, str]]


def words_moved(program: p.Program) -> Links:
    """(from, to) to the words that arrive in all units together: a word sent to 8 L2BMs counts 8 times."""
    links: Links = Counter()
    for line in program.lines:
        if isinstance(line, p.Move):
            transfer = move_transfer(line)
            if transfer is not None:
                links[_ends(transfer)] += 2 * _arriving(transfer)
        elif isinstance(line, p.Step):
            for instruction in line.instructions:
                transfer = transfer_of(instruction)
                if transfer is not None and instruction.unit in ("l1bm", "l2bm"):
                    units = ALL_L1BS if instruction.unit == "l1bm" else L2BS
                    links[_ends(transfer)] += 2 * units * _arriving(transfer)
    return links


def _ends(transfer: Transfer) -> tuple[str, str]:
    return transfer.formula.source.memory, transfer.formula.destination.memory


def _arriving(transfer: Transfer) -> int:
    """Long words that arrive, of one L2B or L1B for their instructions."""
    side = gather_of(transfer).destination
    return len(side.units) * side.count
