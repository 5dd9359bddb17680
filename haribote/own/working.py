"""Which of a learner's kernels work, with the files as they are on disk now, and what runs where they do not.

A kernel works where its last check passed. Where it was not checked since its last change, it must emit good assembly
and give the right result for one set of random values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from haribote.answers.generators import needs_of, not_written
from haribote.answers.ownership import solutions_wanted
from haribote.answers.resolve import Answer, resolve_row
from haribote.answers.tasks import ROOT, find_task
from haribote.answers.verdicts import last_verdict
from haribote.chip.codegen import LeftOut, run_kernel
from haribote.course import reread
from haribote.kernel_table import KERNELS, KernelRow
from haribote.own.quick_check import looked_at, what_is_wrong
from simulator.errors import UserError
from simulator.messages import tr


@dataclass(frozen=True)
class YourKernels:
    """A learner's kernels; with HARIBOTE_SOLUTIONS=1 the reference kernels in their place.

    answers: by the name of a row of the kernel table; None where it is not written. broken: of written tasks that do
    not work, what is wrong. unchecked: tasks, generators too, whose kernels work as far as the quick check tells.
    """

    answers: Mapping[str, Answer | None]
    broken: dict[str, str]
    unchecked: tuple[str, ...]

    @property
    def solutions(self) -> bool:
        """Whether the reference kernels are in the place of the learner's."""
        return any(answer is not None and answer.owner == "reference" for answer in self.answers.values())

    def of(self, owner: str) -> tuple[str, ...]:
        """The tasks whose kernels work and belong to "yours" or "reference"."""
        rows = (row for row in KERNELS if row.task not in self.broken)
        found = dict.fromkeys(row.task for row in rows if (own := self.answers[row.name]) and own.owner == owner)
        return tuple(found)

    def reference(self, row: KernelRow) -> Answer | None:
        """The course's kernel, standing in for the learner's; None where the tree has none."""
        course = resolve_row(row, True)
        if course is None or self.solutions:
            return course
        if row.task in self.broken:
            return replace(course, instead=self.broken[row.task], failing=True)
        return replace(course, instead=not_written(row))

    def find(self, row: KernelRow, _: bool = False) -> Answer | None:
        """Those that work, and nothing else: nodes of the others run on the host. Raises LeftOut for a broken one."""
        if row.task in self.broken:
            raise LeftOut(tr("the kernel of task {task} does not work yet: {broken}", row.task, self.broken[row.task]))
        return self.answers[row.name]

    def find_or_fill(self, row: KernelRow, solutions: bool = False) -> Answer | None:
        """Those that work, and the course's kernel where none does. Raises LeftOut where the course has none either."""
        own = None if row.task in self.broken else self.answers[row.name]
        course = self.reference(row)
        if own is None:
            return course or self.find(row, solutions)
        return replace(own, otherwise=course) if own.owner == "yours" else own


def your_kernels() -> YourKernels:
    """The kernels with the files as they are now."""
    reread()
    answers: dict[str, Answer | None] = {}
    broken: dict[str, str] = {}
    unchecked: list[str] = []
    failing: set[str] = set()
    for row in KERNELS:
        writer = row.task
        try:
            answers[row.name] = answer = resolve_row(row, solutions_wanted())
            if answer is None or answer.owner == "reference":
                continue
            writer = answer.kernel.task
            wrong, quick = _what_is_wrong(row, answer)
        except (Exception, SystemExit) as error:  # whatever a learner's file does when it is loaded
            wrong, quick = _short(error), False
        if wrong:
            broken.setdefault(row.task, wrong)
            failing.add(writer)
        elif quick:
            unchecked.append(writer)
    working = [task for task in dict.fromkeys(unchecked) if task not in failing]
    return YourKernels(answers, broken, tuple(working))


def _what_is_wrong(row: KernelRow, answer: Answer) -> tuple[str, bool]:
    """What is wrong with a kernel, "" for nothing, and whether only the quick check says so."""
    text = "\n".join(run_kernel(answer.kernel, looked_at(row)))
    writer = find_task(answer.kernel.task)
    if writer.id != row.task:  # a generator's text is looked at for each row that it writes, checked or not
        wrong = what_is_wrong(row, text)
        if wrong:
            wrong = tr("what your generator, task {generator}, writes: {wrong}", writer.id, wrong)
        return wrong, any(last_verdict(needed) != "passed" for needed in needs_of(writer))
    verdict = last_verdict(writer)
    if verdict == "passed":
        return "", False
    if verdict == "failed":
        return tr("`grader check {task}` fails", row.task), False
    return what_is_wrong(row, text), True


def _short(error: BaseException) -> str:
    """The first line of what is wrong, with the file as a learner knows it."""
    text = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
    return text.split("\n", 1)[0].replace(f"{ROOT}/", "")
