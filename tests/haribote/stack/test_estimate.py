"""Estimates beside what the search finds."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.estimate import estimate
from haribote.stack.maps import PART
from haribote.stack.paths import paths
from haribote.stack.planner.families import candidates, reduced

THROUGH = frozenset(("LM", "L1BM", "L2BM", "PDM", "DRAM"))


def _ranks(values: list[float]) -> np.ndarray:
    return np.argsort(np.argsort(values))


@pytest.mark.slow
def test_estimates_rank_sums_as_the_search_does() -> None:
    estimated, found = [], []
    for _, before in candidates((256, 16)):
        parts = reduced(before, (0,), PART)
        for _, after in candidates(parts.shape)[:2]:
            estimated.append(estimate(parts, after))
            first, _ = paths(parts, after, THROUGH, True, "fadd")[0]
            found.append(sum(hop.cycles for hop in first))
    assert len(found) > 10 and len(set(found)) > 5
    assert np.corrcoef(_ranks(estimated), _ranks(found))[0, 1] > 0.7


def test_nothing_costs_nothing() -> None:
    (_, first), *_ = candidates((256, 16))
    assert estimate(first, first) == 0.0
