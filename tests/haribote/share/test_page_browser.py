"""The page in a headless Chromium: it plays by itself, obeys keys, and asks nothing of a network.

Needs playwright (`make setup ARGS='--with browser'`) and Chromium; skipped without.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from haribote.share.page import page
from tests.haribote.share.stories import story

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FIRST_FRAME = 5000
"""Milliseconds; under one on a machine that does nothing else, `python -m benchmarks.share` measures it."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("playwright") is None, reason="needs playwright"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as chromium:
        yield chromium


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """opened(width, **settings) -> the page in a tab; at the end: no error, and no request but for the page."""
    wrong: list[str] = []
    contexts = []
    (tmp_path / "index.html").write_text(page(story(name="<b>Aki</b>"), viewed=True), encoding="utf-8")

    def show(width: int = 1000, **settings: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 800}, **settings)
        contexts.append(context)
        tab = context.new_page()
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda message: wrong.append(message.text))
        tab.on("request", lambda r: None if r.url.startswith(("file:", "data:")) else wrong.append(r.url))
        tab.goto((tmp_path / "index.html").as_uri())
        tab.wait_for_selector("html[data-ready]", timeout=60_000)
        return tab

    yield show
    for context in contexts:
        context.close()
    assert wrong == []


def wait_until(tab: Any, reached: Callable[[], bool]) -> None:
    """Asked from here, since the page lets nobody evaluate text."""
    for _ in range(300):
        if reached():
            return
        tab.wait_for_timeout(100)
    pytest.fail("it took more than 30 seconds")


def position(tab: Any) -> int:
    return int(tab.input_value("#position"))


def test_it_plays_by_itself_and_pauses(opened: Callable[..., Any]) -> None:
    tab = opened()
    assert tab.inner_text("#play") == "Pause"
    before = position(tab)
    wait_until(tab, lambda: position(tab) > before + 1)
    tab.keyboard.press(" ")
    assert tab.inner_text("#play") == "Play"
    paused = position(tab)
    tab.wait_for_timeout(1500)
    assert position(tab) == paused


def test_arrows_go_through_the_step(opened: Callable[..., Any]) -> None:
    tab = opened()
    tab.keyboard.press("Home")
    data = json.loads(tab.inner_text("#data") or tab.text_content("#data"))
    assert position(tab) == 0 and data["kernels"][0]["label"] in tab.inner_text("#now")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    assert position(tab) == 2 and tab.inner_text("#line") == data["moments"][2][2]
    assert tab.get_attribute("#view", "href") == f"view.html#step={data['moments'][2][5]}"
    tab.keyboard.press("End")
    assert position(tab) == len(data["moments"]) - 1
    assert tab.inner_text("#says") == data["answers"][-1]["says"]
    assert all(
        "done" in (lane or "") for lane in tab.eval_on_selector_all(".lanes li", "all => all.map(x => x.className)")
    )
    assert tab.evaluate("document.querySelector('#position').getAttribute('aria-valuetext')").startswith("Gemm logits")


def test_everything_can_be_reached_by_tab(opened: Callable[..., Any]) -> None:
    tab = opened()
    reached = []
    for _ in range(8):
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert {"position", "play", "view", "SUMMARY"} <= set(reached)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_cells_are_as_bright_as_the_recording_says(opened: Callable[..., Any], scheme: str) -> None:
    tab = opened(color_scheme=scheme)
    tab.keyboard.press("Home")
    pixels = tab.evaluate("""() => {
      const canvas = document.getElementById("field");
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const gaps = Array.from({ length: 64 }, (_, n) => (n >> 3) + 2 * (n >> 4) + 2 * (n >> 5));
      const unit = canvas.width / (64 * 7 + gaps[63] * 1.5);
      const place = (n) => Math.round((n * 7 + gaps[n] * 1.5 + 2.5) * unit);
      return Array.from({ length: 4096 }, (_, n) => data[4 * (place(n >> 6) * canvas.width + place(n & 63))]);
    }""")  # red, which differs from the empty cell's most
    field = story().recording.moments[0].field
    shades: dict[int, set[int]] = {}
    for level, red in zip(field.tolist(), pixels, strict=True):
        shades.setdefault(level, set()).add(red)
    assert all(len(found) == 1 for found in shades.values())
    ordered = [shades[level].pop() for level in range(16)]
    assert ordered == sorted(ordered, reverse=scheme == "light") and len(set(ordered)) > 12


def test_nothing_moves_for_those_who_asked_for_that(opened: Callable[..., Any]) -> None:
    tab = opened(reduced_motion="reduce")
    assert tab.inner_text("#play") == "Play" and "after 20 steps" in tab.inner_text("#says")
    here = position(tab)
    assert here == story().recording.liveliest
    tab.wait_for_timeout(1500)
    assert position(tab) == here
    tab.click("#play")
    wait_until(tab, lambda: tab.inner_text("#play") == "Pause")


@pytest.mark.parametrize("width", [360, 700, 1000, 1600])
def test_nothing_is_wider_than_the_window(opened: Callable[..., Any], width: int) -> None:
    tab = opened(width)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.inner_text("h1") == "<b>Aki</b>'s compiler at work"
    tab.click("summary")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_all_is_there_to_be_read(opened: Callable[..., Any], browser: Any, tmp_path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    (tmp_path / "still.html").write_text(page(story()), encoding="utf-8")
    tab.goto((tmp_path / "still.html").as_uri())
    text = tab.content()
    assert "after 20 steps" in text and re.search(r'class="curve" d="M', text)
    context.close()


def test_first_frame_is_soon(opened: Callable[..., Any]) -> None:
    tab = opened()

    def paints() -> Any:
        """Milliseconds from the request on; none until the browser, which paints when it finds time, has painted."""
        return tab.evaluate("performance.getEntriesByType('paint').map((entry) => entry.startTime)")

    wait_until(tab, lambda: bool(paints()))
    assert max(paints()) < FIRST_FRAME
