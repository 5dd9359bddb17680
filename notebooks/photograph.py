"""Photographs of the notebooks: `python -m notebooks.photograph [NAMES] [--stubs]`.

Each notebook is opened in JupyterLab in a headless Chromium, in a copy of the course with bare stubs, run from top to
bottom (with the solutions, or with --stubs without) and photographed at full length. A cell that shows a traceback, a
cell that was not run, a question that JupyterLab asks, or a long cell that shows nothing while it runs is a finding.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from haribote.commands.command import run_command
from notebooks.form import ROOT, NotebookError, Place, places
from notebooks.labserver import Lab, running
from notebooks.tree import environment, pristine

TARGET = ROOT / "build" / "photographs"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTH, HEIGHT = 1100, 900
PAGE = 1800  # pixels of one page of a photograph that is cut into pages
LONGEST = 8_000  # a view that Chromium can paint in one piece
QUIET_SECONDS = 15.0  # a cell that runs for longer shows something meanwhile
NOTEBOOK_SECONDS = 900

OPEN = """async (path) => {
  const app = window.jupyterapp;
  await app.restored;
  const widget = await app.commands.execute("docmanager:open", {path, factory: "Notebook"});
  await widget.context.ready;
  await widget.context.sessionContext.ready;
  app.shell.collapseLeft();
  app.shell.collapseRight();
  app.shell.activateById(widget.id);
  window.photographed = widget;
  window.finished = false;
}"""
RUN = """() => {
  window.jupyterapp.commands.execute("notebook:run-all-cells").finally(() => { window.finished = true; });
}"""
CELLS = """() => window.photographed.content.widgets.map((cell, index) => {
  const outputs = cell.model.type === "code" ? cell.model.outputs.toJSON() : [];
  return {
    number: index + 1,
    code: cell.model.type === "code" && cell.model.sharedModel.source.trim() !== "",
    count: cell.model.type === "code" ? cell.model.executionCount : null,
    state: cell.model.type === "code" ? cell.model.executionState : "",
    size: JSON.stringify(outputs).length,
    errors: outputs.filter((output) => output.output_type === "error").map((output) => output.evalue),
    text: cell.outputArea ? cell.outputArea.node.innerText : "",
  };
})"""
HEIGHT_OF = """() => {
  const area = document.querySelector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer");
  area.scrollTop = 0;
  return {whole: area.scrollHeight, view: area.clientHeight};
}"""
SCROLL = """(top) => {
  const area = document.querySelector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer");
  area.scrollTop = top;
  return area.scrollTop;
}"""
CLOSE = """async () => {
  const widget = window.photographed;
  await widget.context.sessionContext.shutdown();
  await widget.context.revert();
  widget.dispose();
}"""
QUESTIONS = """() => [...document.querySelectorAll(".jp-Dialog, .Toastify__toast")].map((node) => node.innerText)"""


@dataclass
class Photograph:
    """What came of one notebook: the files, the seconds that its cells took, and what is wrong with it.

    silent: cells that ran for long and showed nothing meanwhile; on a busy machine that may be nobody's fault.
    """

    name: str
    files: list[Path] = field(default_factory=list)
    seconds: float = 0.0
    findings: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 fine, 1 with findings, 2 where something is missing."""
    parser = argparse.ArgumentParser(prog="python -m notebooks.photograph", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only notebooks whose name contains it")
    parser.add_argument("--stubs", action="store_true", help="without solutions, as a learner sees it first")
    parser.add_argument("--output", type=Path, default=TARGET, metavar="FOLDER", help="default: build/photographs")
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    folder = options.output / ("stubs" if options.stubs else "solutions")
    status = 0
    for photograph in photographs(places(options.names), folder, solutions=not options.stubs):
        print(f"{photograph.name}: {photograph.seconds:.0f} s, {len(photograph.files)} pages", flush=True)
        for finding in photograph.findings + photograph.silent:
            print(f"    {finding}", flush=True)
        status = 1 if photograph.findings else status
    return status


def photographs(chosen: Sequence[Place], folder: Path, *, solutions: bool) -> Iterator[Photograph]:
    """Photograph notebooks one by one into `folder`.

    Raises:
        NotebookError: playwright or Chromium is missing, or JupyterLab does not start.
    """
    with tempfile.TemporaryDirectory() as scratch:
        tree = pristine(Path(scratch) / "course")
        (Path(scratch) / "lab").mkdir()
        with (
            running(tree, Path(scratch) / "lab", environment(tree, solutions=solutions)) as lab,
            browser_page() as page,
        ):
            open_lab(page, lab)
            for place in chosen:
                yield _photograph(page, place, folder)


def chromium() -> str:
    """The path of Chromium or Chrome: HARIBOTE_CHROMIUM, or what is installed. Raises NotebookError where none is."""
    found = os.environ.get("HARIBOTE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        raise NotebookError("photographs need Chromium or Chrome", "install it, or set HARIBOTE_CHROMIUM to its path")
    return found


@contextmanager
def browser_page() -> Iterator[Any]:
    """A page of a headless Chromium. Raises NotebookError where playwright or Chromium is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NotebookError("photographs need the package playwright", "make setup ARGS='--with browser'") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.set_default_timeout(120_000)
            yield page
        finally:
            browser.close()


def open_lab(page: Any, lab: Lab, path: str = "lab") -> None:
    """Load JupyterLab and wait until it stands."""
    page.goto(lab.url(path))
    page.wait_for_function("() => window.jupyterapp && window.jupyterapp.started")
    settled(page, "async () => { await window.jupyterapp.restored; }")


def settled(page: Any, work: str, argument: object = None) -> None:
    """Run an async function in the page and wait until it has ended. It is asked again and again: a promise that only
    the question itself holds may be collected as garbage before it settles. Raises NotebookError where it fails.
    """
    page.evaluate(
        f"""(argument) => {{
          window.settled = {{done: false, error: ""}};
          window.settling = ({work})(argument)
            .catch((error) => {{ window.settled.error = String(error); }})
            .finally(() => {{ window.settled.done = true; }});
        }}""",
        argument,
    )
    page.wait_for_function("() => window.settled.done")
    if error := page.evaluate("() => window.settled.error"):
        raise NotebookError(f"JupyterLab says: {error}", "open the notebook in a browser and look")


def _photograph(page: Any, place: Place, folder: Path) -> Photograph:
    """Open, run, look at and close one notebook."""
    photograph = Photograph(place.name)
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    settled(page, OPEN, f"notebooks/{place.name}")
    start = time.monotonic()
    page.evaluate(RUN)
    photograph.silent = _watch(page)
    if not page.evaluate("() => window.finished"):
        photograph.findings.append(f"not finished after {NOTEBOOK_SECONDS} s")
    photograph.seconds = time.monotonic() - start
    page.wait_for_timeout(800)  # pictures in outputs are laid out
    photograph.findings += page.evaluate(QUESTIONS)
    for cell in page.evaluate(CELLS):
        if cell["errors"] or "Traceback (most recent call last)" in cell["text"]:
            photograph.findings.append(f"cell {cell['number']} shows a traceback: {cell['errors'] or cell['text']}")
        elif cell["code"] and cell["count"] is None:
            photograph.findings.append(f"cell {cell['number']} was not run")
    name = place.name.removesuffix(".ipynb")
    photograph.files = _pages(whole(page, folder / f"{name}.png"))
    settled(page, CLOSE)
    return photograph


def _watch(page: Any) -> list[str]:
    """Wait until all cells have run; says which ran for long and showed nothing meanwhile."""
    since: dict[int, float] = {}
    seen: dict[int, set[int]] = {}
    end = time.monotonic() + NOTEBOOK_SECONDS
    found: list[str] = []
    while not page.evaluate("() => window.finished"):
        if time.monotonic() > end:
            return found
        page.wait_for_timeout(300)
        running_now = [cell for cell in page.evaluate(CELLS) if cell["state"] == "running"]
        for cell in running_now[:1]:
            since.setdefault(cell["number"], time.monotonic())
            seen.setdefault(cell["number"], set()).add(cell["size"])
        for number in [n for n in since if n not in {cell["number"] for cell in running_now[:1]}]:
            seconds = time.monotonic() - since.pop(number)
            if seconds > QUIET_SECONDS and len(seen[number]) < 2:
                found.append(f"cell {number} ran for {seconds:.0f} s and showed nothing meanwhile")
    return found


def whole(page: Any, file: Path, width: int = WIDTH) -> Path:
    """The picture of the whole notebook, as tall as it is, joined from views that Chromium can paint."""
    for _ in range(2):  # what becomes visible may become taller
        page.set_viewport_size({"width": width, "height": min(page.evaluate(HEIGHT_OF)["whole"] + 140, LONGEST)})
        page.wait_for_timeout(300)
    size = page.evaluate(HEIGHT_OF)
    panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer").first
    joined: Image.Image | None = None
    for top in range(0, size["whole"], size["view"]):
        shown = page.evaluate(SCROLL, top)
        page.wait_for_timeout(200)
        with Image.open(io.BytesIO(panel.screenshot())) as view:
            joined = joined or Image.new("RGB", (view.width, size["whole"]), "white")
            joined.paste(view, (0, shown))
    file.parent.mkdir(parents=True, exist_ok=True)
    assert joined is not None
    joined.save(file)
    return file


def _pages(file: Path) -> list[Path]:
    """The picture cut into pages that one can look at, beside it: NAME-1.png, NAME-2.png, ..."""
    for old in file.parent.glob(f"{file.stem}-[0-9]*.png"):
        old.unlink()
    pages = []
    with Image.open(file) as whole:
        for number, top in enumerate(range(0, whole.height, PAGE), 1):
            pages.append(file.with_name(f"{file.stem}-{number}.png"))
            whole.crop((0, top, whole.width, min(top + PAGE, whole.height))).save(pages[-1])
    return pages


if __name__ == "__main__":
    sys.exit(main())
