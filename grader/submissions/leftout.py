"""What an archive does not hold although an answer in it needs it, found by reading imports."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

from grader.alone import sees
from grader.course import LEARNERS
from haribote.answers.ownership import is_written
from haribote.answers.tasks import ROOT, Task, all_tasks


def left_out(root: Path = ROOT) -> list[str]:
    """A sentence for every file and import of the answers in a course's folder that will be missing."""
    tasks = {root / "haribote" / task.file: task for task in all_tasks()}
    found = []
    for path, task in tasks.items():
        if is_written(path):
            found += [f"haribote/{task.file}:{line}: {text}" for line, text in _missing(path.read_bytes())]
    for folder in LEARNERS:
        for path in sorted((root / "haribote" / folder).glob("*")):
            if path not in tasks and not path.name.startswith("_") and path.suffix != ".pyc":
                found.append(f"haribote/{folder}/{path.name}: not packed, for it is no task's file")
    return found


def _missing(source: bytes) -> Iterator[tuple[int, str]]:
    """Line and reason of each import that finds nothing when the answer is graded."""
    try:
        module = ast.parse(source.decode("utf-8-sig"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module or ''}.{alias.name}" for alias in node.names] if not node.level else ["."]
        else:
            continue
        reasons = dict.fromkeys(reason for name in names if (reason := _reason(name)))
        yield from ((node.lineno, reason) for reason in reasons)


def _reason(name: str) -> str:
    """Why an answer finds no module of this name, or of its package; "" where it finds one."""
    if name == ".":
        return "an answer is no part of a package when it is checked, so it can import nothing relative to itself"
    task = _task_of(name)
    if task:
        return f"imports the answer to task {task.id}; when it is graded, only the bare stub is there"
    top = name.split(".")[0]
    if top in sys.stdlib_module_names:
        return ""
    spec = PathFinder.find_spec(top)
    if spec is None:
        return f"imports {top}, which is nowhere to be found"
    shown = top if top != "grader" else name
    return "" if sees(shown, spec) else f"imports {shown}, which is not packed: copy what it needs into this file"


def _task_of(name: str) -> Task | None:
    modules = {"haribote." + task.file.removesuffix(".py").replace("/", "."): task for task in all_tasks()}
    return next((task for module, task in modules.items() if f"{name}.".startswith(f"{module}.")), None)
