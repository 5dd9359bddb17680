"""`grader list` and `grader next`: all tasks by the notebook that teaches them, and where to go on.

What it gives is in the language of the moment.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from grader.progress import Progress
from haribote.answers.tasks import LEVELS, ROOT, Task, all_tasks, path_shown
from haribote.own.marks import MEDALS
from haribote.words import word
from simulator.columns import columns, left
from simulator.messages import Text, shown, tr

GENERATED = "≈"
MARKS = {"passed": "✓", "failed": "✗", Text("not checked"): "?", Text("not started"): "·", Text("caught up"): "="}
LEGEND = (
    Text("✓ passed   ✗ failed   ? changed since its check   · not started"),
    Text("= the course's   ≈ by your generator   § section"),
    Text("optional: more of a kind   challenge: hard"),
    Text("par, silver, gold: how short a right answer is, gold is the reference"),
)


def listing(progress: Progress) -> str:
    """Every task under its notebook, with its points and its medal; then the sums and the next task."""
    lines, width = [], max(columns(shown(task.title)) for task in all_tasks())
    for notebook, group in groupby(all_tasks(), key=lambda task: task.notebook):
        tasks = list(group)
        minutes = sum(task.minutes for task in tasks if task.level == "core")
        core = f"{tr('core')}: {hours(minutes)}" if minutes else tr("nothing of the core")
        lines.append(f"{notebook}   {core}")
        lines += [_line(task, progress, width) for task in tasks]
    total, reached = sum(t.points for t in all_tasks()), sum(progress.points(t) for t in all_tasks())
    lines += map(shown, LEGEND)
    lines.append(tr("{reached} of {total} points; {progress}", reached, total, counts(progress)))
    if progress.of_an_older_edition:
        lines.append(
            tr("the course has a new edition, and what you have written goes on working: docs/third_edition.md")
        )
    return "\n".join([*lines, invitation(progress.next_task())])


def counts(progress: Progress) -> str:
    """How many tasks of each level have passed, and the medals: `core 3 of 32, optional 0 of 17, …; 1 gold`."""
    tasks, parts = all_tasks(), []
    for level in LEVELS:
        found = [task for task in tasks if task.level == level]
        passed = sum(progress.state(task) == "passed" for task in found)
        parts.append(f"{word(level)} {passed}{tr(' of ')}{len(found)}")
    medals = Counter(progress.medal(task) for task in tasks)
    won = [f"{medals[medal]} {word(medal)}" for medal in reversed(MEDALS) if medals[medal]]
    return ", ".join(parts) + (f"; {tr('medals')}: {', '.join(won)}" if won else "")


def _line(task: Task, progress: Progress, width: int) -> str:
    """width: columns of the titles."""
    level = "" if task.level == "core" else f"  {word(task.level)}"
    medal = f"  {word(progress.medal(task))}" if progress.medal(task) else ""
    points = f"{progress.points(task):>3}{tr(' of ')}{task.points:<3}"
    time = f"{task.minutes:>3}{tr(' min')}"
    mark = GENERATED if task.id in progress.generated else MARKS[progress.state(task)]
    title = left(shown(task.title), width)
    return f"  {mark} {task.id:<5} §{task.section}  {title} {points} {time}{level}{medal}"


def hours(minutes: int) -> str:
    """Such as `45 min` or `2 h 5 min`."""
    whole, rest = divmod(minutes, 60)
    parts = [f"{whole}{tr(' h')}"] * bool(whole) + [f"{rest}{tr(' min')}"] * bool(rest or not whole)
    return " ".join(parts)


def invitation(task: Task | None) -> str:
    """What to do next, for which task."""
    if task is None:
        return tr("all tasks are done")
    path = path_shown(ROOT / "haribote" / task.file)
    head = tr("next: task {id} ({title}), {level}, {minutes} min", task.id, task.title, word(task.level), task.minutes)
    steps = {"read": shown(task.place), "write": path, "then": f"grader check {task.id}"}
    return "\n".join([head, *(f"  {left(word(step), 5)}  {what}" for step, what in steps.items())])
