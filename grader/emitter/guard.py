"""What an answer may import: Python, installed packages, what its task lists of the course, answers made for others.

Nothing else of the course lies where answers run, but for what the product needs while it calls an answer; that much is
refused here, in the words of the task's list.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from grader.emitter.loading import compiled
from grader.emitter.walls import HERE, Walls
from haribote.answers.tasks import ROOT, Task
from simulator.messages import tr
from simulator.moved import present_name

COURSE = ("benchmarks", "grader", "haribote", "notebooks", "simulator", "solutions", "tests")
_IMPORTLIB = (f"{Path(importlib.__file__).parent}/", "<frozen importlib")


class Guard:
    """Refuses imports of an answer. shared: files of other answers that this one may import, by place in the course."""

    def __init__(self, task: Task, place: str, shared: Mapping[str, bytes]) -> None:
        self._task = task
        self._foreign = {place, *(str(ROOT / name) for name in shared)}
        self._shared = {_module(name): (str(ROOT / name), content) for name, content in shared.items()}
        self._import: Any = builtins.__import__
        self._import_module: Any = importlib.import_module

    def install(self) -> None:
        """From now on, in this process."""
        only_this_course()
        sys.meta_path.insert(0, _Shared(self._shared))
        Walls(self._foreign, self._hidden).raise_up()
        builtins.__import__ = importlib.__import__ = self._guarded
        importlib.import_module = self._guarded_module

    def _guarded(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Sequence[str] | None = (), level: int = 0
    ) -> Any:
        if level == 0 and name.split(".")[0] in COURSE and self._by_the_answer(sys._getframe(1)):
            self._check(name, fromlist or ())
        return self._import(name, globals, locals, fromlist, level)

    def _guarded_module(self, name: str, package: str | None = None) -> ModuleType:
        if name.split(".")[0] in COURSE and self._by_the_answer(sys._getframe(1)):
            self._check(name, ())
        module: ModuleType = self._import_module(name, package)
        return module

    def _hidden(self, name: str) -> bool:
        """Whether a loaded module is one of the course that the task does not list."""
        return name.split(".")[0] in COURSE and bool(not_listed(self._task, name, (), self._shared))

    def _by_the_answer(self, frame: FrameType | None) -> bool:
        """Whether the code of this frame is not the course's own: the answer's, or a package's that it has asked."""
        while frame is not None and frame.f_code.co_filename.startswith(_IMPORTLIB):
            frame = frame.f_back
        place = frame.f_code.co_filename if frame else ""
        return place in self._foreign or not place.startswith(HERE)

    def _check(self, name: str, wanted: Sequence[str]) -> None:
        """Raise ModuleNotFoundError where the task lists neither the module nor what is wanted of it."""
        refused = not_listed(self._task, name, wanted, self._shared)
        if refused:
            allowed = ", ".join([*self._task.may_import, *sorted(self._shared)])
            text = tr("{refused} is not there for answers to task {id}", refused, self._task.id)
            text += tr("; of the course, they may import {allowed}", allowed)
            raise ModuleNotFoundError(text, name=refused)


def not_listed(task: Task, name: str, wanted: Sequence[str], shared: Iterable[str]) -> str:
    """The module of the course that an import asks for though the task does not list it; "" where it lists all.

    name: of a module; wanted: what is imported from it. shared: modules of other answers that may be imported.
    """
    listed = {*task.may_import, *shared}
    parts = [f"{name}.{item}" for item in wanted]
    refused = [part for part in parts if present_name(part) not in listed and _is_module(part)]
    if refused:
        return refused[0]
    folder = any(module.startswith(f"{present_name(name)}.") for module in listed)
    fine = present_name(name) in listed or (folder and all(present_name(part) in listed for part in parts))
    return "" if fine else name


class _Shared(MetaPathFinder, Loader):
    """Finds the answers that this one may import. modules: place and content by name."""

    def __init__(self, modules: Mapping[str, tuple[str, bytes]]) -> None:
        self._modules = modules

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in self._modules:
            return spec_from_loader(fullname, self, origin=self._modules[fullname][0])
        folder = any(name.startswith(f"{fullname}.") for name in self._modules)
        if not folder or PathFinder.find_spec(fullname, path) is not None:
            return None
        return spec_from_loader(fullname, self, is_package=True)  # a folder that holds nothing else

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ in self._modules:
            place, content = self._modules[module.__name__]
            module.__file__ = place
            exec(compiled(content, Path(place)), module.__dict__)


def only_this_course() -> None:
    """Find nothing of another copy of the course: neither of an editable installation nor on the path."""
    kept = (BuiltinImporter, FrozenImporter, PathFinder)
    sys.meta_path[:] = [it for it in sys.meta_path if it in kept or type(it).__module__.startswith("simulator.")]
    sys.path[:] = [str(ROOT), *(entry for entry in sys.path if entry and not (Path(entry) / "haribote").is_dir())]


def _module(place: str) -> str:
    return place.removesuffix(".py").replace("/", ".")


def _is_module(name: str) -> bool:
    """Whether the course where the answer runs has a module of this name."""
    path = ROOT / present_name(name).replace(".", "/")
    return path.with_suffix(".py").is_file() or path.is_dir()
