"""How long a notebook takes: reading at 200 words a minute, a look at what each cell shows, and the tasks' minutes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import ceil

from haribote.answers.tasks import all_tasks, find_task
from notebooks.form import SOURCE, NotebookError

WORDS_A_MINUTE = 200
CELL_SECONDS = 20
"""For running a cell and looking at what it shows."""
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CELL = re.compile(r"^```python", re.MULTILINE)
_WORD = re.compile(r"\w[\w'’.-]*")
_LINK = re.compile(r"\]\([^)]*\)")


def reading(notebook: str) -> int:
    """Minutes for a notebook such as `04_memory/01_who_holds_what`, without its tasks. Raises NotebookError."""
    path = SOURCE / f"{notebook}.md"
    if not path.is_file():
        raise NotebookError(f"there is no notebook {notebook!r}", "its folder and its name, as in 02_autograd/02_gemm")
    text = path.read_text(encoding="utf-8")
    words = len(_WORD.findall(_LINK.sub("]", _FENCE.sub("", text))))
    return ceil(words / WORDS_A_MINUTE + len(_CELL.findall(text)) * CELL_SECONDS / 60)


def writing(tasks: Iterable[str]) -> int:
    """Minutes for some tasks. Raises UnknownTask."""
    return sum(find_task(task).minutes for task in tasks)


def main() -> None:
    """A line for each notebook: minutes of reading, of its core tasks, and of all its tasks."""
    for path in sorted(SOURCE.glob("*/*.md")):
        notebook = path.relative_to(SOURCE).as_posix().removesuffix(".md")
        if notebook.endswith(".ja"):
            continue
        tasks = [task for task in all_tasks() if task.notebook == notebook]
        core = sum(task.minutes for task in tasks if task.level == "core")
        print(f"{notebook:38} read {reading(notebook):3}   core {core:4}   all {sum(t.minutes for t in tasks):4}")


if __name__ == "__main__":
    main()
