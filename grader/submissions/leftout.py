"""What an archive does not hold although an answer in it needs it, found by reading imports."""

from __future__ import annotations

import ast
import importlib.util
import site
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path

from grader.course import LEARNERS
from grader.emitter.guard import COURSE, not_listed
from haribote.answers.ownership import is_written
from haribote.answers.tasks import ROOT, Task, all_tasks
from simulator.messages import tr
from simulator.parsing import readable


def left_out(root: Path = ROOT) -> list[str]:
    """A sentence for every file and import of the answers in a course's folder that will be missing."""
    tasks = {root / "haribote" / task.file: task for task in all_tasks()}
    found = []
    for path, task in tasks.items():
        if is_written(path):
            found += [f"haribote/{task.file}:{line}: {text}" for line, text in _missing(task, path.read_bytes())]
    for folder in LEARNERS:
        for path in sorted((root / "haribote" / folder).glob("*")):
            if path not in tasks and not path.name.startswith("_") and path.suffix != ".pyc":
                found.append(tr("haribote/{folder}/{name}: not packed, for it is no task's file", folder, path.name))
    return found


def _missing(task: Task, source: bytes) -> Iterator[tuple[int, str]]:
    """Line and reason of each import that finds nothing when the answer is graded."""
    for node in ast.walk(readable(source)):
        if isinstance(node, ast.Import):
            asked: list[tuple[str, list[str]]] = [(alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            asked = [(node.module or "", [name]) for name in names] if not node.level else [(".", [])]
        else:
            continue
        reasons = dict.fromkeys(reason for name, wanted in asked if (reason := _reason(task, name, wanted)))
        yield from ((node.lineno, reason) for reason in reasons)


def _reason(task: Task, name: str, wanted: list[str]) -> str:
    """Why an answer finds no module of this name, or of its package; "" where it finds one."""
    if name == ".":
        return tr("an answer is no part of a package when it is checked, so it can import nothing relative to itself")
    top = name.split(".")[0]
    if top in COURSE:
        shared = [_module(other) for other in all_tasks() if other.shared]
        refused = not_listed(task, name, wanted, shared)
        allowed = ", ".join(task.may_import)
        return refused and tr("imports {refused}; of the course, it may import {may_import}", refused, allowed)
    if top in sys.stdlib_module_names:
        return ""
    spec = _spec(top)
    if spec is None:
        return tr("imports {top}, which is nowhere to be found", top)
    return "" if _installed(spec) else tr("imports {top}, which is not packed: copy what it needs into this file", top)


def _module(task: Task) -> str:
    return "haribote." + task.file.removesuffix(".py").replace("/", ".")


def _spec(top: str) -> ModuleSpec | None:
    """Where Python itself finds a package, an editable installation among them; None where it finds none."""
    try:
        return importlib.util.find_spec(top)
    except ValueError:  # one that is loaded and tells no place, such as __main__
        return None


def _installed(spec: ModuleSpec) -> bool:
    """Whether it belongs to Python or to an installed package."""
    places = [spec.origin or "", *(spec.submodule_search_locations or ())]
    files = [Path(place) for place in places if Path(place).is_absolute()]
    return all(any(path.is_relative_to(folder) for folder in _package_folders()) for path in files)


@cache
def _package_folders() -> tuple[Path, ...]:
    found = {*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix, site.getusersitepackages()}
    found |= {*site.getsitepackages()}
    return tuple({form for path in found for form in (Path(path), Path(path).resolve())} - {ROOT})
