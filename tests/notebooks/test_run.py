"""Every notebook runs from top to bottom: with solutions it prints what it should, with bare stubs it goes on."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from notebooks.form import Place, bare, is_marked, load, places
from notebooks.run import execute, tracebacks
from notebooks.tree import environment, pristine
from tests.long_runs import LONG

PLACES = [place for place in places() if place.language == "en"]  # the others have the same cells and outputs
QUICK = {"HARIBOTE_SHORT": "1", "OMP_NUM_THREADS": "1"}  # long cells are short; one core for NumPy and torch
IDS = [place.name for place in PLACES]
COMPILING = ("03_fusion/01", "03_fusion/02", "03_fusion/03", "07_speed", "08_frontends", "09_language_model")
"""In these, compiling takes most of the time."""
CHECKING = ("03_fusion/04", "05_mncore_ops/02", "05_mncore_ops/03", "05_mncore_ops/04")  # with solutions in any case


def each(long: tuple[str, ...]) -> pytest.MarkDecorator:
    """All notebooks, some of them only where long runs are asked for."""
    some = [pytest.param(place, marks=LONG if place.name.startswith(long) else ()) for place in PLACES]
    return pytest.mark.parametrize("place", some, ids=IDS)


def nbval(tree: Path, notebook: str) -> subprocess.CompletedProcess[str]:
    """`pytest --nbval-lax` on one notebook of a tree, with solutions."""
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider", "-p", "nbval.plugin"]
    return subprocess.run(
        [*command, "--nbval-lax", f"notebooks/{notebook}"],
        cwd=tree,
        env=environment(tree, solutions=True) | QUICK | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pristine(tmp_path_factory.mktemp("tree"))


@pytest.mark.slow
@each(COMPILING)
def test_with_solutions_the_outputs_are_those_kept(place: Place, tree: Path) -> None:
    done = nbval(tree, place.name)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@each(COMPILING + CHECKING)
def test_with_bare_stubs_no_cell_shows_a_traceback(place: Place, tree: Path) -> None:
    folder = tree / "notebooks" / place.notebook.parent.name
    done = execute(
        bare(place), folder, place.name, solutions=False, environment=environment(tree, solutions=False) | QUICK
    )
    assert tracebacks(done) == []


@pytest.mark.slow
def test_a_wrong_answer_fails_in_the_compared_cell(tmp_path: Path) -> None:
    name = "05_mncore_ops/05_the_nop_placer.ipynb"
    (place,) = (place for place in PLACES if place.name == name)
    tree = pristine(tmp_path / "tree")
    placer = tree / "solutions" / "generators" / "t5_36_place_nops.py"
    text = placer.read_text(encoding="utf-8")
    assert "self.steps[place] = step + 3" in text
    placer.write_text(text.replace("self.steps[place] = step + 3", "self.steps[place] = step + 4"), encoding="utf-8")
    wrong = nbval(tree, name)
    assert wrong.returncode == 1 and " failed" in wrong.stdout, wrong.stdout + wrong.stderr
    cells = set(re.findall(r"Cell (\d+): Cell outputs differ", wrong.stdout))  # in CI the summary says it again
    code = [cell for cell in load(place).cells if cell.cell_type == "code"]
    assert cells and all(is_marked(code[int(cell)]) for cell in cells)
