"""Whose code answers a task.

`resolve("5.12")` gives the learner's code where it is written. Where it is not: for a kernel nothing (its node then
runs on the host), for a task that the product does not need nothing, for any other the course's answer. With
`solutions=True`, or HARIBOTE_SOLUTIONS=1 in the environment, it gives the reference answer.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

from haribote.answers.generators import generator, generator_for
from haribote.answers.ownership import (
    function_in,
    is_written,
    learners_function,
    reference_function,
    solutions_wanted,
)
from haribote.answers.tasks import ROOT, current_id, find_task
from haribote.errors import HariboteError
from haribote.kernel import Kernel
from haribote.kernel_table import KernelRow, rows_of
from simulator.messages import tr


@dataclass(frozen=True)
class Answer:
    """A kernel and whose it is.

    instead: why this one, of the course, stands in for the learner's; "" where it does not. failing: theirs is written,
    but does not work. otherwise: what stands in where this kernel refuses an operator.
    """

    kernel: Kernel
    owner: Literal["yours", "reference"]
    instead: str = ""
    failing: bool = False
    otherwise: Answer | None = None


@dataclass(frozen=True)
class Function:
    """The function that answers a task of another stage, and whose it is."""

    function: Callable[..., Any]
    owner: Literal["yours", "reference", "product"]


def resolve(task: str, solutions: bool | None = None) -> Answer | Function | None:
    """The code that answers a task, or None where the learner has not written it yet and the product has none.

    solutions: the reference answers; None = what HARIBOTE_SOLUTIONS says. Raises UnknownTask.
    """
    found = find_task(task)
    if found.is_kernel:
        return resolve_row(rows_of(found.id)[0], solutions)
    if found.shared:
        reference = solutions_wanted(solutions)
        function = generator(found.id, reference)
        return Function(function, "reference" if reference else "yours") if function else None
    if solutions_wanted(solutions):
        return Function(function_in("solutions", found), "reference")
    theirs = learners_function(found.id)
    if theirs:
        return Function(theirs, "yours")
    return Function(reference_function(found.id), "product") if found.product else None


OWN_KERNELS: dict[str, Kernel] = {}
"""Kernels of operators that are not the course's, by their row's name; see `haribote.extend`."""


def resolve_row(row: KernelRow, solutions: bool | None = None) -> Answer | None:
    """The kernel that serves a row of the kernel table, or None where it is not written; solutions as in `resolve`.

    The learner's kernel, else what their generator writes: the answer's kernel then names the generator's task.
    """
    if row.name in OWN_KERNELS:
        return Answer(OWN_KERNELS[row.name], "yours")
    solutions = solutions_wanted(solutions)
    package: Literal["solutions", "haribote"] = "solutions" if solutions else "haribote"
    if not is_written(ROOT / package / "kernels" / f"{row.module}.py"):
        generated = None if solutions else generator_for(row)
        return Answer(generated, "yours") if generated else None
    module = importlib.import_module(f"{package}.kernels.{row.module}")
    return Answer(kernel_in(module, row.task), "reference" if solutions else "yours")


def kernel_in(module: ModuleType, task: str) -> Kernel:
    """The kernel of a task in a module. Raises HariboteError where it has none."""
    found = [item for item in vars(module).values() if isinstance(item, Kernel) and current_id(item.task) == task]
    if not found:
        raise HariboteError(
            tr("{file}: has no kernel of task {task}", module.__file__, task), tr('@kernel("{task}", …) on it', task)
        )
    return found[0]
