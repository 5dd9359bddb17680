"""The film at the top of the README: what `haribote share --solutions --network 784-16-10` writes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from docs.images.files import path
from haribote.data.dataset import load
from haribote.network import LARGE
from haribote.share.film import film
from haribote.share.story import Story, Wanted, tell
from simulator.files import write_file


def make(language: str) -> Path:
    """Write share.gif."""
    file = path("share", language, "gif")
    write_file(file, film(_story(language)))
    return file


@cache
def _story(language: str) -> Story:
    """Digits from fonts, which every machine has alike, and no learner's files."""
    return tell(Wanted(LARGE, "solutions", folder=Path("no run")), load("synthetic"))
