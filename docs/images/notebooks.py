"""The first notebook as a learner sees it, two places side by side: it is run in JupyterLab, in a headless Chromium."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from docs.images.files import path
from notebooks import photograph
from notebooks.form import places
from notebooks.labserver import running
from notebooks.tree import environment, pristine

NAME = "00_start/01_welcome"
PIECES = (("draw.live_loss", "draw.digits(pictures"), ("draw.chip()", "draw.chip()"))
"""Of the first cell and the last one that are seen: what stands in their code."""
WIDE, GAP, MARGIN = 720, 24, 80
PLACES = """(marks) => {
  const panel = document.querySelector(".jp-NotebookPanel:not(.lm-mod-hidden)");
  const area = panel.querySelector(".jp-WindowedPanel-outer");
  const cells = window.photographed.content.widgets;
  const box = (mark) => {
    const cell = cells.find((one) => one.model.type === "code" && one.model.sharedModel.source.includes(mark));
    const { top, bottom } = cell.node.getBoundingClientRect();
    const start = area.getBoundingClientRect().top - area.scrollTop;
    return [Math.floor(top - start), Math.ceil(bottom - start)];
  };
  return [box(marks[0])[0], box(marks[1])[1]];
}"""


def make(language: str) -> Path:
    """Write notebooks.png."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = pristine(Path(scratch) / "course")
        (Path(scratch) / "lab").mkdir()
        variables = environment(tree, solutions=True)
        with running(tree, Path(scratch) / "lab", variables) as lab, photograph.browser_page() as page:
            photograph.open_lab(page, lab)
            seen = _pieces(page, language, Path(scratch) / "whole.png")
    tall = max(piece.height for piece in seen)
    whole = Image.new("RGB", (len(seen) * WIDE + (len(seen) - 1) * GAP, tall), "white")
    for number, piece in enumerate(seen):
        left = number * (WIDE + GAP)
        whole.paste(piece, (left, (tall - piece.height) // 2))
        if number:
            whole.paste((208, 215, 224), (left - GAP // 2, 0, left - GAP // 2 + 2, tall))
    file = path("notebooks", language, "png")
    whole.quantize(128).save(file, optimize=True)
    return file


def _pieces(page: Any, language: str, file: Path) -> list[Image.Image]:
    """The pieces of the notebook after it has run. file: where it may be painted whole."""
    (place,) = [one for one in places([NAME]) if one.language == language]
    page.set_viewport_size({"width": WIDE + MARGIN, "height": photograph.HEIGHT})
    photograph.settled(page, photograph.OPEN, f"notebooks/{place.name}")
    page.evaluate(photograph.RUN)
    page.wait_for_function("() => window.finished", timeout=1000 * photograph.NOTEBOOK_SECONDS)
    page.wait_for_timeout(800)  # pictures in outputs are laid out
    photograph.whole(page, file, WIDE + MARGIN)
    ends = [page.evaluate(PLACES, marks) for marks in PIECES]
    photograph.settled(page, photograph.CLOSE)
    with Image.open(file) as picture:
        return [picture.convert("RGB").crop((0, top, min(WIDE, picture.width), bottom)) for top, bottom in ends]
