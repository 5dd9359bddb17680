"""A copy of the course with nothing written, to run notebooks in and to break."""

from __future__ import annotations

import os
import shutil
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


def environment(tree: Path, *, solutions: bool) -> dict[str, str]:
    """The variables of a process that takes its packages from `tree`, with solutions or with the learner's files."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    variables.pop("HARIBOTE_SOLUTIONS", None)
    variables["PYTHONPATH"] = str(tree)
    return variables | ({"HARIBOTE_SOLUTIONS": "1"} if solutions else {})
