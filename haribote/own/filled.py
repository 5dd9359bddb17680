"""A step that runs the learner's kernels where they pass and the course's elsewhere, and what to say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from haribote.answers.resolve import Answer
from haribote.chip.program import Compiled
from haribote.kernel_table import KernelRow
from haribote.own.shares import shares_of
from haribote.own.working import your_kernels
from simulator.messages import tr

MOST_NAMES = 12


class Filled:
    """The learner's kernels with their files as they are now, and the course's where none works."""

    def __init__(self) -> None:
        self.kernels = your_kernels()

    def find(self, row: KernelRow, solutions: bool) -> Answer | None:
        """See `chip.codegen.Find`."""
        return self.kernels.find_or_fill(row, solutions)

    def lines(self, compiled: Compiled) -> Iterator[str]:
        """Whose kernels a compiled step runs, in counts, and which of the learner's do not pass."""
        shares = shares_of(compiled)
        if self.kernels.solutions:
            yield tr("the course's: {value}", shares.counts("reference"))
            return
        own = shares.part("yours").tasks
        if own:
            course = [task for task in shares.part("reference").tasks if task not in own]
            rest = tr("; the course's run in the place of {course}", len(course)) if course else ""
            yield tr("yours where they pass: {value}{rest}", shares.counts("yours"), rest)
        else:
            yield tr("yours where they pass: none of {tasks} kernels yet; the course's run", len(shares.whole.tasks))
        for task, why in self.kernels.broken.items():
            yield tr("the kernel of task {task} does not pass, so the course's runs: {why}", task, why)
        if self.kernels.unchecked:
            yield tr(
                "right in one quick case, but not checked since the last change: {unchecked}",
                some(self.kernels.unchecked),
            )


def some(names: Sequence[str]) -> str:
    """The names, or the first of them where they are too many to read."""
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    return tr("{names}, … and {value} more", ", ".join(names[:MOST_NAMES]), len(names) - MOST_NAMES)
