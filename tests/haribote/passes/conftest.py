"""What the tests of the passes share."""

from __future__ import annotations

import pytest

from haribote.core import checker


@pytest.fixture(autouse=True)
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graphs that are rewritten are looked at for values with another shape."""
    monkeypatch.setenv(checker.VARIABLE, "1")
