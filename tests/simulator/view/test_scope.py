"""Which units a page shows."""

from __future__ import annotations

import pytest

from simulator import SimulatorError
from simulator.view.scope import CHIP, narrower, parse_unit


def test_the_scope_narrows_to_one_pe() -> None:
    names, scope = [], narrower(CHIP)
    while scope is not None:
        names += scope.names
        scope = narrower(scope)
    assert names == ["n0", "n0c0", "n0c0b0", "n0c0b0m0", "n0c0b0m0p0"]


@pytest.mark.parametrize("name", ["", "c0", "n4", "n0c2", "n0c0b8", "n0c0b0m16", "n0c0b0m0p4", "n0 c0", "x"])
def test_a_name_that_is_no_unit_is_refused(name: str) -> None:
    with pytest.raises(SimulatorError, match="try:"):
        parse_unit(name)
