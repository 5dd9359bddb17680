"""The learner's own compiler: their files in the order of the pipeline, how long they are, what each did in a run."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from haribote.answers.generators import needs_of
from haribote.answers.given import given
from haribote.answers.ownership import answer_file, is_caught_up, is_written
from haribote.answers.tasks import ROOT, Task, all_tasks
from haribote.own.ledger import GENERATORS, KERNELS, MEASURES, PARTS, Entry, Ledger
from haribote.own.shares import per_cent
from haribote.words import word
from simulator.columns import aligned
from simulator.files import write_file
from simulator.messages import joined, tr

RUN = Path("runs/sim")
"""Where `haribote train --backend sim` puts a run, in the folder in which it is called."""
FILE = "ledger.json"
"""Beside the checkpoint of a run: its ledger, which tells here what each part did."""
PUZZLES = ("4.2", "4.3", "4.4", "4.5")
"""Exercises of stage 04, which no run calls."""


@dataclass(frozen=True)
class Mine:
    """One file of the learner's compiler. lines: of code that they have written, without blank lines, comments and
    docstrings; given: those of the task's frame, which were there. entries: what the last run said of it.
    """

    part: str
    task: Task
    lines: int
    given: int
    entries: tuple[Entry, ...] = ()


def keep_ledger(ledger: Ledger, folder: Path) -> None:
    """Write what a run's ledger says beside its checkpoint. Raises FileError."""
    write_file(folder / FILE, (json.dumps(asdict(ledger), indent=0) + "\n").encode())


def forget_ledger(folder: Path) -> None:
    """Remove the ledger of an earlier run in a folder, which the checkpoint there is no longer of."""
    with suppress(OSError):  # where it cannot be removed the checkpoint cannot be written either, which says so
        (folder / FILE).unlink(missing_ok=True)


def kept_ledger(folder: Path) -> Ledger | None:
    """The ledger of the last run in a folder; None where there is none, or it cannot be read."""
    try:
        kept = json.loads((folder / FILE).read_text(encoding="utf-8"))
        kept = kept if isinstance(kept, dict) else {"entries": kept}  # a list of entries, as it was once
        return Ledger(**kept | {"entries": tuple(Entry(**entry) for entry in kept["entries"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def last_run() -> Path:
    """The folder of the last run here or in the course's folder, where a terminal is while a notebook is elsewhere."""
    found = [folder / FILE for folder in (RUN, ROOT / RUN) if (folder / FILE).is_file()]
    return max(found, key=lambda path: path.stat().st_mtime).parent if found else RUN


def code_lines(text: str) -> Counter[str]:
    """Lines of code in a Python file, and how often each stands there: neither blank, nor comment, nor docstring.

    Nothing for what Python does not read.
    """
    try:
        module = ast.parse(text.lstrip("\ufeff"))
    except (SyntaxError, ValueError):
        return Counter()
    texts = {
        line
        for node in ast.walk(module)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = ((n, line.strip()) for n, line in enumerate(text.splitlines(), 1))
    return Counter(line for n, line in lines if line and not line.startswith("#") and n not in texts)


def part_of_task(task: Task) -> str:
    """The part of the compiler that a task's answer is; "" for an exercise that no run calls."""
    if task.is_kernel:
        return KERNELS
    if task.shared:
        return GENERATORS
    return next((part for part, tasks in PARTS.items() if task.id in tasks), "")


def my_compiler(ledger: Ledger | None = None, root: Path = ROOT) -> list[Mine]:
    """The learner's files, in the order of the pipeline; those that they have not written, or that were filled in, not.

    ledger: of the last run.
    """
    order, found = [*PARTS], []
    for task in all_tasks():
        path, part = answer_file(task, solutions=False, root=root), part_of_task(task)
        if part and is_written(path) and not is_caught_up(path):
            lines = code_lines(path.read_text(encoding="utf-8", errors="replace"))
            own = lines - code_lines(given(task))
            entries = ledger.entries if ledger else ()
            did = tuple(entry for entry in entries if (entry.task, entry.owner) == (task.id, "yours"))
            found.append(Mine(part, task, own.total(), lines.total() - own.total(), did))
    return sorted(found, key=lambda mine: order.index(mine.part))


def mine_lines(folder: Path, root: Path = ROOT) -> Iterator[str]:
    """What `haribote mine` prints. folder: of the run to speak of."""
    ledger = kept_ledger(folder)
    found = my_compiler(ledger, root)
    if not found:
        yield tr("no part of the compiler is yours yet; `grader list` shows where to begin")
        return
    head = list(map(word, ["part", "task", "file", "lines", "given", "did"]))
    rows = [[word(it.part), it.task.id, it.task.file, str(it.lines), str(it.given), _did(it, ledger)] for it in found]
    yield from aligned([head, *rows])
    yield tr(
        "your compiler: {found} files, {value} lines of code that you have written, {given} that were given",
        len(found),
        sum(it.lines for it in found),
        sum(it.given for it in found),
    )
    if ledger is None:
        yield tr("no run is known in {folder}; `haribote train --network small --backend sim` makes one", folder)
        return
    shares = [f"{per_cent(ledger.share(m))} {word(m)}" for m in MEASURES if ledger.total(m)]
    if shares:
        yield tr("the last run, in {folder}, was yours to {shares}", folder, ", ".join(shares))
    else:
        yield tr("in the last run, in {folder}, nothing ran on the chip", folder)
    yield from filter(None, (ledger.missing_line(), ledger.mark_line()))


def _did(mine: Mine, ledger: Ledger | None) -> str:
    """Calls, and shares of the step where there are any: `36 calls, 71 % words, 12 % cycles`. Of a file that others
    import, what they are: `part of 5.40, 5.41`.
    """
    if ledger is None:
        return ""
    if not mine.entries:
        ran = dict.fromkeys(entry.task for entry in ledger.entries if entry.owner == "yours")
        users = [task.id for task in all_tasks() if task.id in ran and task.shared and mine.task in needs_of(task)]
        return tr("part of {tasks}", ", ".join(users)) if users else ""
    calls = sum(entry.calls for entry in mine.entries)
    said = [f"{calls} {word('calls')}"]
    for measure in ("nodes", "words", "cycles"):
        part, whole = sum(getattr(entry, measure) for entry in mine.entries), ledger.total(measure)
        if part and whole:
            said.append(f"{per_cent(part / whole)} {word(measure)}")
    return joined(*said)
