"""Which memories a product uses."""

from __future__ import annotations

import pytest

from haribote.stack.code import Code
from haribote.stack.products.core import HALF, SINGLE
from haribote.stack.products.room import MANY, Banks, banks, even_chunk, in_blocks, small_chunk


@pytest.mark.parametrize("given", ["GRF0", "GRF1"])
@pytest.mark.parametrize("target", ["GRF0", "GRF1"])
def test_sums_are_not_where_vectors_lie_ready(given: str, target: str) -> None:
    for kind in (SINGLE, HALF):
        found = banks(Code(), 1, 4, 1, 1, (target,), (("LM0",), ("LM1",)), kind, (given,))
        assert len({found.vectors, found.sums, found.matrices}) == 3 and found.vectors == given
        assert found.in_place == (target != given)


@pytest.mark.parametrize("groups", range(1, 70))
def test_groups_are_taken_evenly(groups: int) -> None:
    assert min(groups, MANY) <= small_chunk(groups) < 2 * MANY
    for most in range(1, groups + 1):
        size = even_chunk(groups, most)
        assert size <= most and -(-groups // size) == -(-groups // most)


def test_results_come_early_where_all_matrices_have_room() -> None:
    """A chunk has as few groups as hide the writing of matrices; with room for some matrices only, they would have to
    be made again for every chunk."""
    code, homes = Code(), (("GRF0",), ("LM0",))
    assert banks(code, 1, 20, 4, 2, ("LM0",), homes, SINGLE, "LM0").chunk == MANY
    code.take(code.largest("LM1") - 64, ("LM1",))
    code.take(code.largest("LM1") - 64, ("LM1",))
    assert banks(code, 1, 20, 4, 2, ("LM0",), homes, SINGLE, "LM0").chunk == 20


def test_vectors_are_split_block_by_block_where_two_blocks_have_room() -> None:
    chosen = Banks("LM1", "GRF0", "GRF1", False, 8)
    found = in_blocks(Code(), chosen, 1, 8, 4, ("LM0",))
    assert found is not None and (found.vectors, found.matrices, found.chunk) == ("GRF1", "LM1", 8)
    assert in_blocks(Code(), chosen, 1, 8, 1, ("LM0",)) is None
    assert in_blocks(Code(), Banks("LM1", "GRF0", "GRF1", True, 8), 1, 8, 4, ("LM0",)) is None
    full = Code()
    full.take(full.largest("GRF1") - 64, ("GRF1",))  # for sums, but not for vectors
    found = in_blocks(full, chosen, 1, 8, 4, ("LM0",))
    assert found is not None and (found.vectors, found.sums) == ("GRF0", "GRF1")
    full.take(full.largest("GRF0") - 64, ("GRF0",))
    assert in_blocks(full, chosen, 1, 8, 4, ("LM0",)) is None
