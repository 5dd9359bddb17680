"""Stubs from solutions: what a learner gets to fill in, and how it is kept from ever overwriting a learner's work.

    python -m grader stubs          write the stubs anew, except files that a learner has edited

Of a solution, the text between `### BEGIN SOLUTION` and `### END SOLUTION` goes, and so do the imports that only it
used; task id, contract and line budget stay. `grader/stubs.json` records the hash of what was generated: a file with
another hash is a learner's and is never touched.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from haribote.answers.tasks import ROOT, Task, all_tasks
from haribote.errors import HariboteError
from simulator.files import write_file

MANIFEST = "grader/stubs.json"
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_REGION = re.compile(rf"^([ \t]*){BEGIN}\n(.*?)^[ \t]*{END}\n", re.MULTILINE | re.DOTALL)


class StubError(HariboteError):
    """A solution from which no stub can be made."""


@dataclass(frozen=True)
class Written:
    """What `write_stubs` did: stubs written, and files left alone because a learner has edited them."""

    written: tuple[str, ...]
    kept: tuple[str, ...]


def stub_of(task: Task, source: str) -> str:
    """The stub of a solution. Raises StubError where the markers are missing."""
    regions = list(_REGION.finditer(source))
    if not regions:
        raise StubError(f"solutions/{task.file}: no {BEGIN} … {END}, so that nothing would be left to write")
    first = regions[0]
    todo = f"{first[1]}# TODO: about {_budget(regions)} lines.\n{_raise(task, first[1])}"
    text = source[: first.start()] + todo + _REGION.sub("", source[first.end() :])
    return _with_imports(_with_head(text, task))


def write_stubs(root: Path = ROOT, tasks: Iterable[Task] | None = None) -> Written:
    """Write the stubs of all tasks that have a solution; a file that a learner has edited is left alone."""
    manifest = read_manifest(root)
    written, kept = [], []
    for task in all_tasks() if tasks is None else tasks:
        target = root / "haribote" / task.file
        text = stub_of(task, (root / "solutions" / task.file).read_text(encoding="utf-8"))
        if is_edited(task, root):
            kept.append(task.file)
            continue
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            write_file(target, text.encode())
            written.append(task.file)
        manifest[task.file] = digest(text)
    write_file(root / MANIFEST, (json.dumps(dict(sorted(manifest.items())), indent=0) + "\n").encode())
    return Written(tuple(written), tuple(kept))


def is_edited(task: Task, root: Path = ROOT) -> bool:
    """True where the learner's file is not, byte for byte, what was generated last."""
    target = root / "haribote" / task.file
    if not target.is_file():
        return False
    return digest(target.read_text(encoding="utf-8")) != read_manifest(root).get(task.file)


def reset(task: Task, root: Path = ROOT) -> Path | None:
    """Make the learner's file the stub again; the backup of what it was, or None where it was the stub already."""
    target = root / "haribote" / task.file
    backup = None
    if is_edited(task, root):
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
        backup = root / "backup" / f"{Path(task.file).stem}.{stamp}.py"
        write_file(backup, target.read_bytes())
    text = stub_of(task, (root / "solutions" / task.file).read_text(encoding="utf-8"))
    write_file(target, text.encode())
    manifest = read_manifest(root) | {task.file: digest(text)}
    write_file(root / MANIFEST, (json.dumps(dict(sorted(manifest.items())), indent=0) + "\n").encode())
    return backup


def read_manifest(root: Path = ROOT) -> dict[str, str]:
    """Hash of every generated file, by its path in `haribote/`."""
    path = root / MANIFEST
    manifest: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return manifest


def digest(text: str) -> str:
    """The hash of a file's text; line ends do not count."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()


def _raise(task: Task, indent: str) -> str:
    """What stands where the solution was, laid out as ruff lays it out."""
    text = f'"task {task.id} ({task.title}) is not written yet; check it with `grader check {task.id}`"'
    line = f"{indent}raise NotWritten({text})\n"
    return line if len(line) <= 121 else f"{indent}raise NotWritten(\n{indent}    {text}\n{indent})\n"


def _budget(regions: list[re.Match[str]]) -> int:
    """Lines of code in the solution; blank lines and comments do not count."""
    lines = [line.strip() for region in regions for line in region[2].splitlines()]
    return sum(bool(line) and not line.startswith("#") for line in lines)


def _with_head(text: str, task: Task) -> str:
    """The module's docstring without the solution's idea, but with what to do next."""
    body = text[text.index('"""', 3) + 3 :]
    return (
        f'"""Task {task.id}: {task.title}.\n\n'
        f"It is taught in {task.place}.\n"
        f"Check it with `grader check {task.id}`; if you are stuck, `grader hint {task.id}`.\n"
        f'"""{body}'
    )


def _with_imports(text: str) -> str:
    """The imports that the rest of the text uses, and NotWritten, sorted as ruff sorts them."""
    module = ast.parse(text)
    imports = [node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)]
    used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    wanted: dict[str, set[str]] = {"haribote.errors": {"NotWritten"}}
    plain: list[str] = []
    for node in imports:
        for alias in node.names:
            name = (alias.asname or alias.name).split(".")[0]
            if name not in used and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
                continue
            item = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
            if isinstance(node, ast.Import):
                plain.append(item)
            else:
                wanted.setdefault(node.module or "", set()).add(item)
    lines = text.splitlines(keepends=True)
    for node in reversed(imports):
        del lines[node.lineno - 1 : node.end_lineno]
    start = imports[0].lineno - 1
    rest = "".join(lines[start:]).lstrip("\n")
    return "".join(lines[:start]) + _import_block(wanted, plain) + "\n\n" + rest


def _import_block(wanted: dict[str, set[str]], plain: list[str]) -> str:
    """Import statements in isort's order: future, standard library, others, ours."""
    sections: list[list[str]] = [[], [], [], []]
    for item in sorted(plain):
        sections[_section(item)].append(f"import {item}\n")
    for module, names in sorted(wanted.items()):
        sections[_section(module)].append(f"from {module} import {', '.join(sorted(names, key=_import_order))}\n")
    return "\n".join("".join(section) for section in sections if section)


def _section(module: str) -> int:
    package = module.split(".")[0]
    if package == "__future__":
        return 0
    if package in ("haribote", "simulator", "solutions"):
        return 3
    return 2 if package in ("numpy", "onnx", "torch") else 1


def _import_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as isort has them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name
