"""`check` beside `grade`: `python -m benchmarks.one_path [TASK …]`, where a sandbox works.

Every task is answered in six ways: right, wrong, by an answer that ends the process, one that patches NumPy, one that
prints, and one that sleeps. State, points and cases must be the same.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grader.checking import check
from grader.course import verdict_hash
from grader.grade.work import Work, grade_one
from grader.running import reference_files
from grader.trials import wrong_of
from haribote.answers.ownership import answer_file
from haribote.answers.tasks import Task, all_tasks, find_task

SEED = 5
_FUTURE = "from __future__ import annotations\n"
BEGINNINGS = {
    "right": "",
    "exits": "import os\nos._exit(0)\n",
    "patches NumPy": "import numpy\nnumpy.array_equal = numpy.allclose = numpy.all = lambda *a, **k: True\n",
    "prints": 'print("{}")\n',
    "sleeps": "import time\ntime.sleep(0.2)\n",
}


def answers(task: Task) -> Iterator[tuple[str, str]]:
    """Names and texts of the answers to a task."""
    source = answer_file(task, solutions=True).read_text(encoding="utf-8")
    for name, beginning in BEGINNINGS.items():
        yield name, source.replace(_FUTURE, _FUTURE + beginning, 1)
    if task.is_kernel:
        yield "wrong", source.replace("    ### END SOLUTION", '    yield "lpassa $lm0v $ln0v"\n    ### END SOLUTION', 1)
    else:
        yield "wrong", source.replace(*wrong_of(task)[0])


def difference(task: Task, text: str, folder: Path) -> str:
    """How `check` and `grade` differ about an answer; "" where they agree."""
    path = folder / Path(task.file).name
    path.write_text(text, encoding="utf-8")
    checked = check(task.id, path=path, seed=SEED, keep=False)
    shared = tuple(sorted(reference_files(text.encode()).items()))
    work = Work("key", "a.zip", task.id, text.encode(), SEED, verdict_hash(), cached=False, shared=shared)
    graded = grade_one(work)
    ours = (checked.state, checked.points, checked.cases, checked.total)
    theirs = (graded["state"], graded["points"], graded["cases"], graded["total"])
    return "" if ours == theirs else f"check {ours}, grade {theirs}: {checked}\n{graded['failure']} {graded['note']}"


def main() -> None:
    """Compare, and say what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK")
    options = parser.parse_args()
    compared = differences = 0
    with tempfile.TemporaryDirectory() as folder:
        for task in [find_task(name) for name in options.tasks] or all_tasks():
            for name, text in answers(task):
                compared += 1
                found = difference(task, text, Path(folder))
                if found:
                    differences += 1
                    print(f"task {task.id}, {name}: {found}", flush=True)
            print(f"task {task.id}: {compared} answers compared, {differences} differences", flush=True)


if __name__ == "__main__":
    main()
