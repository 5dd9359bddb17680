"""Let an answer see in this process what it sees when it is graded: the course with bare stubs, and nobody's files.

In the sandbox all this is so by what is mounted there (`grader.sandbox.tree`); a learner's own `check` runs among the
learner's files. Inside `alone(task)`, an import finds Python's packages, the product, and pristine stubs in place of
the answers to other tasks; anything else is refused with a message that says why. What the task withholds raises.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import site
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.course import LEARNERS, PRODUCT
from grader.stubs import source_of, stub_of
from haribote.answers.tasks import ROOT, Task, all_tasks
from haribote.errors import HariboteError

_STUBS = tuple(f"haribote.{folder}." for folder in LEARNERS)
_GRADER = ("grader", "grader.emitter")  # all that a sandbox shows of the grader
_HELPERS = ("solutions", "solutions.kernels", "solutions.kernels._")  # what the reference answers share


@contextmanager
def alone(task: Task, helpers: bool = False) -> Iterator[None]:
    """Inside, an answer to this task is by itself. helpers: it may import what the reference answers share."""
    finder = _Finder(helpers)
    with ExitStack() as stack:
        for holder, name, value in [*_withheld(task)]:
            stack.callback(setattr, holder, name, value)
            setattr(holder, name, _refusing(task, name))
        hidden = _hide(finder)
        sys.meta_path.insert(0, finder)
        try:
            yield
        finally:
            sys.meta_path.remove(finder)
            _hide(finder)
            for entry in hidden:
                _show(*entry)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds bare stubs in place of answers, and refuses what is neither Python's, a package's nor the product's."""

    def __init__(self, helpers: bool) -> None:
        self.helpers = helpers

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a stub; None leaves it to Python. Raises ModuleNotFoundError for what an answer has not."""
        if name in _stubs():
            return importlib.util.spec_from_loader(name, _Stub(), origin=name)
        if not sees(name, importlib.machinery.PathFinder.find_spec(name, path), self.helpers):
            text = f"{name} is not submitted with this answer, so it is not there when it is graded"
            raise ModuleNotFoundError(f"{text}; what an answer needs must stand in its own file", name=name)
        return None


class _Stub(importlib.abc.Loader):
    def exec_module(self, module: ModuleType) -> None:
        exec(compile(_stubs()[module.__name__], f"<stub {module.__name__}>", "exec"), module.__dict__)


def _folders(spec: importlib.machinery.ModuleSpec) -> list[str]:
    """Where the modules of a package are; none where it has no file and its parent is gone, as triton._C may be."""
    try:
        return list(spec.submodule_search_locations or ())
    except KeyError:
        return []


def sees(name: str, spec: importlib.machinery.ModuleSpec | None, helpers: bool = False) -> bool:
    """Whether an answer sees a module when it is graded. helpers: as for `alone`."""
    if name.startswith(_STUBS):
        return False
    if helpers and (name in _HELPERS or name.startswith(_HELPERS[-1])):
        return True
    places = () if spec is None else (spec.origin or "", *_folders(spec))
    return all(_of_the_course(name, place) or _installed(place) for place in places if Path(place).is_absolute())


@cache
def _stubs() -> dict[str, str]:
    """The pristine stub of every task, by its module's name."""
    names = {"haribote." + task.file.removesuffix(".py").replace("/", "."): task for task in all_tasks()}
    return {name: stub_of(task, source_of(task)) for name, task in names.items()}


def _hide(finder: _Finder) -> list[tuple[str, ModuleType, ModuleType | None]]:
    """Forget the modules that an answer must not see: their names, they, and the packages whose attributes they are."""
    loaded = [(name, module) for name, module in list(sys.modules.items()) if isinstance(module, ModuleType)]
    foreign = [(name, it) for name, it in loaded if name != "__main__" and not sees(name, it.__spec__, finder.helpers)]
    hidden = [(name, module, sys.modules.get(name.rpartition(".")[0])) for name, module in foreign]
    for name, module, package in hidden:
        del sys.modules[name]
        child = name.rpartition(".")[2]
        if package is not None and vars(package).get(child) is module:
            delattr(package, child)
    return hidden


def _show(name: str, module: ModuleType, package: ModuleType | None) -> None:
    sys.modules[name] = module
    if package is not None:
        setattr(package, name.rpartition(".")[2], module)


def _of_the_course(name: str, place: str) -> bool:
    inside = name.split(".")[0] in PRODUCT or name in _GRADER or name.startswith("grader.emitter.")
    return inside and Path(place).is_relative_to(ROOT)


@cache
def _installed(place: str) -> bool:
    """Whether a file belongs to Python or to an installed package, and not to the course that lies among these."""
    path = Path(place)
    folders = [folder for folder in _package_folders() if path.is_relative_to(folder)]
    if path.is_relative_to(ROOT):
        return any(folder.is_relative_to(ROOT) and folder != ROOT for folder in folders)
    return bool(folders)


@cache
def _package_folders() -> tuple[Path, ...]:
    found = {*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix, site.getusersitepackages()}
    found |= {*site.getsitepackages()}
    return tuple({form for path in found for form in (Path(path), Path(path).resolve())})


def _withheld(task: Task) -> Iterator[tuple[Any, str, Any]]:
    """(module or class, name, function) of all that the task withholds, as far as it is loaded."""
    for entry in task.withhold:
        file, _, only = entry.partition(":")
        module = sys.modules.get(file.removesuffix(".py").replace("/", "."))
        for holder in (module, *_own(module, type)) if module is not None else ():
            for function in _own(holder, object):
                name = function.__name__
                if not isinstance(function, type) and only in ("", name, holder.__name__):
                    yield holder, name, function


def _own(holder: Any, kind: type) -> list[Any]:
    """The functions or classes that a module or class itself defines."""
    module = holder.__module__ if isinstance(holder, type) else holder.__name__
    values = [value for name, value in vars(holder).items() if getattr(value, "__name__", "") == name]
    return [v for v in values if callable(v) and isinstance(v, kind) and getattr(v, "__module__", "") == module]


def _refusing(task: Task, name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise HariboteError(f"{name} belongs to the product's own answer to task {task.id}", "write yours without it")

    return refuse
