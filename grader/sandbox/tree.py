"""What an answer sees of the course: what runs it, and the modules that its task lists, with all that these need.

Nothing else of the course is there, no text of a hint, no learner's answers, and of the course's own only those that
the product needs to other tasks. A tree is written once per version of its files into the cache folder; tasks that need
the same have one.
"""

from __future__ import annotations

import ast
import compileall
import hashlib
import json
import py_compile
import shutil
import time
import uuid
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from grader.closure import closure, read_file
from grader.course import LEARNERS, product_files, source_files, verdict_hash
from grader.emitter import in_product
from grader.emitter.forms import form_of
from haribote.answers.tasks import ROOT, TASKS, Task, all_tasks, tomllib
from simulator.cache import cache_folder
from simulator.files import write_file
from simulator.language import language
from simulator.messages import tr
from simulator.parsing import parsed

COURSE = "/course"  # where the tree lies in the sandbox
_PACKAGE = b'"""Of the grader, an answer sees its emitter alone."""\n'
_RUNS = ("grader.emitter.__main__", "grader.emitter.server")
_TASKS = "haribote/answers/tasks.toml"
_SCHEDULE = "simulator/schedule/__init__.py"
_STEP = "grader.emitter.whole_step"
_READ = (".cpp", ".hpp")
_DIGITS = 16
_KEPT = 7 * 86400.0  # seconds after which another version's tree is removed


def course_tree(task: Task) -> Path:
    """The folder with the tree for answers to a task; made on first use, once in each language."""
    return _course_tree(task, language())


@cache
def _course_tree(task: Task, spoken: str) -> Path:
    """It is known which tree a task has until a file of the course changes: to follow the imports takes long."""
    known = cache_folder() / "grade" / f"tree-of-{task.id}-{spoken}-{verdict_hash()[:_DIGITS]}"
    with suppress(OSError, ValueError):
        digest = known.read_text(encoding="ascii")
        tree = known.with_name(f"tree-{int(digest, 16):0{_DIGITS}x}")
        if tree.is_dir():
            return tree
    tree = _stored(tree_files(task))
    write_file(known, tree.name.removeprefix("tree-").encode(), durable=False)
    return tree


@cache
def lesson_tree() -> Path:
    """The folder with the whole course but its tests, for running notebooks; no marks come from those."""
    notebooks = {name: text for name, text in source_files(("notebooks",)).items() if "/source/" not in name}
    return _stored(product_files() | source_files(("grader", "solutions")) | notebooks, replaceable=True)


@cache
def step_tree() -> Path:
    """The folder in which a whole training step is compiled: no answer of the course's is there, every task's file is
    the bare stub, and of the compiler only what calls the answers.
    """

    @cache
    def read(name: str) -> str | None:
        return None if name.startswith("solutions/") or name in _answers() else read_file(name)

    starts = {_STEP: None, "haribote.compiler": ("lower", "compile_resident", "compile_learners")}
    files = {name: text.encode() for name, text in closure(starts, read).items()}
    for folder in {(ROOT / name).parent for name in files}:
        files |= _data(folder)
    own = tuple(f"haribote/{folder}/" for folder in LEARNERS)
    files |= {name: text for name, text in product_files().items() if name.startswith(own)}
    files[_SCHEDULE] = _emptied(files[_SCHEDULE].decode(), tr("the product's own scheduler is not there"), "schedule")
    return _stored(files | {_TASKS: _tasks(), "grader/__init__.py": _PACKAGE}, replaceable=True)


