"""C++ of these tests goes to a cache of its own; the simulator's engine, which takes long to build, does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from haribote.cpp.build import CompilerMissing, compiler


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lazy")


@pytest.fixture(autouse=True)
def cache(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A test of C++ is skipped where there is no compiler."""
    if "chip" not in request.node.name:
        monkeypatch.setenv("HARIBOTE_CACHE", str(folder))
    if "[cpp]" in request.node.name or "page" in request.node.name:
        try:
            compiler()
        except CompilerMissing as error:
            pytest.skip(str(error))
