"""The project's own files as syntax trees, each parsed once in a process."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from simulator.parsing import parsed


@cache
def tree_of(path: Path) -> ast.Module:
    return parsed(path.read_text(encoding="utf-8"))
