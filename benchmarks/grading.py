"""What a class takes to grade, in time and memory: `python -m benchmarks.grading [--submissions 30] [--workers 2]`.

Every submission has all tasks and no file is like another one's. Of the answers, half differ from the reference in
comments alone, so that they emit the same bytes; with --own-lines there are none of these. Of the rest, three in five
are right but emit bytes of their own (nops before the kernel), two in five are wrong in a way of their own (a line left
out; a deliberate mistake).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import tempfile
import threading
import time
from pathlib import Path

from grader.course import course_hash, verdict_hash
from grader.grade.run import GradeOptions, grade
from grader.sandbox import find_sandbox
from grader.sandbox.tree import course_tree
from grader.sandbox.watch import descendants
from grader.trials import wrong_of
from haribote.answers.tasks import ROOT, Task, all_tasks

_HELPER = re.compile(r"^from solutions\.kernels\.(\w+) import .*\n", re.MULTILINE)
_FUTURE = "from __future__ import annotations\n"
_VARIANT = """

from haribote.kernel import Kernel as _Kernel

_name, _own = next((n, k) for n, k in vars().items() if isinstance(k, _Kernel))


def _lines(op):
    yield from ["nop"] * {nops}
    lines = list(_own.emit(op))
    del lines[len(lines) // 2 : len(lines) // 2 + {dropped}]
    yield from lines


vars()[_name] = _Kernel(_own.task, _own.title, _lines)
"""


def complete(task: Task) -> str:
    """The reference answer as one file, with the helpers that it shares with others."""
    source = (ROOT / "solutions" / task.file).read_text(encoding="utf-8")
    for name in dict.fromkeys(_HELPER.findall(source)):
        helper = (ROOT / "solutions" / "kernels" / f"{name}.py").read_text(encoding="utf-8")
        helper = _HELPER.sub("", helper).replace(_FUTURE, "")
        source = source.replace(_FUTURE, _FUTURE + helper, 1)
    return _HELPER.sub("", source)


def variant(task: Task, source: str, number: int, rng: random.Random, own_lines: bool = False) -> str:
    """An answer like no other. number: of the submission."""
    kind = rng.choices(("comment", "right", "wrong"), (0 if own_lines else 5, 3, 2))[0]
    if kind != "comment" and task.is_kernel:
        source += _VARIANT.format(nops=number + 1, dropped=int(kind == "wrong"))
    elif kind == "wrong":
        old, new = rng.choice(wrong_of(task))
        source = source.replace(old, new)
    return source + f"# written by learner {number}\n"


def make_class(folder: Path, submissions: int, own_lines: bool = False, seed: int = 1) -> None:
    """Write courses' folders with all tasks into a folder."""
    rng = random.Random(seed)
    sources = {task: complete(task) for task in all_tasks()}
    for number in range(submissions):
        for task, source in sources.items():
            path = folder / f"learner{number:03}" / "haribote" / task.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(variant(task, source, number, rng, own_lines), encoding="utf-8")


class Use:
    """What this process and all below it use, of a look each second. Linux.

    bytes: the most memory at once; shared pages are shared out. inside: seconds of the processor in sandboxes, which
    bubblewrap's parent is not told of; what is used after the last look at a process is missing.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self._inside: dict[int, float] = {}  # by bubblewrap's outer process
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    @property
    def inside(self) -> float:
        """Seconds."""
        return sum(self._inside.values())

    def __enter__(self) -> Use:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(1.0):
            below = descendants(os.getpid())
            self.bytes = max(self.bytes, sum(map(_held, (os.getpid(), *below))))
            inside = {pid: descendants(pid) for pid in below if _stat(pid)[:1] == ["bwrap"]}
            for box in inside.keys() - {pid for pids in inside.values() for pid in pids}:
                self._inside[box] = max(self._inside.get(box, 0.0), sum(map(_seconds, inside[box])))


def _stat(pid: int) -> list[str]:
    """The name of a process, then the fields of its /proc/PID/stat from the third one on; [] once it has ended."""
    try:
        _, name, fields = re.split(r"[()]", Path(f"/proc/{pid}/stat").read_text())
    except (OSError, ValueError):
        return []
    return [name, *fields.split()]


def _seconds(pid: int) -> float:
    """Of the processor, with those of its children that have ended and were waited for; 0 once it has ended itself."""
    times = _stat(pid)
    return sum(map(int, times[12:16])) / os.sysconf("SC_CLK_TCK") if times else 0.0


def _held(pid: int) -> int:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:  # it has just ended
        return 0
    found = re.search(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)
    return 1024 * int(found[1]) if found else 0


def main() -> None:
    """Make a class, grade it, say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=30)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--own-lines", action="store_true", help="no answer is another one with other comments")
    parser.add_argument("--seed", type=int, default=1, help="of the class")
    parser.add_argument("--keep", type=Path, help="write class and reports here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        make_class(folder / "class", options.submissions, options.own_lines, options.seed)
        find_sandbox(), [course_tree(task) for task in all_tasks()], course_hash(), verdict_hash()
        start = time.monotonic()
        with Use() as use:
            grade([folder / "class"], GradeOptions(folder / "graded", workers=options.workers, cached=True), print)
        spent, used = time.monotonic() - start, os.times()
        work = (used.children_user + used.children_system + use.inside) / options.submissions
        print(
            f"{options.submissions} submissions, {options.workers} workers: {spent:.0f} s; of each submission ", end=""
        )
        print(
            f"{work:.1f} s of processor time in workers and sandboxes, {use.inside / options.submissions:.1f} s of it ",
            end="",
        )
        print(f"in sandboxes; at most {use.bytes / 2**30:.1f} GiB of memory")


if __name__ == "__main__":
    main()
