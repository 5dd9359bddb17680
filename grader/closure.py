"""Which modules of the course some modules need: the closure of their imports, read from the sources.

Imports inside of functions count, since they may run; those for type checkers do not, nor those in functions of a
package's `__init__`, which are doors for people, nor those in a `__getattr__`: a name that a module gives so is found
where the module imports it for type checkers. A function that `@exercise` declares needs the course's answer to its
task.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from haribote.answers.tasks import ROOT, find_task
from simulator.parsing import parsed

PACKAGES = ("haribote", "simulator", "grader", "solutions")
Read = Callable[[str], "str | None"]
"""The text of a file of the course by its name, None where there is none."""


@dataclass(frozen=True)
class _Imports:
    """What a module imports. always: on being imported. inside: by function of the module. lazy: names that its
    `__getattr__` finds, with the modules that have them. used: the functions that each function uses."""

    always: tuple[str, ...]
    inside: Mapping[str, tuple[str, ...]]
    lazy: Mapping[str, str]
    used: Mapping[str, tuple[str, ...]]

    def of(self, functions: Iterable[str] | None) -> Iterator[str]:
        """What is imported, by these functions and those that they use; None: by all."""
        yield from self.always
        waiting, done = list(self.inside if functions is None else functions), set()
        while waiting:
            name = waiting.pop()
            if name not in done and name in self.inside:
                done.add(name)
                waiting += self.used[name]
                yield from self.inside[name]


def read_file(name: str) -> str | None:
    """A file of this course."""
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.is_file() else None


def closure(starts: Mapping[str, Iterable[str] | None], read: Read = read_file) -> dict[str, str]:
    """The texts of the files of all modules that these need, by name of the file.

    starts: modules, each with the functions of it that run; None: all.
    """
    texts: dict[str, str] = {}
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        for module in _with_parents(name):
            file = file_of(module, read)
            if file is None or file in texts:
                continue
            text = texts[file] = read(file) or ""
            functions: Iterable[str] | None = () if file.endswith("/__init__.py") else None
            for wanted in _imports(text).of(starts.get(module, functions)):
                waiting.append(_place(wanted, read))
    return texts


def file_of(module: str, read: Read = read_file) -> str | None:
    """The file of a module of the course; None where there is none."""
    if module.split(".")[0] not in PACKAGES:
        return None
    place = module.replace(".", "/")
    return next((name for name in (f"{place}.py", f"{place}/__init__.py") if read(name) is not None), None)


def _with_parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _place(wanted: str, read: Read) -> str:
    """The module of what an import names: itself, or where the package finds the name."""
    package, _, name = wanted.rpartition(".")
    file = file_of(package, read)
    if file is None or file_of(wanted, read):
        return wanted
    return _imports(read(file) or "").lazy.get(name, wanted)


@lru_cache(maxsize=1024)
def _imports(text: str) -> _Imports:
    module = parsed(text)
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    lazy_names = functions.pop("__getattr__", None) is not None
    rest = [node for node in module.body if not isinstance(node, ast.FunctionDef)]
    checked = [node for node in rest if isinstance(node, ast.If) and _name_of(node.test) == "TYPE_CHECKING"]
    lazy = {name.rpartition(".")[2]: name.rpartition(".")[0] for node in checked for name in _named(node.body)}
    return _Imports(
        tuple(_named(node for node in rest if node not in checked)),
        {name: tuple(_named([node])) for name, node in functions.items()},
        lazy if lazy_names else {},
        {name: tuple(_names(node) & functions.keys()) for name, node in functions.items()},
    )


def imported_names(tree: ast.AST) -> Iterator[str]:
    """The modules, and names in modules, that are imported anywhere in a tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _named(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What is imported or declared as an exercise anywhere in these nodes."""
    for top in nodes:
        yield from imported_names(top)
        for node in ast.walk(top):
            if isinstance(node, ast.Call) and _name_of(node.func) == "exercise":
                yield find_task(ast.literal_eval(node.args[0])).module("solutions")


def _names(node: ast.AST) -> set[str]:
    return {found.id for found in ast.walk(node) if isinstance(found, ast.Name)}


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
