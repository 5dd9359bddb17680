"""Scatters to computed places, on the machine."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.code import Code
from haribote.stack.maps import BitMap
from haribote.stack.picks import accumulate
from haribote.stack.picks.gather import PickError
from haribote.stack.picks.scatter import Reduction
from haribote.stack.places import Place
from tests.haribote.stack.picks.machines import run, taken, wrong
from tests.haribote.stack.picks.test_gather import ROWS, SMALL, as_shape, slow
from tests.haribote.stack.picks.test_scatter import AT

FEW = as_shape(SMALL, 9, 16)


def check(
    maps: tuple[BitMap, BitMap],
    places: np.ndarray,
    reduction: Reduction,
    integers: bool = False,
    blocked: int = 0,
    along: tuple[tuple[int, int], ...] = (),
    bank: str = "LM0",
    streams: bool = False,
) -> Code:
    """Small whole numbers: sums and products are exact."""
    random = np.random.default_rng(7)
    dtype = np.int32 if integers else np.float32
    code = Code(streams=streams)
    d, target = taken(code, "LM1", maps[0]), taken(code, bank, maps[0])
    u, at = taken(code, "LM0", maps[1]), taken(code, "GRF1", maps[1])
    code.take(blocked, ("LM0",))
    accumulate.emit(code, d, u, at, target, reduction, integers, along)
    data = random.integers(-4, 5, maps[0].shape).astype(dtype)
    updates = random.choice([-2, -1, 1, 2, 3], maps[1].shape).astype(dtype)
    expected = data.copy().ravel()
    if reduction == "none":
        for place, update in zip(places.ravel(), updates.ravel(), strict=True):
            if place >= 0:
                expected[place] = update
    else:
        AT[reduction].at(expected, places[places >= 0].ravel(), updates[places >= 0].ravel())
    machine = run(code, {d: data, u: updates, at: places.astype(np.int32)})
    expected[expected == 0] = 0  # the product -0 is +0 on this machine
    found = getattr(machine, target.memory.lower())
    found[found == np.uint32(1 << 31)] = 0
    assert wrong(machine, target, expected) == ""
    return code


@pytest.mark.parametrize("reduction", ["none", *slow("add", "mul", "max", "min")])
def test_elements_anywhere(reduction: Reduction) -> None:
    check((SMALL, FEW), np.random.default_rng(8).integers(-1, 256, (9, 16)), reduction)


def test_the_numbers_of_elements_come_down_where_none_are_kept() -> None:
    places = np.random.default_rng(8).integers(-1, 256, (9, 16))
    kept, streamed = (check((SMALL, FEW), places, "add", streams=streams) for streams in (False, True))
    assert len(streamed.setup) < len(kept.setup) and len(streamed.lines) > len(kept.lines)


def test_rows_are_added_in_their_columns() -> None:
    """The gradient of Gather: columns stay where they are, and each PE sees only its own."""
    rows = np.random.default_rng(9).integers(0, 16, (9, 1))
    far = check((SMALL, FEW), rows * 16 + np.arange(16), "add", True)
    near = check((SMALL, FEW), rows * 16 + np.arange(16), "add", True, along=((1, 1),))
    assert len(near.lines) < len(far.lines) / 2


@pytest.mark.slow
def test_parts_where_lm0_is_short() -> None:
    check((ROWS, FEW), np.random.default_rng(8).integers(-1, 120, (9, 16)), "none", blocked=3600, bank="GRF0")


def test_a_place_for_every_update() -> None:
    place = Place("LM0", 0, SMALL)
    with pytest.raises(PickError, match=r"\(16, 16\) updates at \(9, 16\) places"):
        accumulate.emit(Code(), place, place, Place("LM1", 0, FEW), place)
