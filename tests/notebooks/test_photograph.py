"""The notebooks in JupyterLab, as a learner sees them: photographed, offline, without questions, stubs one click away.

Needs playwright (`make setup ARGS='--with browser'`) and Chromium; skipped without. `python -m notebooks.photograph`
takes all notebooks; here is one with solutions and one with bare stubs.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from notebooks.form import NotebookError, Place, places
from notebooks.labserver import running
from notebooks.photograph import QUESTIONS, TARGET, browser_page, chromium, open_lab, photographs
from notebooks.tree import environment, pristine

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
@pytest.mark.parametrize("solutions", [True, False], ids=["solutions", "stubs"])
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
