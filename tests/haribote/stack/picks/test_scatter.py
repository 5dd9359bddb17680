"""Scatters to known places, on the machine."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.code import Code
from haribote.stack.picks import scatter
from haribote.stack.picks.gather import PickError
from haribote.stack.places import Place
from tests.haribote.stack.picks.machines import run, taken, wrong
from tests.haribote.stack.picks.test_gather import SMALL

AT = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


@pytest.mark.parametrize(
    ("reduction", "integers"),
    [("none", False), ("add", True)]
    + [pytest.param(*case, marks=pytest.mark.slow) for case in (("mul", False), ("max", True), ("min", False))],
)
def test_scatters(reduction: scatter.Reduction, integers: bool) -> None:
    """Small whole numbers: products and sums are exact in any order."""
    random = np.random.default_rng(3)
    dtype = np.int32 if integers else np.float32
    data, updates = (random.integers(-4, 5, (16, 16)).astype(dtype) for _ in range(2))
    places = random.integers(0, 100, (16, 16))
    code = Code()
    d, u, target = taken(code, "LM0", SMALL), taken(code, "LM1", SMALL), taken(code, "GRF1", SMALL)
    scatter.emit(code, d, u, target, places, reduction, integers)
    expected = data.copy()
    if reduction == "none":
        for place, update in zip(places.ravel(), updates.ravel(), strict=True):
            expected.ravel()[place] = update
    else:
        AT[reduction].at(expected.ravel(), places.ravel(), updates.ravel())
    machine = run(code, {d: data, u: updates})
    found = Place("GRF1", target.address, SMALL)
    expected[expected == 0] = 0  # the product -0 is +0 on this machine
    assert wrong(machine, found, expected) == ""


def test_products_of_integers_are_refused() -> None:
    place = Place("LM0", 0, SMALL)
    with pytest.raises(PickError, match="cannot multiply integers"):
        scatter.emit(Code(), place, place, place, np.zeros(3, np.int64), "mul", integers=True)
