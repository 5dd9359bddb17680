"""Stubs from solutions: what a learner gets to fill in, and how it is kept from ever overwriting a learner's work.

    python -m grader stubs          write the stubs anew, except files that a learner has edited

Of a solution, the text between `### BEGIN SOLUTION` and `### END SOLUTION` goes, and so do the imports that only it
used; task id, contract and line budget stay. A large task has a plain answer too, `solutions/plain/`, and its stub is
made from that one: only the parts between `### BEGIN HOLE` and `### END HOLE` go, a few lines each, and what holds them
together stays. `grader/stubs.json` records the hash of what was generated: a file with
another hash is a learner's and is never touched.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from haribote.answers.given import REGION, source_of
from haribote.answers.ownership import raises_left
from haribote.answers.tasks import ROOT, Task, all_tasks
from haribote.errors import HariboteError
from simulator.files import write_file
from simulator.language import spoken
from simulator.messages import tr
from simulator.parsing import parsed

MANIFEST = "grader/stubs.json"
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


OTHERS: list[Callable[[Task, str, Path], bool]] = []
"""What knows whether a text is an untouched stub of another kind: one in another language."""


class StubError(HariboteError):
    """A solution from which no stub can be made."""


@dataclass(frozen=True)
class Written:
    """What `write_stubs` did: stubs written, and files left alone because a learner has edited them."""

    written: tuple[str, ...]
    kept: tuple[str, ...]


def stub_of(task: Task, source: str, into: str = "en") -> str:
    """The stub of a solution, or of a plain answer, what to do in a language. Raises StubError where the markers are
    missing.
    """
    with spoken(into):
        return _stub(task, source)


def _stub(task: Task, source: str) -> str:
    regions = list(REGION.finditer(source))
    if not regions:
        raise StubError(
            tr("solutions/{file}: no {begin} … {end}, so that nothing would be left to write", task.file, BEGIN, END)
        )
    whole = _budget([region for region in regions if region[2] == "SOLUTION"])

    def left(region: re.Match[str]) -> str:
        """What stands in the stub instead: of a solution in several parts only the first one leaves something."""
        if region[2] == "HOLE":
            return _todo(task, region[1], _budget([region]))
        return _todo(task, region[1], whole) if region.start() == regions[0].start() else ""

    frame = source if any(region[2] == "HOLE" for region in regions) else ""
    return _with_imports(_with_head(REGION.sub(left, source), task), frame)


def left_over(task: Task, content: bytes) -> list[int]:
    """The lines where `raise NotWritten` still stands in a function that has other lines of the learner's own."""
    stub = _functions(stub_of(task, source_of(task)).encode())
    own = _functions(content)
    return [line for name, line in raises_left(content) if own.get(name) != stub.get(name)]


def _functions(content: bytes) -> dict[str, list[str]]:
    """What each function does, by its name as `raises_left` gives it: its own statements without its docstring."""
    found: dict[str, list[str]] = {}

    def visit(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}".lstrip(".")
                body = child.body[1:] if ast.get_docstring(child) is not None else child.body
                own = [each for each in body if not isinstance(each, ast.FunctionDef) and not _is_left(each)]
                found[inner] = [ast.dump(each) for each in own]
                visit(child, inner)

    visit(parsed(content.decode("utf-8-sig")), "")
    return found


def _is_left(node: ast.AST) -> bool:
    """A `raise NotWritten(…)`, whatever it says."""
    return isinstance(node, ast.Raise) and node.exc is not None and "NotWritten" in ast.dump(node.exc)


def write_stubs(root: Path = ROOT, tasks: Iterable[Task] | None = None) -> Written:
    """Write the stubs of all tasks that have a solution; a file that a learner has edited is left alone."""
    manifest = read_manifest(root)
    written, kept = [], []
    for task in all_tasks() if tasks is None else tasks:
        target = root / "haribote" / task.file
        text = stub_of(task, source_of(task, root))
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
    text = target.read_text(encoding="utf-8")
    return digest(text) != read_manifest(root).get(task.file) and not any(same(task, text, root) for same in OTHERS)


