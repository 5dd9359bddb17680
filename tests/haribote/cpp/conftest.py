"""Builds of these tests go to a cache of their own, which all tests of a run share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from haribote.cpp.build import CompilerMissing, compiler


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache folder; every test here is skipped where there is no C++ compiler."""
    try:
        compiler()
    except CompilerMissing as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARIBOTE_CACHE", str(folder / "haribote"))
        yield folder / "haribote" / "cpp"
