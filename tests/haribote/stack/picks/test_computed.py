"""Gathers by computed indices, on the machine; every copy of the target is compared."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.code import Code
from haribote.stack.maps import COPY, Bit, BitMap, W, address, unit_bits
from haribote.stack.picks import computed
from haribote.stack.picks.gather import PickError
from tests.haribote.stack.picks.machines import run, taken, wrong
from tests.haribote.stack.picks.test_gather import NEAR, ROWS, SMALL, A, as_shape, slow


def check(
    source: tuple[str, BitMap],
    target: tuple[str, BitMap],
    numbers: np.ndarray,
    fill: float | None = None,
    bank: str = "LM1",
    blocked: int = 0,
    along: tuple[tuple[int, int], ...] = (),
) -> Code:
    code = Code()
    place, into = taken(code, *source), taken(code, *target)
    index = taken(code, bank, into.map)
    code.take(blocked, ("LM0",))
    computed.emit(code, place, into, index, fill, along)
    x = np.random.default_rng(0).integers(0, 1 << 32, place.map.shape, np.uint32)
    machine = run(code, {place: x, index: numbers.astype(np.int32)})
    assert wrong(machine, into, np.append(x.ravel(), np.float32(fill or 0).view(np.uint32))[numbers]) == ""
    assert wrong(machine, index, numbers.astype(np.int32)) == ""
    return code


def _numbers(shape: tuple[int, ...], least: int, end: int) -> np.ndarray:
    return np.random.default_rng(5).integers(least, end, shape)


@pytest.mark.parametrize("bank", ["GRF1", *slow("LM0", "LM1")])
def test_any_elements(bank: str) -> None:
    check(("LM0", SMALL), (bank, SMALL), _numbers((16, 16), 0, 256), bank="GRF1" if bank == "LM0" else "LM1")


def test_negative_indices_take_the_fill_value() -> None:
    check(("LM0", SMALL), ("GRF0", SMALL), _numbers((16, 16), -1, 256), -2.5)


@pytest.mark.slow
def test_axes_and_places_that_are_padded() -> None:
    check(("LM1", ROWS), ("GRF1", ROWS), _numbers((12, 10), -1, 120), 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("fill", [None, *slow(3.0)])
def test_rounds_where_lm0_is_short(fill: float | None) -> None:
    numbers = _numbers((16, 16), 0 if fill is None else -1, 4096)
    code = check(("GRF0", A), ("GRF1", SMALL), numbers, fill, blocked=2700)
    assert any(line.startswith("ior $mt") for line in code.lines)


ROW = BitMap.of(
    "LM", (64, 16), {W: 0, Bit("PE", 0): 1, Bit("PE", 1): 2, address(0): 3} | {Bit("MAB", k): 6 + k for k in range(4)}
    | {address(1): 4, address(2): 5} | {bit: COPY for bit in unit_bits("LM") if bit.level in ("group", "L2B", "L1B")},
)  # fmt: skip


def test_rows_whose_columns_stay_on_their_unit() -> None:
    """Embedding: columns do not travel, and both words of a long word come at once."""
    rows = np.random.default_rng(6).integers(0, 64, (16, 1))
    numbers = rows * 16 + np.arange(16)
    code = check(("LM0", ROW), ("GRF0", SMALL), numbers, along=((1, 1),))
    assert any("$lmt" in line for line in code.lines)


def test_an_index_that_lies_elsewhere_is_refused() -> None:
    code = Code()
    source, target, index = taken(code, "LM0", A), taken(code, "LM1", A), taken(code, "LM1", as_shape(NEAR, 256, 16))
    with pytest.raises(PickError, match="lies otherwise"):
        computed.emit(code, source, target, index)
