"""A learner's kernels for tests: given lines, or the course's own kernel as if it were theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from haribote.answers.resolve import Answer, resolve_row
from haribote.kernel import Kernel, Op
from haribote.kernel_table import KERNELS, KernelRow
from haribote.own import quick_check, working

STEP = len({row.task for row in KERNELS}) - 1
"""Kernels of the training step at -O0: all but DL 1024x16."""
Emit = Callable[[Op], Iterator[str]]


def lines(*given: str) -> Emit:
    """A kernel that yields these lines whatever it is asked."""
    return lambda op: iter(given)


def writes(monkeypatch: pytest.MonkeyPatch, **kernels: Emit | None) -> None:
    """As if a learner had written the kernels of these rows and no others; None: as the course does."""

    def found(row: KernelRow, solutions: bool | None = None) -> Answer | None:
        course = resolve_row(row, True)
        if solutions or course is None:
            return course
        emit = kernels.get(row.name)
        own = course if emit is None else Answer(Kernel(row.task, row.name, emit), "reference")
        return replace(own, owner="yours") if row.name in kernels else None

    monkeypatch.delenv("HARIBOTE_SOLUTIONS", raising=False)
    monkeypatch.setattr(working, "resolve_row", found)
    monkeypatch.setattr(working, "last_verdict", lambda task: "")
    monkeypatch.setattr(quick_check, "_keep", lambda path, key, said: None)
    monkeypatch.setattr(quick_check, "_kept", lambda path: {})
