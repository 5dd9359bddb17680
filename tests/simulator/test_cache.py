"""Where things are kept between runs: one rule, for users without a home too."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from simulator.cache import cache_folder, home_folder
from simulator.cxx import COMPILERS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the rule of Linux; other systems have other folders")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HARIBOTE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_the_first_that_is_named_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "haribote"
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert cache_folder() == Path("/elsewhere/haribote")
    monkeypatch.setenv("HARIBOTE_CACHE", "/chosen")
    assert cache_folder() == Path("/chosen")


def test_everything_goes_where_haribote_cache_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The data set and built C++ had a rule of their own."""
    from haribote.cpp import build
    from haribote.data import dataset as data

    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path / "chosen"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "not"))
    monkeypatch.setenv("HOME", str(tmp_path / "not"))
    monkeypatch.setattr(data, "SYNTHETIC_SIZES", (40, 20))
    data.load("synthetic", say=lambda text: None)
    if os.environ.get("CXX") or any(os.access(f"/usr/bin/{name}", os.X_OK) for name in COMPILERS):
        build.build_library('extern "C" int one() { return 1; }')
        assert (tmp_path / "chosen" / "cpp").is_dir()
    assert (tmp_path / "chosen" / data.SYNTHETIC_CACHE).is_file()
    assert not (tmp_path / "not").exists()


@pytest.mark.parametrize("home", ["/nonexistent", None])
def test_without_a_home_there_is_a_folder_of_ones_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: str | None
) -> None:
    def unknown() -> None:
        raise RuntimeError("Could not determine home directory.")

    if home is None:
        monkeypatch.setattr(Path, "home", unknown)
    else:
        monkeypatch.setenv("HOME", home)
    assert home_folder() is None
    folder = cache_folder()
    assert folder.parent == tmp_path and folder.stat().st_mode & 0o777 == 0o700
    assert cache_folder() == folder  # the same again
    folder.chmod(0o777)  # anybody could put a library there
    other = cache_folder()
    assert other != folder and other.stat().st_mode & 0o777 == 0o700
