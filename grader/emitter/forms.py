"""What the emitter does for each task: call the learner's function on what is given, make plain values of the rest.

A task's form is in the module named after its theme (`s02_autograd.py` for tasks 2.1 to 2.5), in its FORMS; further
modules may share a theme (`s04_assembly.py`). To add one: a function `(function, given) -> answer`, entered in FORMS.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from grader.emitter.values import Value, Values
from haribote.answers.tasks import Task
from haribote.errors import HariboteError
from simulator.messages import tr

Function = Callable[..., Any]
Form = Callable[[Function, Values], dict[str, Value]]
"""(the learner's function, given) -> answer. The function is guarded: what it raises is told with file and line."""

FURTHER = {
    "04_memory": ("s04_assembly", "s04_passes", "s04_puzzles"),
    "05_mncore_ops": ("s05_nops", "s05_moves", "s05_generators"),
    "07_speed": ("s07_scheduler", "s07_layouts", "s07_overlap"),
}


def form_of(task: Task) -> Form:
    """The form of a task that is no kernel. Raises HariboteError where it has none."""
    for module in stage_modules("grader.emitter", task):
        if task.id in module.FORMS:
            form: Form = module.FORMS[task.id]
            return form
    raise HariboteError(
        tr("task {id} has no form", task.id), tr("add it to FORMS of grader/emitter/s{theme}.py", task.theme)
    )


def stage_modules(package: str, task: Task) -> Iterator[ModuleType]:
    """The modules of a task's theme in a package (`grader.emitter`, `grader.trials`)."""
    for name in (f"s{task.theme}", *FURTHER.get(task.theme, ())):
        if importlib.util.find_spec(f"{package}.{name}"):
            yield importlib.import_module(f"{package}.{name}")
