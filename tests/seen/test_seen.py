"""Pages and pictures as they are laid out at three widths, in both languages: nothing is cut off, no text covers
another, and no word is broken in the middle.

Needs playwright (`make setup ARGS='--with browser'`) and Chromium; skipped without.
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.view_steps import FLAGS
from simulator.language import LANGUAGES, spoken
from tests.seen.pages import cell, made, stored

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WIDTHS = (700, 1000, 1600)
SEEN = Path(__file__).with_name("seen.js").read_text(encoding="utf-8")
READY = """() => !document.getElementById("values") || globalThis.viewer?.recording.words"""
"""The viewer's page has its values; any other page is there when it is loaded."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("playwright") is None, reason="needs playwright"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]


@pytest.fixture(scope="module")
def tab() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as chromium:
        yield chromium.new_context(bypass_csp=True, reduced_motion="reduce").new_page()


def problems(tab: Any, file: Path, content: str) -> list[str]:
    """What is wrong with a page, at each width."""
    file.write_text(content, encoding="utf-8")
    found = []
    tab.goto(file.as_uri())
    tab.wait_for_function(READY)
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.wait_for_timeout(200)  # pages draw anew after a change of the width
        found += [f"{width} px: {problem}" for problem in tab.evaluate(SEEN)]
    return found


def wrong(tab: Any, file: Path, pages: Mapping[str, str]) -> dict[str, list[str]]:
    """What is wrong, by page."""
    return {name: found for name, page in pages.items() if (found := problems(tab, file, page))}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_commands_and_cells_show(language: str, tab: Any, tmp_path: Path) -> None:
    with spoken(language):
        pages = {name: make() for name, make in made(tmp_path / "graded").items()}
    assert wrong(tab, tmp_path / "page.html", pages) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_notebooks_keep(language: str, tab: Any, tmp_path: Path) -> None:
    with spoken(language):
        pages = dict(stored())
    assert len(pages) > 15
    assert wrong(tab, tmp_path / "page.html", pages) == {}


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<div style='width: 60px; overflow: hidden; white-space: nowrap'>a line that has no room</div>", "cut by"),
        ("<p style='margin-left: 2000px'>far away</p>", "beyond the page"),
        ("<svg width='50' height='20'><text x='30' y='15'>a long label</text></svg>", "cut by"),
        ("<svg width='90' height='20'><text y='15'>one</text><text y='15' x='5'>two</text></svg>", "cover each other"),
        ("<p style='width: 3em; overflow-wrap: anywhere'>reproducibility</p>", "broken"),
        ("<div style='width: 60px; overflow: auto; white-space: nowrap'>a line to be scrolled</div>", ""),
        ("<div title='all' style='width: 60px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis'>a line"
         " that is told by its tooltip</div>", ""),
        ("<p style='opacity: 0; margin-left: 2000px'>unseen</p>", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found(body: str, problem: str, tab: Any, tmp_path: Path) -> None:
    found = problems(tab, tmp_path / "page.html", cell(body))
    assert all(problem in one for one in found) and bool(found) == bool(problem), found
