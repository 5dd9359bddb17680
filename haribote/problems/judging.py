"""A kernel's answer in the form that the vendor's public judge accepts: written to a file, and judged by our own judge.

The public problem set gives an operator's inputs at the first addresses of LM0 or DRAM and takes the output from the
start of LM1, LM0 (DL) or DRAM. Where a test case of that set is at hand (HARIBOTE_SHARED names the folder that has
`golden/`), the answer is judged by it, else by a case with random values that `judge_case` makes.
"""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from haribote.answers.ownership import solutions_wanted
from haribote.answers.tasks import ROOT, find_task
from haribote.course import reread
from haribote.errors import HariboteError
from haribote.kernel_table import KernelRow, rows_of
from haribote.problems.judge_case import judge_case
from haribote.problems.problem import Header, answer_to, emit, judge_problem, read_header, rows_named
from simulator import SimulatorError
from simulator.files import write_file
from simulator.judge.verdict import Verdict, judge
from simulator.messages import say, tr

FOLDER = ROOT / "runs" / "judge"


@dataclass(frozen=True)
class Judged:
    """One answer: its file, the case it was judged by (a golden file's name, or ""), the judge's finding."""

    row: KernelRow
    file: Path
    golden: str
    verdict: Verdict | None
    mistake: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the judge takes the answer."""
        return self.verdict is not None and self.verdict.accepted

    def __str__(self) -> str:
        by = tr("the test case {golden}", self.golden) if self.golden else tr("a case with random values")
        public = (
            tr("problem {testcase} of the public set", self.row.testcase)
            if self.row.testcase
            else tr("not in the public set")
        )
        wrote = tr("{name} ({public}): wrote {file}", self.row.name, public, _path(self.file))
        said = self.verdict.message if self.verdict else self.mistake
        return f"{wrote}\n    {tr('judged by {by}: {said}', by, said)}"


@dataclass(frozen=True)
class Export:
    """The answers of a task, one per kernel of the table; for people to read."""

    judged: tuple[Judged, ...]

    @property
    def accepted(self) -> bool:
        """Whether the judge takes all of them."""
        return all(answer.accepted for answer in self.judged)

    def __str__(self) -> str:
        return "\n".join(map(str, self.judged))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def export_answer(task: str, solutions: bool | None = None) -> Export:
    """Write the answers to a kernel task into `runs/judge` and judge them, with the learner's file as it is now.

    solutions: the reference kernel instead of the learner's (as with HARIBOTE_SOLUTIONS=1).

    Raises UnknownTask, NotWritten, what the kernel raises, and HariboteError where the task is not a kernel.
    """
    found = find_task(task)
    if not found.is_kernel:
        raise HariboteError(tr("task {task} ({title}) is not a kernel", task, found.title), 'export_answer("5.12")')
    reread()
    wanted = solutions_wanted(solutions)
    return Export(tuple(export_row(row, wanted) for row in rows_of(found.id)))


def judge_kernels(names: Sequence[str], solutions: bool) -> int:
    """Write, judge and print the answers of the named kernels; exit status 0 where all are accepted, else 1."""
    judged = [export_row(row, solutions) for row in rows_named(names)]
    say(*judged, sep="\n")
    return 0 if all(answer.accepted for answer in judged) else 1


def export_row(row: KernelRow, solutions: bool, folder: Path = FOLDER) -> Judged:
    """Write and judge the answer of one row of the kernel table. Raises NotWritten and what the kernel raises."""
    golden = golden_of(row)
    if golden is None:
        op, case = judge_problem(row), None
    else:
        header: Header = read_header(golden)
        op, case = answer_to(row, header), golden.read_text()
    text = emit(row, op, solutions)
    path = folder / f"{row.testcase or row.name}.vsm"
    write_file(path, text.encode())
    name = golden.name if golden else ""
    try:
        verdict = judge(case or judge_case(row, op), text, name or "<test case>", _path(path))
    except SimulatorError as error:
        return Judged(row, path, name, None, f"REJECTED {error}")
    return Judged(row, path, name, verdict)


def golden_of(row: KernelRow) -> Path | None:
    """The public set's test case of a row, where HARIBOTE_SHARED names a folder that has it."""
    shared = os.environ.get("HARIBOTE_SHARED")
    if not shared or not row.testcase:
        return None
    path = Path(shared) / "golden" / f"{row.testcase}.vsm"
    return path if path.is_file() else None


def _path(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
