"""What an answer sees of the course: the product with pristine stubs, the emitter, and not the answer it is asked for.

The tree is written once per version of the course into the cache folder. Nothing in it is the grader's user's own
work: stubs are made anew from the solutions. `withheld` names the files that have to lie over it for a task: the
product's own answer to that task replaced by a function that raises.
"""

from __future__ import annotations

import ast
import compileall
import hashlib
import shutil
import time
import uuid
from functools import cache
from pathlib import Path

from grader.course import product_files, source_files
from haribote.answers.tasks import ROOT, TASKS, Task, all_tasks
from simulator.cache import cache_folder
from simulator.files import write_file

COURSE = "/course"  # where the tree lies in the sandbox
_PACKAGE = b'"""Of the grader, an answer sees its emitter alone."""\n'
_KEPT = 7 * 86400.0  # seconds after which another version's tree is removed


@cache
def course_tree() -> Path:
    """The folder with the tree in `course` and, by task, what lies over it in `withheld`; made on first use."""
    over = {f"withheld/{task.id}/{name}": text for task in all_tasks() for name, text in withheld(task).items()}
    changing = {name for task in all_tasks() for name in withheld(task)}
    return _stored({f"course/{name}": content for name, content in tree_files().items()} | over, changing)


@cache
def lesson_tree() -> Path:
    """The folder with the whole course but its tests in `course`, for running notebooks; no marks come from those."""
    notebooks = {name: text for name, text in source_files(("notebooks",)).items() if "/source/" not in name}
    files = product_files() | source_files(("grader", "solutions")) | notebooks
    return _stored({f"course/{name}": content for name, content in files.items()}, set())


def _stored(files: dict[str, bytes], changing: set[str]) -> Path:
    """A folder in the cache folder with these files, for all to read; modules are compiled, the changing ones not."""
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    folder = cache_folder() / "grade" / f"tree-{digest.hexdigest()[:16]}"
    if folder.is_dir():
        return folder
    _remove_old(folder.parent)
    temporary = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    for name, content in files.items():
        write_file(temporary / name, content, durable=False)
    course = temporary / "course"
    for path in sorted(course.rglob("*.py")):
        place = path.relative_to(course)
        if place.as_posix() not in changing:  # what is replaced for a task must not be there in another form
            compileall.compile_file(path, ddir=f"{COURSE}/{place.parent}", quiet=2)
    for path in (temporary, *temporary.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    try:
        temporary.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(temporary)
    return folder


def tree_files() -> dict[str, bytes]:
    """All files of the tree by name, without any task's replacements."""
    emitter = {name: content for name, content in source_files(("grader/emitter",)).items() if name.endswith(".py")}
    tasks = {
        "haribote/answers/tasks.toml": TASKS.read_bytes(),
        "grader/__init__.py": _PACKAGE,
    }
    return product_files() | emitter | tasks


def mounts(task: Task, folder: Path | None = None) -> dict[str, Path]:
    """What to mount for a task: the tree, and over it the files without the product's own answer."""
    folder = folder or course_tree()
    over = {f"{COURSE}/{name}": folder / "withheld" / task.id / name for name in withheld(task)}
    return {COURSE: folder / "course", **over}


@cache
def withheld(task: Task) -> dict[str, bytes]:
    """The files that a task's answer sees without the product's own answer, by name."""
    files: dict[str, bytes] = {}
    message = "is withheld: it belongs to the product's own answer"
    if task.product:
        module, _, function = task.product.partition(":")
        name = module.replace(".", "/")
        name = f"{name}.py" if (ROOT / f"{name}.py").is_file() else f"{name}/__init__.py"
        message = f"{module}.{function} is the product's own answer to task {task.id}"
        files[name] = _emptied((ROOT / name).read_text(encoding="utf-8"), message, function)
    for entry in task.withhold:
        name, _, only = entry.partition(":")
        text = files[name].decode() if name in files else (ROOT / name).read_text(encoding="utf-8")
        files[name] = _emptied(text, message, only) if name.endswith(".py") else b""
    return files


def _emptied(source: str, message: str, only: str = "") -> bytes:
    """A module with functions that raise: all of them, or only the one of this name, or those of this class."""
    module = ast.parse(source)
    text = f"from haribote.errors import HariboteError\nraise HariboteError({message!r}, 'write yours without it')"
    inside: list[ast.AST] = [n for n in ast.walk(module) if isinstance(n, ast.ClassDef) and n.name == only]
    for node in [found for top in inside or [module] for found in ast.walk(top)]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (inside or only in ("", node.name)):
            node.body = ast.parse(text).body
    return f"{ast.unparse(module)}\n".encode()


def _remove_old(folder: Path) -> None:
    for path in folder.glob("*tree-*") if folder.is_dir() else ():
        if path.stat().st_mtime < time.time() - _KEPT:
            shutil.rmtree(path, ignore_errors=True)
