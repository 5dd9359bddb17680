"""Without JAX: the rules can be imported, task 8.3 is checked, and its notebook goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from notebooks.form import bare, places
from notebooks.run import execute
from notebooks.tree import environment, pristine

BLOCKED = "raise ModuleNotFoundError(\"No module named 'jax'\", name='jax')\n"
PROGRAM = """
from haribote.jax.rules.lowering import RULES
import haribote.jax.rules
from haribote.errors import HariboteError
from grader import check
try:
    from haribote.jax import mnjit
except HariboteError as error:
    print(error)
print(len(RULES) > 50, check("8.3").state)
"""


@pytest.fixture
def without_jax(tmp_path: Path) -> Path:
    """A folder that hides JAX from programs which look there first."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "jax.py").write_text(BLOCKED)
    return tmp_path / "hidden"


@pytest.mark.slow
def test_rules_and_their_task_need_no_jax(without_jax: Path) -> None:
    path = os.pathsep.join([str(without_jax), str(Path(__file__).parents[3])])
    variables = os.environ | {"PYTHONPATH": path, "HARIBOTE_SOLUTIONS": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=variables, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "haribote.jax needs the package jax",
        '    try: make setup ARGS="--with jax"',
        "True passed",
    ], done.stderr


@pytest.mark.slow
def test_the_notebook_goes_on_without_jax(without_jax: Path, tmp_path: Path) -> None:
    (place,) = places(["08_frontends/03_jax.ipynb"])
    tree = pristine(tmp_path / "tree")
    variables = environment(tree, solutions=True)
    variables["PYTHONPATH"] = os.pathsep.join([str(without_jax), variables["PYTHONPATH"]])
    done = execute(bare(place), tree / "notebooks" / "08_frontends", place.name, solutions=True, environment=variables)
    printed = [output.text for cell in done.cells for output in cell.get("outputs", []) if "text" in output]
    assert sum(text.startswith("jax is not installed: the rest of this cell is skipped") for text in printed) == 4
