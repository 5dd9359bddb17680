"""How long a notebook takes: reading at 200 words a minute, a look at what each cell shows, and the tasks' minutes.

Of the core, sections that say that they are optional do not count. `python -m notebooks.clock` prints the route through
the core, and after how long one is where.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import ceil
from pathlib import Path

from grader.stubs import lines_left
from haribote.answers.tasks import Task, all_tasks, find_task
from notebooks.form import SOURCE, NotebookError

SMALL = (
    "00_start/01_welcome",
    "00_start/02_first_kernel",
    "01_graphs/01_trace",
    "02_autograd/01_chain_rule",
    "02_autograd/02_gemm",
    "02_autograd/03_training_step",
    "04_memory/01_who_holds_what",
    "04_memory/06_from_graph_to_chip",
    "05_mncore_ops/01_down_and_up",
    "05_mncore_ops/05_the_nop_placer",
    "05_mncore_ops/06_the_mover",
    "05_mncore_ops/07_the_emitter",
    "05_mncore_ops/08_sums_and_products",
    "06_training/01_train",
    "06_training/03_all_yours",
)
"""The notebooks of the core, in their order, up to the small network that trains with everything the learner's."""
CORE = (
    *SMALL,
    "06_training/02_profile",
    "07_speed/01_where_cycles_go",
    "07_speed/02_the_scheduler",
    "07_speed/03_layouts_and_moves",
    "07_speed/04_precision_and_overlap",
)
WORDS_A_MINUTE = 200
CELL_SECONDS = 20
"""For running a cell and looking at what it shows."""
TASK_MINUTES, LINE_MINUTES = 10, 1.4
"""For a task of lines, whatever its size: its contract, its checks; and for each line that is left to write."""
STRETCH = 150
"""Words of the core between two things to do, at most."""
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CELL = re.compile(r"^```python(?! *\npredict\()", re.MULTILINE)  # a prediction is made where its question is read
_WORD = re.compile(r"\w[\w'’.-]*")
_LINK = re.compile(r"\]\([^)]*\)")
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)
_OPTIONAL = re.compile(r"^## .*\(optional|^\*(Optional|A challenge)(?!: the task)", re.MULTILINE)
_ACTION = re.compile(r"^```.*?^```|<details.*?</details>|\*\*Predict|\*\*Write", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^\|.*$", re.MULTILINE)


def reading(notebook: str, core: bool = False) -> int:
    """Minutes for a notebook such as `04_memory/01_who_holds_what`, without its tasks. Raises NotebookError.

    core: without the sections that are optional.
    """
    text = "".join(part for part in _SECTION.split(_text(notebook)) if not (core and _OPTIONAL.search(part)))
    return ceil(words(FENCE.sub("", text)) / WORDS_A_MINUTE + len(_CELL.findall(text)) * CELL_SECONDS / 60)


def words(text: str) -> int:
    """Words of a text; where a link leads to does not count."""
    return len(_WORD.findall(_LINK.sub("]", text)))


def stretches(notebook: str) -> list[tuple[int, str]]:
    """Words from one thing to do (a cell, a question, a task) to the next, and how each stretch begins.

    What is looked up, tables and folded answers, does not count. Raises NotebookError.
    """
    text = "".join(part for part in _SECTION.split(_text(notebook)) if not _OPTIONAL.search(part))
    return [(words(_TABLE.sub("", part)), part.strip()[:60]) for part in _ACTION.split(text)]


def writing(tasks: Iterable[str]) -> int:
    """Minutes for some tasks. Raises UnknownTask."""
    return sum(find_task(task).minutes for task in tasks)


def by_lines(task: Task) -> float:
    """Minutes of a task by the lines that it leaves to write, which the minutes that it names are checked against."""
    return TASK_MINUTES + LINE_MINUTES * lines_left(task)


def core_tasks(notebook: str) -> list[Task]:
    """The tasks of the core that a notebook teaches."""
    return [task for task in all_tasks() if task.notebook == notebook and task.level == "core"]


def _text(notebook: str) -> str:
    path: Path = SOURCE / f"{notebook}.md"
    if not path.is_file():
        raise NotebookError(f"there is no notebook {notebook!r}", "its folder and its name, as in 02_autograd/02_gemm")
    return path.read_text(encoding="utf-8")


def main() -> None:
    """A line for each notebook of the core: minutes of reading and of its tasks, and the hours up to its end."""
    so_far = 0
    for notebook in CORE:
        read, write = reading(notebook, core=True), writing(task.id for task in core_tasks(notebook))
        so_far += read + write
        print(f"{notebook:38} read {read:3}   write {write:4}   up to here {so_far / 60:5.1f} h")


if __name__ == "__main__":
    main()
