"""The registry of tasks: whose code answers a task.

`resolve("5.12")` gives the learner's kernel from `haribote/kernels/` where it is written, else None (its node then runs
on the host); with `solutions=True` the reference kernel from `solutions/kernels/`.
"""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass

from haribote.errors import HariboteError
from haribote.kernel import Kernel
from haribote.kernel_table import KERNELS, KernelRow


class UnknownTask(HariboteError):
    """There is no task of this id."""


@dataclass(frozen=True)
class Answer:
    """A kernel and whose it is: "yours" or "reference"."""

    kernel: Kernel
    owner: str


def resolve(task: str, solutions: bool = False) -> Answer | None:
    """The kernel that answers a task, or None where the learner has not written it yet."""
    row = next((row for row in KERNELS if row.task == task), None)
    if row is None:
        raise UnknownTask(f"there is no task {task!r}", f"a task from {KERNELS[0].task} to {KERNELS[-1].task}")
    return resolve_row(row, solutions)


def resolve_row(row: KernelRow, solutions: bool = False) -> Answer | None:
    """The kernel that serves a row of the kernel table, or None where it is not written."""
    package, owner = ("solutions.kernels", "reference") if solutions else ("haribote.kernels", "yours")
    name = f"{package}.{row.module}"
    if importlib.util.find_spec(name) is None:
        return None
    module = importlib.import_module(name)
    found = [item for item in vars(module).values() if isinstance(item, Kernel) and item.task == row.task]
    if not found:
        raise HariboteError(f"{module.__file__}: has no kernel of task {row.task}", f'@kernel("{row.task}", …) on it')
    return Answer(found[0], owner)
