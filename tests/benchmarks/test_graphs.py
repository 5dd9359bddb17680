"""Random graphs at -O2 give what the reference gives; a difference is a failure with its seed."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.graphs import compared, difference
from benchmarks.random_graphs import KINDS, random_graph
from tests.long_runs import LONG

FEW, MORE, MANY = 5, 100, 100


@pytest.mark.parametrize("seed", range(FEW))
def test_small_graphs(seed: int) -> None:
    assert difference(random_graph(seed, (1, 3))) == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FEW, MORE))
def test_more_small_graphs(seed: int) -> None:
    assert difference(random_graph(seed, (1, 3))) == ""


@LONG
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(MORE, MORE + MANY))
def test_graphs(seed: int) -> None:
    assert difference(random_graph(seed)) == ""


def test_a_wrong_element_is_a_finding() -> None:
    wanted = {"y": np.array([1.0, 200.0], np.float32), "n": np.array([3])}
    assert compared(wanted, wanted) == ""
    assert compared({"y": np.array([1.01, 200.01], np.float32), "n": np.array([3])}, wanted) == ""
    assert compared({"y": np.array([1.03, 200.0], np.float32), "n": np.array([3])}, wanted).startswith("y differs")
    assert compared(wanted | {"n": np.array([4])}, wanted).startswith("n differs by 1")
    assert compared(wanted | {"y": np.array([np.nan, 200.0], np.float32)}, wanted).startswith("y differs")


@pytest.mark.slow
def test_all_operators_are_drawn() -> None:
    found = {node.op_type for seed in range(150) for node in random_graph(seed).model.graph.node}
    assert len(found) > 60 and len(KINDS) > 30
