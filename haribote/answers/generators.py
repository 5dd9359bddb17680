"""Generators: answers that write kernels, and that other answers import. Which rows of the kernel table each covers.

A generator's file imports other answers by their place in `haribote/generators`. They are loaded here from the
learner's folder or from the reference's, each afresh when one of the files has changed.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from haribote.answers.ownership import is_written
from haribote.answers.tasks import ROOT, Task, all_tasks, find_task
from haribote.kernel import Kernel
from haribote.kernel_table import KernelRow
from simulator.messages import tr

FOLDER = "generators"
NOP_PLACER = "5.36"

_TASKS: dict[str, tuple[str, ...]] = {
    "DL": ("5.40",),
    "UL": ("5.41",),
    **dict.fromkeys(("Relu", "Mul"), ("5.44", "5.42")),
    **dict.fromkeys(("GreaterCast", "Add", "Sub", "Exp", "Div", "OneHot"), ("5.44",)),
    **dict.fromkeys(("ReduceMax", "ReduceSum"), ("5.45",)),
    "Gemm": ("5.47",),
}
"""By operator, the tasks whose answers write its kernels, the one that can do more first."""
_ALIKE = ("5.18",)
"""Tasks with rows of operands that all have one layout, which the first emitter does too."""


def generators_of(row: KernelRow) -> tuple[str, ...]:
    """The tasks whose generators write the kernel of a row, the one to be preferred first."""
    found = _TASKS.get(row.op, ())
    return (*found, "5.42") if row.task in _ALIKE else found


def rows_written_by(task: str, rows: Sequence[KernelRow]) -> tuple[KernelRow, ...]:
    """Those of the rows whose kernels the generator of this task writes."""
    return tuple(row for row in rows if task in generators_of(row))


def generator_for(row: KernelRow, solutions: bool = False) -> Kernel | None:
    """The generator that writes the kernel of a row, or None where none is written.

    solutions: the reference generators in place of the learner's. What it needs of other tasks must be written too.
    """
    for task in generators_of(row):
        function = generator(task, solutions)
        if function is not None:
            return Kernel(task, find_task(task).title, function)
    return None


def not_written(row: KernelRow) -> str:
    """That nothing of a learner's writes the kernel of a row: neither its own task nor the generators."""
    missing = [
        needed.id
        for task in generators_of(row)[:1]
        for needed in needs_of(find_task(task))
        if not is_written(ROOT / "haribote" / needed.file)
    ]
    if not missing:
        return tr("task {task} is not written", row.task)
    return tr(
        "task {task} is not written, nor task {missing} of the generators that would do it", row.task, missing[-1]
    )


def copier() -> Kernel | None:
    """The learner's generator that also copies a tensor from one place in LM to another; None where none is written."""
    for task in _TASKS["Mul"]:
        if (function := generator(task)) is not None:
            return Kernel(task, find_task(task).title, function)
    return None


def generator(task: str, solutions: bool = False) -> Any:
    """The function that answers a task of the generators, or None where it, or what it imports, is not written."""
    found = find_task(task)
    folder = ROOT / ("solutions" if solutions else "haribote")
    if not all(is_written(folder / needed.file) for needed in needs_of(found)):
        return None
    stamps = {path: path.stat().st_mtime_ns for path in (folder / FOLDER).glob("t*.py")}
    return getattr(_files(folder, tuple(sorted(stamps.items()))).module(Path(found.file).stem), found.name)


def needs_of(task: Task) -> tuple[Task, ...]:
    """A task of the generators with all tasks of them that it needs, each after those that it needs itself."""
    shared = {other.id: other for other in all_tasks() if other.shared}
    found: dict[str, Task] = {}

    def visit(one: Task) -> None:
        for name in one.needs:
            if name in shared and name not in found:
                visit(shared[name])
        found[one.id] = one

    visit(task)
    return tuple(found.values())


@cache
def _files(folder: Path, _: tuple[tuple[Path, int], ...]) -> _Files:
    return _Files(folder)


class _Files:
    """The files of one folder as modules that find each other under the names that they have in `haribote`."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._modules = folder, dict[str, ModuleType]()

    def module(self, name: str) -> ModuleType:
        """The module of a file. What the file raises comes through."""
        if name not in self._modules:
            path = self._folder / FOLDER / f"{name}.py"
            module = ModuleType(f"haribote.{FOLDER}.{name}")
            module.__file__ = str(path)
            module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
            code = compile(path.read_text(encoding="utf-8-sig"), str(path), "exec")
            sys.modules[module.__name__], known = module, sys.modules.get(module.__name__)
            try:  # a dataclass looks for its module there
                exec(code, module.__dict__)
            finally:
                if known is None:
                    del sys.modules[module.__name__]
                else:
                    sys.modules[module.__name__] = known
            self._modules[name] = module
        return self._modules[name]

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> Any:
        package, _, own = name.rpartition(".")
        if level == 0 and package == f"haribote.{FOLDER}" and fromlist:
            return self.module(own)
        return builtins.__import__(name, globals, locals, fromlist, level)
