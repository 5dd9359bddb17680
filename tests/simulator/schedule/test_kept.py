"""Schedules are kept in the cache folder, and made again where that does not work."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator import assemble
from simulator.schedule import kept

TEXT = "iinc $lr0v $lr8v\nfvmul $lm0v $ls8v $ln0v\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path))
    return tmp_path / "schedules"


def test_a_program_is_scheduled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept.schedule(assemble(TEXT))
    assert first.steps == 1 and len(list(folder.iterdir())) == 1
    monkeypatch.setattr(kept, "search", lambda *_: pytest.fail("looked for again"))
    assert kept.schedule(assemble(TEXT)).source == first.source


def test_a_damaged_or_unwritable_cache_costs_time_only(folder: Path) -> None:
    kept.schedule(assemble(TEXT))
    for file in folder.iterdir():
        file.write_text("no such instruction")
    assert kept.schedule(assemble(TEXT)).steps == 1
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    folder.write_text("a file where the folder should be")
    assert kept.schedule(assemble(TEXT)).steps == 1
