"""Paths whose MVs move long runs, as they are written."""

from __future__ import annotations

from benchmarks import moved
from haribote.stack import moves
from haribote.stack.maps import COPY, PART, Bit, BitMap, W, address, unit_bits
from haribote.stack.places import Place
from simulator.isa.program import Move

PES = (W, Bit("PE", 0), Bit("PE", 1))
MABS = tuple(Bit("MAB", number) for number in range(4))
L1BS = tuple(Bit("L1B", number) for number in range(3))


def _sums() -> tuple[BitMap, BitMap]:
    """What a product of 256 rows and 64 columns leaves in parts on L2Bs and MABs, and where its sums are wanted."""
    parts = {bit: PART for bit in unit_bits("LM") if bit.level in ("group", "L2B", "MAB")}
    parts |= {bit: index for index, bit in enumerate(PES)} | {bit: 11 + n for n, bit in enumerate(L1BS)}
    parts |= {address(number): index for number, index in enumerate((6, 7, 8, 9, 10, 3, 4, 5))}
    wanted = dict.fromkeys(unit_bits("LM"), COPY) | {bit: 6 + n for n, bit in enumerate(PES)}
    wanted |= {bit: 11 + n for n, bit in enumerate(L1BS)} | dict(zip(MABS, range(4), strict=True))
    wanted |= {address(number): index for number, index in enumerate((9, 10, 4, 5))}
    return BitMap.of("LM", (256, 64), parts), BitMap.of("LM", (256, 64), wanted)


def test_sums_over_all_l2bs_come_back_in_long_runs() -> None:
    """4,096 long words of an L2B: with 64 in an MV, 128 of them would take longer to issue than to move."""
    source, target = _sums()
    move = moves.alone(Place("LM0", 0, source), Place("LM1", 0, target), combine="fadd")
    sizes = [line.size for line in move.program.lines if isinstance(line, Move)]
    assert min(sizes) >= 512 and len(sizes) <= 32
    assert not moved.failure(move)