def reset(task: Task, root: Path = ROOT, text: str = "") -> Path | None:
    """Make the learner's file the stub again, or this text of one in another language; the backup of what it was, or
    None where it was a stub already.
    """
    target = root / "haribote" / task.file
    backup = keep_backup(task, root) if is_edited(task, root) else None
    stub = stub_of(task, source_of(task, root))
    write_file(target, (text or stub).encode())
    manifest = read_manifest(root) | {task.file: digest(stub)}
    write_file(root / MANIFEST, (json.dumps(dict(sorted(manifest.items())), indent=0) + "\n").encode())
    return backup


def keep_backup(task: Task, root: Path = ROOT) -> Path:
    """Copy the learner's file to `backup/`, under a name with the time."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    backup = root / "backup" / f"{Path(task.file).stem}.{stamp}.py"
    write_file(backup, (root / "haribote" / task.file).read_bytes())
    return backup


def read_manifest(root: Path = ROOT) -> dict[str, str]:
    """Hash of every generated file, by its path in `haribote/`."""
    path = root / MANIFEST
    manifest: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return manifest


def digest(text: str) -> str:
    """The hash of a file's text; line ends do not count."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()


def _todo(task: Task, indent: str, lines: int) -> str:
    amount = tr("about {lines} lines", lines) if lines > 1 else tr("one line")
    return f"{indent}# TODO: {amount}.\n{_raise(task, indent)}"


def _raise(task: Task, indent: str) -> str:
    """What stands where the solution was, laid out as ruff lays it out."""
    message = tr("task {id} ({title}) is not written yet; check it with `grader check {id}`", task.id, task.title)
    text = f'"{message}"'
    line = f"{indent}raise NotWritten({text})\n"
    return line if len(line) <= 121 else f"{indent}raise NotWritten(\n{indent}    {text}\n{indent})\n"


def lines_left(task: Task) -> int:
    """Lines of code that the stub of a task leaves to the learner."""
    return _budget(list(REGION.finditer(source_of(task))))


def _budget(regions: list[re.Match[str]]) -> int:
    """Lines of code in the solution; blank lines and comments do not count."""
    lines = [line.strip() for region in regions for line in region[3].splitlines()]
    return sum(bool(line) and not line.startswith("#") for line in lines)


def _with_head(text: str, task: Task) -> str:
    """The module's docstring without the solution's idea, but with what to do next."""
    body = text[text.index('"""', 3) + 3 :]
    return (
        f'"""{tr("Task {id}: {title}.", task.id, task.title)}\n\n'
        f"{tr('It is taught in {place}.', task.place)}\n"
        f"{tr('Check it with `grader check {id}`; if you are stuck, `grader hint {id}`.', task.id)}\n"
        f'"""{body}'
    )


def _with_imports(text: str, frame: str) -> str:
    """The imports that the rest of the text uses, and NotWritten, sorted as ruff sorts them.

    frame: a skeleton's source, whose imports all stay: what goes into its holes finds its names there.
    """
    module = parsed(text)
    imports = [node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)]
    used = {node.id for tree in (module, parsed(frame)) for node in ast.walk(tree) if isinstance(node, ast.Name)}
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
    gap = "\n\n" if rest.startswith(("def ", "class ", "@")) else "\n"
    return "".join(lines[:start]) + _import_block(wanted, plain) + gap + rest


def _import_block(wanted: dict[str, set[str]], plain: list[str]) -> str:
    """Import statements in isort's order: future, standard library, others, ours."""
    sections: list[list[str]] = [[], [], [], []]
    for item in sorted(plain):
        sections[_section(item)].append(f"import {item}\n")
    for module, names in sorted(wanted.items()):
        sections[_section(module)].append(f"from {module} import {', '.join(sorted(names, key=_import_order))}\n")
    return "\n".join("".join(section) for section in sections if section)


def _section(module: str) -> int:
    package = re.split("[. ]", module)[0]  # of `numpy as np` too
    if package == "__future__":
        return 0
    if package in ("haribote", "simulator", "solutions"):
        return 3
    return 2 if package in ("numpy", "onnx", "torch") else 1


def _import_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as isort has them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name
