"""The notebooks in JupyterLab, as a learner sees them: photographed, offline, without questions, stubs one click away.

Needs playwright (`make setup ARGS='--with browser'`) and Chromium; skipped without. `python -m notebooks.photograph`
takes all notebooks; here is one with solutions and one with bare stubs.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
import pytest

from notebooks.form import NotebookError, Place, bare, places, written
from notebooks.labserver import running
from notebooks.photograph import (
    CLOSE,
    OPEN,
    QUESTIONS,
    RUN,
    TARGET,
    browser_page,
    chromium,
    open_lab,
    photographs,
    settled,
)
from notebooks.tree import environment, pristine
from tests.long_runs import long_runs

ALL = [place for place in places() if place.language == "en"]
CHOSEN = {True: "00_start/01_welcome.ipynb", False: "05_mncore_ops/01_down_and_up.ipynb"}  # with solutions, without


@pytest.fixture(scope="module", autouse=True)
def browser() -> str:
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("needs playwright: make setup ARGS='--with browser'")
    try:
        return chromium()
    except NotebookError as error:
        pytest.skip(str(error))


@pytest.mark.slow
@pytest.mark.parametrize("solutions", long_runs(True, False), ids=["solutions", "stubs"])
def test_notebooks_run_in_jupyterlab(solutions: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_SHORT", "1")
    chosen = [place for place in ALL if place.name == CHOSEN[solutions]]
    (photograph,) = photographs(chosen, TARGET / "ci" / ("solutions" if solutions else "stubs"), solutions=solutions)
    assert photograph.findings == []
    assert len(photograph.files) > 1 and all(page.stat().st_size > 10_000 for page in photograph.files[:-1])


@pytest.mark.slow
def test_lab_opens_offline_without_asking_and_a_link_opens_the_stub(tmp_path: Path) -> None:
    place: Place = ALL[0]
    tree = pristine(tmp_path / "course")
    (tmp_path / "lab").mkdir()
    hosts = set()
    with running(tree, tmp_path / "lab", environment(tree, solutions=False)) as lab, browser_page() as page:
        page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
        open_lab(page, lab, f"lab/tree/notebooks/{place.name}")
        page.locator(".jp-Notebook .jp-MarkdownOutput").first.wait_for()
        page.wait_for_timeout(4000)  # JupyterLab asks after a while
        assert page.evaluate(QUESTIONS) == []
        page.locator('.jp-MarkdownOutput a[href*="exercises/t0_1_accuracy"]').first.click()
        path = "window.jupyterapp.shell.currentWidget?.context?.path"
        page.wait_for_function(f"() => {path} === 'haribote/exercises/t0_1_accuracy.py'")
        page.locator(".jp-FileEditor .cm-content").wait_for()
    assert hosts <= {"127.0.0.1", None}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Any]]:
    """A copy of the course, and a page with JupyterLab in it."""
    folder = tmp_path_factory.mktemp("opened")
    tree = pristine(folder / "course")
    (folder / "lab").mkdir()
    with running(tree, folder / "lab", environment(tree, solutions=False)) as lab, browser_page() as page:
        page.set_viewport_size({"width": 1920, "height": 900})
        open_lab(page, lab)
        yield tree, page


@pytest.mark.slow
def test_work_in_the_page_is_waited_for_and_its_failure_is_told(opened: tuple[Path, Any]) -> None:
    _, page = opened
    settled(page, "async (ms) => { await new Promise((r) => setTimeout(r, ms)); window.waited = ms; }", 300)
    assert page.evaluate("() => window.waited") == 300
    with pytest.raises(NotebookError, match="no such thing"):
        settled(page, "async () => { throw new Error('no such thing'); }")


@pytest.mark.slow
def test_opening_and_saving_a_notebook_changes_nothing_and_its_lines_are_short(opened: tuple[Path, Any]) -> None:
    tree, page = opened
    name = "04_memory/02_first_moves.ipynb"
    before = (tree / "notebooks" / name).read_bytes()
    settled(page, OPEN, f"notebooks/{name}")
    page.wait_for_timeout(3000)  # the kernel tells its version
    settled(page, "async () => { await window.photographed.context.save(); }")
    widths = page.evaluate("() => [...document.querySelectorAll('.jp-MarkdownOutput > p')].map((p) => p.offsetWidth)")
    pictures = page.locator(".jp-RenderedSVG img").count()
    settled(page, CLOSE)
    assert (tree / "notebooks" / name).read_bytes() == before
    assert len(widths) > 20 and max(widths) < 700
    assert pictures >= 3, "stored pictures are seen before anything has run"


@pytest.mark.slow
def test_a_slider_moves_the_picture_and_a_button_stops_it(opened: tuple[Path, Any]) -> None:
    tree, page = opened
    notebook = bare(ALL[0])
    cells = (
        "from haribote.draw import explore\nexplore.nops()",
        "from haribote import draw\ndraw.animate('l2bmb $lc0 $lb0')",
    )
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    (tree / "notebooks" / "x.ipynb").write_bytes(written(notebook))
    settled(page, OPEN, "notebooks/x.ipynb")
    page.evaluate(RUN)
    page.wait_for_function("() => window.finished")
    page.locator(".hbc", has_text="too early").wait_for()
    page.locator("input[type=range]").evaluate("(e) => { e.value = 2; e.dispatchEvent(new Event('input')); }")
    page.locator(".hbc", has_text="gets what was written").wait_for()
    state = "() => getComputedStyle(document.querySelector('form svg .g0')).animationPlayState"
    assert page.evaluate(state) == "running"
    page.locator("form input[value='1']").check()
    assert page.evaluate(state) == "paused"
    settled(page, CLOSE)
