"""Which padding must be zero for a product: found by asking what each padded index is summed with."""

from __future__ import annotations

import pytest

from haribote.stack.maps import COPY, Bit, BitMap, W, address, unit_bits
from haribote.stack.products import cores, zeros

NEAR = (W, Bit("PE", 0), Bit("PE", 1))


def rows(shape: tuple[int, int], near: list[int], units: dict[Bit, int] | None = None) -> BitMap:
    """A matrix with these index bits at W and PE, these in units, copies in all others, the rest at addresses."""
    table = dict.fromkeys(unit_bits("LM"), COPY) | dict(zip(NEAR, near, strict=True)) | (units or {})
    free = [bit for bit in range(BitMap("LM", shape, ()).width) if bit not in table.values()]
    return BitMap.of("LM", shape, table | {address(number): bit for number, bit in enumerate(free)})


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [(64, "none"), (40, "none"), (56, "none"), (36, "both"), (33, "both"), (63, "both")],
)
def test_blocks_of_eight_that_are_all_padding_are_left_out(columns: int, wanted: str) -> None:
    """Columns: three bits at W and PE, three at addresses."""
    a, b = rows((16, columns), [0, 1, 2]), rows((8, columns), [0, 1, 2])
    first = cores("nk,mk->nm", a, b)[0]
    assert first.matrix and first.turns == (None, None)
    assert zeros([first]) == wanted


def test_padding_that_units_hold_needs_zeros_in_one_operand() -> None:
    """Columns 40 to 63 are five of eight L1Bs."""
    units = {Bit("L1B", number): 3 + number for number in range(3)}
    a, b = rows((16, 40), [0, 1, 2], units), rows((8, 40), [0, 1, 2], units)
    assert zeros(cores("nk,mk->nm", a, b)[:1]) == "one"


def test_of_several_cores_the_strictest_counts() -> None:
    exact, padded = (cores("nk,mk->nm", rows((16, k), [0, 1, 2]), rows((8, k), [0, 1, 2]))[0] for k in (64, 36))
    assert zeros([exact, padded]) == zeros([padded, exact]) == "both"
