"""Which memories a product uses."""

from __future__ import annotations

import pytest

from haribote.stack.code import Code
from haribote.stack.products.core import HALF, SINGLE
from haribote.stack.products.room import banks


@pytest.mark.parametrize("given", ["GRF0", "GRF1"])
@pytest.mark.parametrize("target", ["GRF0", "GRF1"])
def test_sums_are_not_where_vectors_lie_ready(given: str, target: str) -> None:
    for kind in (SINGLE, HALF):
        found = banks(Code(), 4, 1, 1, (target,), (("LM0",), ("LM1",)), kind, given)
        assert len({found.vectors, found.sums, found.matrices}) == 3 and found.vectors == given
        assert found.in_place == (target != given)
