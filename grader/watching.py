"""`grader watch`: check a task whenever its file is saved; keys for a hint, the next task and the end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from grader.checking import check
from grader.progress import Progress
from grader.translations import texts_of
from haribote.answers.ownership import is_written
from haribote.answers.tasks import ROOT, Task, path_shown
from simulator.messages import Text, tr

POLL = 0.3  # seconds between two looks at a watched file
RULE = "─" * 20

Event = Literal["now", "saved", "hint", "next", "quit"]
KEYS: dict[str, Event] = {"h": "hint", "n": "next", "q": "quit"}
HELP = Text("keys: h a hint, n the next task, q the end")


def watch(task: Task | None, events: Callable[[Path], Iterator[Event]], root: Path = ROOT) -> Iterator[str]:
    """Check `task` on every save of its file until it passes, then go on; the lines to show. events: of a file, first
    "now".
    """
    while task is not None:
        path = root / "haribote" / task.file
        yield tr(
            "{rule} task {id} ({title}), {place}\nwatching {path}; {help}",
            rule=RULE,
            id=task.id,
            title=task.title,
            place=task.place,
            path=path_shown(path),
            help=HELP,
        )
        for event in events(path):
            if event == "quit":
                return
            if event == "hint":
                yield _hint(task, Progress(root))
            elif event == "next":
                break
            elif not is_written(path):
                yield tr("waiting until it is written")
            else:
                yield f"{RULE} {time.strftime('%H:%M:%S')}"
                result = check(task.id, path=path)
                yield from result.lines(brief=True)
                Progress(root).record(result)
                if result.passed:
                    break
        else:
            return
        skipped = task if event == "next" else None
        task = Progress(root).next_task(skipped)
    yield tr("all tasks are done")


def _hint(task: Task, progress: Progress) -> str:
    number = progress.next_hint(task)
    progress.record_hint(task)
    return texts_of(task).hint(number)


def events_of(path: Path) -> Iterator[Event]:
    """Saves of a file and keys of the terminal, as they come, without end."""
    with _keys() as pressed:
        before = _stamp(path)
        yield "now"
        while True:
            now = _stamp(path)
            if now is not None and now != before:
                yield "saved"
            before = now
            event = KEYS.get(pressed(POLL).lower())
            if event is not None:
                yield event


def _stamp(path: Path) -> tuple[int, int] | None:
    status = path.stat() if path.is_file() else None
    return status and (status.st_mtime_ns, status.st_size)


@contextmanager
def _keys() -> Iterator[Callable[[float], str]]:
    """A function that waits for so many seconds and gives the key pressed meanwhile, "" for none. Only where the input
    is a terminal; elsewhere it waits.
    """
    if not sys.stdin or not sys.stdin.isatty() or os.name == "nt":
        yield _no_key
        return
    import select
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)

    def pressed(seconds: float) -> str:
        ready, _, _ = select.select([descriptor], [], [], seconds)
        return os.read(descriptor, 1).decode(errors="replace") if ready else ""

    try:
        tty.setcbreak(descriptor, termios.TCSANOW)  # Ctrl-C still stops
        yield pressed
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _no_key(seconds: float) -> str:
    time.sleep(seconds)
    return ""
