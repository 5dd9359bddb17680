"""When all wrong elements lie on one side of a bound."""

from __future__ import annotations

import numpy as np

from grader.feedback.bounds import bounded
from grader.feedback.causes import LARGE


def test_a_bound_needs_all_on_its_side_to_be_wrong() -> None:
    x = np.linspace(-2, 2, 64)
    half = np.arange(64) % 2 == 0
    assert bounded({"x": x}, x, half) is None
    assert bounded({"x": x}, x, x > 1) == (LARGE, f"wrong only where x is {x[x > 1].min():.6g} or more")
    assert bounded({"x": x}, x, np.ones(64, bool)) is None