def tree_files(task: Task) -> dict[str, bytes]:
    """All files of the tree by name."""
    replaced = withheld(task)

    @cache
    def read(name: str) -> str | None:
        hidden = name in _answers() or name == f"solutions/{task.file}"
        return replaced[name].decode() if name in replaced else None if hidden else read_file(name)

    starts: dict[str, Any] = dict.fromkeys((*_RUNS, *task.may_import))
    if not task.is_kernel:
        form = form_of(task)
        starts[form.__module__] = (form.__name__,)
    starts[in_product.__name__] = [run.__name__ for name, run in in_product.RUNS.items() if name == task.id]
    files = {name: text.encode() for name, text in closure(starts, read).items()}
    folders = {ROOT / Path(name).parent for name in files}
    files |= {name: content for folder in folders for name, content in _data(folder).items()}
    files |= {name: content for name, content in replaced.items() if name in files}
    files |= {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in ROOT.glob("*/locale/**/*.mo")}
    return files | {_TASKS: _tasks(), "grader/__init__.py": _PACKAGE}


@cache
def _data(folder: Path) -> dict[str, bytes]:
    """What the modules of a folder read: files that are no modules, in it and in folders of it that are no packages."""
    inside = [path for path in folder.iterdir() if path.is_dir() and not (path / "__init__.py").exists()]
    files = [path for place in (folder, *inside) for path in place.iterdir() if path.suffix in _READ]
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in files}


@cache
def _answers() -> frozenset[str]:
    """The learners' files."""
    return frozenset(f"haribote/{task.file}" for task in all_tasks())


@cache
def _tasks() -> bytes:
    """The list of tasks without any hint."""
    lines: list[str] = []
    for table in tomllib.loads(TASKS.read_text(encoding="utf-8"))["task"]:
        lines += ["[[task]]", *(f"{key} = {_toml(value)}" for key, value in table.items() if key != "hints")]
    return "\n".join([*lines, ""]).encode()


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _stored(files: dict[str, bytes], replaceable: bool = False) -> Path:
    """A folder in the cache folder with these files, for all to read; its modules are compiled. replaceable: others may
    be put in their places, so that what is compiled is compared with the text.
    """
    digest = hashlib.sha256(bytes([replaceable]))
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    folder = cache_folder() / "grade" / f"tree-{digest.hexdigest()[:_DIGITS]}"
    if folder.is_dir():
        return folder
    _remove_old(folder.parent)
    temporary = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    for name, content in files.items():
        write_file(temporary / name, content, durable=False)
    modes = py_compile.PycInvalidationMode
    mode = modes.CHECKED_HASH if replaceable else modes.UNCHECKED_HASH
    compileall.compile_dir(temporary, stripdir=temporary, quiet=2, invalidation_mode=mode)
    for path in (temporary, *temporary.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    try:
        temporary.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(temporary)
    return folder


def withheld(task: Task) -> dict[str, bytes]:
    """The files of which a task's entry withholds something, by name, without it. What they say when they are used
    is in the language of the moment.
    """
    return _withheld(task, language())


@cache
def _withheld(task: Task, _: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    message = tr("is withheld: it belongs to the product's own answer")
    if task.product:
        module, _, function = task.product.partition(":")
        message = tr("{module}.{function} is the product's own answer to task {id}", module, function, task.id)
    for entry in task.withhold:
        name, _, only = entry.partition(":")
        text = files[name].decode() if name in files else (ROOT / name).read_text(encoding="utf-8")
        files[name] = _emptied(text, message, only) if name.endswith(".py") else b""
    return files


def _emptied(source: str, message: str, only: str = "") -> bytes:
    """A module with functions that raise: all of them, or only the one of this name, or those of this class."""
    module = parsed(source)
    text = f"from haribote.errors import HariboteError\nraise HariboteError({message!r}, 'write yours without it')"
    inside: list[ast.AST] = [n for n in ast.walk(module) if isinstance(n, ast.ClassDef) and n.name == only]
    for node in [found for top in inside or [module] for found in ast.walk(top)]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (inside or only in ("", node.name)):
            node.body = parsed(text).body
    return f"{ast.unparse(module)}\n".encode()


def _remove_old(folder: Path) -> None:
    for path in folder.glob("*tree-*") if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another process has given it its name, or removed it
            if path.stat().st_mtime < time.time() - _KEPT:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
