"""Train steps of wide networks: what they cost at most, with every check that `--check` makes, and what they give."""

from __future__ import annotations

import pytest

from benchmarks.shapes import measured
from haribote.core.checker import VARIABLE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "most"),
    [
        ("784-64-10:64", 1560),
        ("784-64-10:256", 3280),
        ("784-128-10:64", 2700),
        ("784-256-10:256", 8800),
        ("446-254-413:128", 7300),
        ("144-438-382:33", 5050),
        ("430-471-371-340:32", 7500),
        ("500-33-42:1000", 5450),
        ("230-89-292:152", 6050),
        ("35-60-238:460", 5100),
        ("314-45-481:551", 10400),
        ("313-308-343:224", 15500),
        ("512-512-16:512", 20000),
        ("491-198-428:417", 25000),  # sums in L1BM move in pieces: x has a buffer in L2BM of its own
        ("400-411-316-241:277", 45000),
        ("257-349-210-419-123:128", 13400),  # its second plan, which looks dearer, gives the shorter program
        ("139-62:596", 3000),  # its batch is dealt out by rows, as that of the next one
        ("60-240-355-276:142", 14600),
        ("109-185-180-76:121", 6000),  # its largest product is too small for cuts of all axes at the first look
    ],
)
def test_wide_steps_stay_below_their_limits(shape: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    row = measured("mlp", shape, None)
    assert row["overlapped"] <= most
    assert row["error"] < 2e-7
