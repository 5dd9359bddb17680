"""Train steps of wide networks: what they cost at most, with every check that `--check` makes, and what they give."""

from __future__ import annotations

import pytest

from benchmarks.shapes import measured
from haribote.core.checker import VARIABLE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "most"),
    [
        ("784-64-10:64", 1600),
        ("784-64-10:256", 3350),
        ("784-128-10:64", 2700),
        ("784-256-10:256", 8800),
        ("446-254-413:128", 8000),
        ("144-438-382:33", 5100),
        ("430-471-371-340:32", 8900),
        ("500-33-42:1000", 6300),
        ("230-89-292:152", 6050),
        ("35-60-238:460", 5000),
        ("313-308-343:224", 15200),
        ("512-512-16:512", 29000),
    ],
)
def test_wide_steps_stay_below_their_limits(shape: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    row = measured("mlp", shape, None)
    assert row["overlapped"] <= most
    assert row["error"] < 2e-7
