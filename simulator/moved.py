"""Modules under the names that they had before: a file written for an earlier tree still imports.

Learners' answers, notebooks and other people's programs outlive a move of ours. Each package lists the old names that
such files use; importing one gives the very module that has the new name.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Moved(MetaPathFinder, Loader):
    """Finds a module by its old name. names: old to new, both with their package."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in self.names else None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(self.names[module.__name__])


_finder = _Moved()


def keep_old_names(names: Mapping[str, str]) -> None:
    """Let modules be imported under their old names too. names: old to new, both with their package."""
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)  # first: inside a folder that has moved, the file itself would be found
    _finder.names.update(names)
