"""Modules under the names that they had before: a file written for an earlier tree still imports.

Learners' answers, notebooks and other people's programs outlive a move of ours. Each package lists its old names in its
`__init__`; importing one gives the very module that has the new name.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType


class _Moved(MetaPathFinder, Loader):
    """Finds a module by its old name. names: old to new, both with their package."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def new_name(self, name: str) -> str | None:
        """Where the module is now; None for one that is where it was."""
        if name in self.names:
            return self.names[name]
        parent, _, child = name.rpartition(".")
        moved = self.names.get(parent)
        return f"{moved}.{child}" if moved else None

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if self.new_name(fullname) else None

    def exec_module(self, module: ModuleType) -> None:
        new = self.new_name(module.__name__)
        assert new is not None  # find_spec has just found it
        sys.modules[module.__name__] = import_module(new)

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of the module, for `python -m OLD_NAME`."""
        new = self.new_name(fullname)
        assert new is not None
        spec = find_spec(new)
        loader = spec.loader if spec else None
        return loader.get_code(new) if isinstance(loader, InspectLoader) else None


_finder = _Moved()


def names() -> dict[str, str]:
    """Every old name that is kept so far, with the new one."""
    return dict(_finder.names)


def present_name(name: str) -> str:
    """The name that a module has now."""
    new = _finder.new_name(name)
    return name if new is None else present_name(new)


def keep_old_names(package: str, folders: Mapping[str, str], renamed: Mapping[str, str]) -> None:
    """Let the modules of a package be imported under their old names too.

    folders: folder to the modules in it that once stood in the package itself, between blanks. renamed: old to new name
    of modules and folders that are called otherwise now; what is in such a folder goes with it.
    """
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)  # first: inside a folder that has moved, the file itself would be found
    for folder, modules in folders.items():
        _finder.names |= {f"{package}.{module}": f"{package}.{folder}.{module}" for module in modules.split()}
    _finder.names |= {f"{package}.{old}": f"{package}.{new}" for old, new in renamed.items()}
