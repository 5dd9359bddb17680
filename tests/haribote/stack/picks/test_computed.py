"""Gathers by computed indices, on the machine; every copy of the target is compared."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.code import Code
from haribote.stack.maps import BitMap
from haribote.stack.picks import computed
from haribote.stack.picks.gather import PickError
from tests.haribote.stack.picks.machines import run, taken, wrong
from tests.haribote.stack.picks.test_gather import NEAR, ROWS, SMALL, A, as_shape, slow


def check(
    source: tuple[str, BitMap],
    target: tuple[str, BitMap],
    numbers: np.ndarray,
    fill: float = 0.0,
    bank: str = "LM1",
    blocked: int = 0,
) -> Code:
    code = Code()
    place, into = taken(code, *source), taken(code, *target)
    index = taken(code, bank, into.map)
    code.take(blocked, ("LM0",))
    computed.emit(code, place, into, index, fill)
    x = np.random.default_rng(0).integers(0, 1 << 32, place.map.shape, np.uint32)
    machine = run(code, {place: x, index: numbers.astype(np.int32)})
    assert wrong(machine, into, np.append(x.ravel(), np.float32(fill).view(np.uint32))[numbers]) == ""
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
def test_rounds_where_lm0_is_short() -> None:
    code = check(("GRF0", A), ("GRF1", SMALL), _numbers((16, 16), -1, 4096), 3.0, blocked=2700)
    assert any(line.startswith("ior $mt") for line in code.lines)


def test_an_index_that_lies_elsewhere_is_refused() -> None:
    code = Code()
    source, target, index = taken(code, "LM0", A), taken(code, "LM1", A), taken(code, "LM1", as_shape(NEAR, 256, 16))
    with pytest.raises(PickError, match="lies otherwise"):
        computed.emit(code, source, target, index)
