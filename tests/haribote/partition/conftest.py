"""Decisions about cuts go to a cache of each test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from haribote.partition import cut, measured


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cut-cache")
    for module in (cut, measured):
        monkeypatch.setattr(module, "cache_folder", lambda: folder)
    return folder
