"""Which version of the course this is: hashes over the tasks and the checks, and over all that decides a verdict."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable
from functools import cache

from grader.closure import imported_names
from grader.stubs import stub_of
from haribote.answers.given import source_of
from haribote.answers.tasks import ROOT, TASKS, all_tasks
from simulator.parsing import parsed

# Where what decides whether an answer is right begins: a submission is made for one version of it.
_CHECKS = ("grader/emitter/", "grader/trials/", "grader/judging.py")
_TASKS = "haribote/answers/tasks.toml"
PRODUCT = ("haribote", "simulator")
LEARNERS = ("kernels", "exercises", "generators")  # folders of the product in which people write their answers
SHORT = 16  # characters of a hash where people read it


@cache
def course_hash() -> str:
    """Of the tasks and their checks: what an archive of answers is made for."""
    return _hash(check_files())


@cache
def verdict_hash() -> str:
    """Of the whole grader, compiler, simulator and their answers: what a verdict in a journal or a cache depends on."""
    return _hash(verdict_files())


def check_files() -> dict[str, bytes]:
    """The tasks, and the checks with every module of the grader that they import."""
    every = source_files(("grader",)) | {_TASKS: TASKS.read_bytes()}
    waiting = [name for name in every if name.startswith(_CHECKS)]
    found = {_TASKS}
    while waiting:
        name = waiting.pop()
        if name in every and name not in found:
            found.add(name)
            waiting += _imports(every[name]) if name.endswith(".py") else []
    return {name: every[name] for name in sorted(found)}


def _imports(source: bytes) -> list[str]:
    """The files that a module of the grader imports, wherever it does: `grader.result` -> `grader/result.py`."""
    parts = [name.split(".") for name in imported_names(parsed(source))]
    places = {"/".join(part[:end]) for part in parts for end in range(1, len(part) + 1)}  # with the folders above
    return [f"{place}{end}" for place in sorted(places) for end in (".py", "/__init__.py")]


def verdict_files() -> dict[str, bytes]:
    """Whatever may decide a verdict, by name: whole packages, so that nothing can be forgotten."""
    return product_files() | source_files(("grader", "solutions"))


def product_files() -> dict[str, bytes]:
    """The compiler and the simulator by their names in the course's folder, every task's file being the bare stub."""
    own = tuple(f"haribote/{folder}/" for folder in LEARNERS)
    every = source_files(PRODUCT)
    files = {name: every[name] for name in every if not name.startswith(own) or name.endswith("/__init__.py")}
    for task in all_tasks():
        files[f"haribote/{task.file}"] = stub_of(task, source_of(task)).encode()
    return files


def source_files(folders: Iterable[str]) -> dict[str, bytes]:
    """The files in some folders of the course, by name; those that git does not ignore, where there is git."""
    names = _known_to_git(folders) or _found(folders)
    return {name: (ROOT / name).read_bytes() for name in sorted(names) if (ROOT / name).is_file()}


def _known_to_git(folders: Iterable[str]) -> list[str]:
    """What git tracks or would, or nothing where the course is no git repository of its own."""
    if not (ROOT / ".git").exists():
        return []
    try:
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders]
        run = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [name for name in run.stdout.decode().split("\0") if name]


def _found(folders: Iterable[str]) -> list[str]:
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    names = (path.relative_to(ROOT) for path in paths)
    return [name.as_posix() for name in names if not any(p == "__pycache__" or p.startswith(".") for p in name.parts)]


def _hash(files: dict[str, bytes]) -> str:
    """Line ends do not count: git may write others on another system."""
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{hashlib.sha256(content.replace(bytes([13, 10]), bytes([10]))).hexdigest()}\n".encode())
    return digest.hexdigest()
