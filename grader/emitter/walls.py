"""What an answer does not reach though it lies in its process or on its disk: the course's other modules and files.

Imports are refused by `guard`; here are the ways round them. The table of loaded modules shows an answer none that its
task does not list, and Python's own hook for audits refuses it the course's files, other programs, and the collector's
lists of all objects. In a sandbox most of this is not there anyway; a learner's check says the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, MutableMapping
from functools import cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from haribote.answers.tasks import ROOT
from simulator.messages import tr

HERE = f"{ROOT}/"
_FILES = frozenset(("open", "os.listdir", "os.scandir", "os.chdir", "os.link", "os.symlink"))
_PROGRAMS = frozenset(("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"))
_OBJECTS = frozenset(("gc.get_objects", "gc.get_referrers", "gc.get_referents"))
_CODE = {"compile": 1, "code.__new__": 1}  # which argument is the name of the file that the code says it is from
_PYTHON = tuple({f"{Path(folder).resolve()}/" for folder in (sys.prefix, sys.base_prefix, sys.exec_prefix)})


class NotThere(OSError):
    """An answer has asked for what is not its own."""


class Walls:
    """Around the answer whose code is in these files. hidden: whether a module is none that it may see."""

    def __init__(self, foreign: set[str], hidden: Callable[[str], bool]) -> None:
        self._foreign = foreign
        self._hidden = cache(hidden)
        outside = [entry for entry in sys.argv[1:] if os.path.isabs(entry)]
        self._folders = tuple(f"{Path(entry).resolve()}/" for entry in (HERE, *outside))

    def raise_up(self) -> None:
        """From now on, in this process."""
        sys.modules = _Modules(sys.modules, self._hidden, self.by_the_answer)  # type: ignore[assignment]
        sys.addaudithook(self._audit)

    def by_the_answer(self, frame: FrameType | None) -> bool:
        """Whether it is the answer that asks, be it by way of Python's library or of a package."""
        while frame is not None:
            place = frame.f_code.co_filename
            if place in self._foreign:
                return True
            if place.startswith(HERE):
                return False
            frame = frame.f_back
        return True  # a thread, or something else that Python runs for it

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _FILES:
            if self.by_the_answer(sys._getframe(1)) and self._is_ours(arguments[0]):
                file = os.fsdecode(arguments[0])
                raise NotThere(tr("{file} is not there for answers", file))
        elif event in _PROGRAMS:
            if self.by_the_answer(sys._getframe(1)):
                raise NotThere(tr("answers start no other programs"))
        elif event in _OBJECTS:
            if self.by_the_answer(sys._getframe(1)):
                raise NotThere(tr("answers have no list of all objects"))
        elif event in _CODE and self.by_the_answer(sys._getframe(1)):
            name = arguments[_CODE[event]]
            name = os.fsdecode(name) if isinstance(name, str | bytes) else ""
            if name.startswith(HERE) and name not in self._foreign:
                raise NotThere(tr("an answer's code is told as its own"))

    def _is_ours(self, path: object) -> bool:
        """Whether a path leads into the course's folder, or into the checkout from which an open check was started."""
        if not isinstance(path, str | bytes | os.PathLike):
            return False  # an open file, or the folder that the process is in
        place = os.path.realpath(os.fsdecode(path))
        return f"{place}/".startswith(self._folders) and not place.startswith(_PYTHON)


class _Modules(MutableMapping[str, ModuleType]):
    """The loaded modules as `sys.modules` tells them: all of them to Python and to the course, some to an answer."""

    def __init__(
        self,
        modules: dict[str, ModuleType],
        hidden: Callable[[str], bool],
        by_the_answer: Callable[[FrameType | None], bool],
    ) -> None:
        self.__modules, self.__hidden, self.__by_the_answer = modules, hidden, by_the_answer

    def __getitem__(self, name: str) -> ModuleType:
        module = self.__modules[name]
        if self.__hidden(name) and self.__by_the_answer(sys._getframe(1)):
            raise KeyError(name)
        return module

    def __setitem__(self, name: str, module: ModuleType) -> None:
        self.__modules[name] = module

    def __delitem__(self, name: str) -> None:
        del self.__modules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__shown(sys._getframe(1)))

    def __len__(self) -> int:
        return len(self.__modules)

    def copy(self) -> dict[str, ModuleType]:
        """As that of a dict."""
        return self.__shown(sys._getframe(1))

    def __shown(self, frame: FrameType) -> dict[str, ModuleType]:
        known = dict(self.__modules)
        if self.__by_the_answer(frame):
            return {name: module for name, module in known.items() if not self.__hidden(name)}
        return known
