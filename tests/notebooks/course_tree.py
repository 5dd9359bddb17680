"""A copy of the course with nothing written, to run notebooks in and to break."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from grader.stubs import write_stubs
from notebooks.form import ROOT

PARTS = ("grader", "haribote", "notebooks", "simulator", "solutions")
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "runs", "t[0-9]_*.py.*")


def pristine(target: Path) -> Path:
    """Copy what a notebook needs to `target`, with bare stubs; returns `target`."""
    for part in PARTS:
        shutil.copytree(ROOT / part, target / part, ignore=LEFT_OUT)
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, target / name)
    for stub in (target / "haribote").glob("*s/t[0-9]*_*.py"):
        stub.unlink()
    write_stubs(target)
    return target


def environment(tree: Path, *, solutions: bool = False) -> dict[str, str]:
    """Variables with which a process takes its packages from `tree`; long cells are short, NumPy takes one core."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    variables |= {"PYTHONPATH": str(tree), "HARIBOTE_SHORT": "1", "OMP_NUM_THREADS": "1"}
    variables.pop("HARIBOTE_SOLUTIONS", None)
    return variables | ({"HARIBOTE_SOLUTIONS": "1"} if solutions else {})


def nbval(tree: Path, notebook: str) -> subprocess.CompletedProcess[str]:
    """`pytest --nbval-lax` on one notebook of a tree, with solutions."""
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return subprocess.run(
        [*command, "--nbval-lax", f"notebooks/{notebook}"],
        cwd=tree,
        env=environment(tree, solutions=True),
        capture_output=True,
        text=True,
    )
