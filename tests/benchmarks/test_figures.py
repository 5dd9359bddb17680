"""Targets of the figures."""

from __future__ import annotations

from benchmarks.figures import Figure


def test_targets_are_upper_or_lower_bounds() -> None:
    assert Figure("s", "n", 40, "ms", 40).met and not Figure("s", "n", 40.1, "ms", 40).met
    assert Figure("s", "n", 10, "x", 10, at_least=True).met and not Figure("s", "n", 9.9, "x", 10, at_least=True).met
    assert Figure("s", "n", 1, "ms").met is None
    assert "✓ target ≤ 40 ms" in str(Figure("s", "n", 12.345, "ms", 40)) and "12.3" in str(Figure("s", "n", 12.34, ""))
    assert "✗ target ≥ 10 x" in str(Figure("s", "n", 2, "x", 10, at_least=True))
