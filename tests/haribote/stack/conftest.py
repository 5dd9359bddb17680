"""What the tests of the planner and of its programs share."""

from __future__ import annotations

from pathlib import Path

import pytest

from haribote.core import checker
from haribote.stack import paths


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty file instead of the user's cache of paths, and nothing in memory; graphs and programs are checked."""
    monkeypatch.setenv(checker.VARIABLE, "1")
    monkeypatch.setattr(paths, "_file", lambda: tmp_path / "stack" / "paths.json")
    monkeypatch.setattr(paths, "_new", {})
    paths.forget()
    return tmp_path / "stack" / "paths.json"
