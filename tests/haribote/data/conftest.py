"""A cache of our own, and a stand-in for MNIST with a mirror that gives it."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from haribote.data import mnist
from simulator.files import write_file
from tests.haribote.data.mirrors import CONTENTS, Server


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of our own, and an environment that names no data and no proxy."""
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path / "cache" / "haribote"))
    monkeypatch.setenv("NO_PROXY", "*")
    for name in ("HARIBOTE_DATA", "HARIBOTE_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "cache" / "haribote"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> tuple[mnist.File, ...]:
    """A stand-in for MNIST with 24 images, so that downloads and damage are quick to try."""
    files = tuple(
        replace(file, shape=(24, *file.shape[1:]), sha256=hashlib.sha256(CONTENTS[file.name]).hexdigest())
        for file in mnist.FILES
    )
    monkeypatch.setattr(mnist, "FILES", files)
    for name, file in zip(("TRAIN_IMAGES", "TRAIN_LABELS", "TEST_IMAGES", "TEST_LABELS"), files, strict=True):
        monkeypatch.setattr(mnist, name, file)
    monkeypatch.setattr(mnist, "MIRRORS", ())
    return files


@pytest.fixture
def folder(small: tuple[mnist.File, ...], tmp_path: Path) -> Path:
    """A folder with the four small files, one of them not compressed."""
    place = tmp_path / "mine"
    for file in small[1:]:
        write_file(place / f"{file.name}.gz", gzip.compress(CONTENTS[file.name]))
    write_file(place / small[0].name, CONTENTS[small[0].name])
    return place


@pytest.fixture
def server(small: tuple[mnist.File, ...]) -> Iterator[Server]:
    """A running mirror of the small files."""
    running = Server()
    yield running
    running.server.shutdown()
    running.server.server_close()
