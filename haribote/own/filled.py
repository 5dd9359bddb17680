"""A step that runs the learner's kernels where they pass and the course's elsewhere, and what to say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from haribote.answers.resolve import Answer
from haribote.chip.program import Compiled
from haribote.kernel_table import KernelRow
from haribote.own.shares import shares_of
from haribote.own.working import your_kernels

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
            yield f"the course's: {shares.counts('reference')}"
            return
        own = shares.part("yours").tasks
        if own:
            course = [task for task in shares.part("reference").tasks if task not in own]
            rest = f"; the course's run in the place of {len(course)}" if course else ""
            yield f"yours where they pass: {shares.counts('yours')}{rest}"
        else:
            yield f"yours where they pass: none of {len(shares.whole.tasks)} kernels yet; the course's run"
        for task, why in self.kernels.broken.items():
            yield f"the kernel of task {task} does not pass, so the course's runs: {why}"
        if self.kernels.unchecked:
            yield f"right in one quick case, but not checked since the last change: {some(self.kernels.unchecked)}"


def some(names: Sequence[str]) -> str:
    """The names, or the first of them where they are too many to read."""
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMES])}, … and {len(names) - MOST_NAMES} more"
