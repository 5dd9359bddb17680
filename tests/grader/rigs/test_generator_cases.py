"""Cases of generators on layouts that nobody has seen: each means one thing."""

from __future__ import annotations

import numpy as np

from grader.rigs.generator_cases import hidden_cases
from haribote.answers.tasks import find_task


def test_a_number_per_row_is_none_per_column() -> None:
    """The contract says that a vector lies along the last axis of its size: so no matrix beside one is square."""
    seen = 0
    for seed in range(60):
        for hidden in hidden_cases(find_task("5.44"), np.random.default_rng(seed)):
            matrix, *others = hidden.case.op.inputs
            for vector in others:
                per_row = len(vector.shape) == 1 and hidden.case.row.name in ("sub_rows", "div_rows")
                assert not per_row or matrix.shape[0] == vector.shape[0] != matrix.shape[1], (seed, hidden.case.name)
                seen += per_row
    assert seen > 60
