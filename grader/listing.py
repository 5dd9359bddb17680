"""`grader list` and `grader next`: all tasks by the notebook that teaches them, and where to go on."""

from __future__ import annotations

from itertools import groupby

from grader.emitter.loading import shown
from grader.progress import Progress
from haribote.answers.tasks import ROOT, Task, all_tasks

MARKS = {"passed": "✓", "failed": "✗", "not checked": "?", "not started": "·"}
LEGEND = "✓ passed   ✗ failed   ? changed since its check   · not started   § section of the notebook"


def listing(progress: Progress) -> str:
    """Every task under its notebook, with its points; then the sums and the next task."""
    lines = []
    for notebook, group in groupby(all_tasks(), key=lambda task: task.notebook):
        tasks = list(group)
        minutes = sum(task.minutes for task in tasks if task.level == "core")
        lines.append(f"{notebook}" + (f"   core: {hours(minutes)}" if minutes else "   nothing of the core"))
        lines += [_line(task, progress) for task in tasks]
    total, reached = sum(t.points for t in all_tasks()), sum(progress.points(t) for t in all_tasks())
    lines += [LEGEND, f"{reached} of {total} points", invitation(progress.next_task())]
    return "\n".join(lines)


def _line(task: Task, progress: Progress) -> str:
    level = "" if task.level == "core" else f"  {task.level}"
    points = f"{progress.points(task):>3} of {task.points:<3}"
    mark = MARKS[progress.state(task)]
    return f"  {mark} {task.id:<5} §{task.section}  {task.title:<26} {points} {task.minutes:>4} min{level}"


def hours(minutes: int) -> str:
    """Such as `45 min` or `2 h 5 min`."""
    whole, rest = divmod(minutes, 60)
    return " ".join([f"{whole} h"] * bool(whole) + [f"{rest} min"] * bool(rest or not whole))


def invitation(task: Task | None) -> str:
    """What to do next, for which task."""
    if task is None:
        return "all tasks are done"
    path = shown(ROOT / "haribote" / task.file)
    return (
        f"next: task {task.id} ({task.title}), {task.level}, {task.minutes} min\n"
        f"  read   {task.place}\n  write  {path}\n  then   grader check {task.id}"
    )
