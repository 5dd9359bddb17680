"""How much of the training step runs on the chip by a learner's own kernels, those that are written and work.

Where the learner has none yet, the course's kernel runs in its place, so that the whole step is on the chip.
`on_chip()` says and draws it, `export_answer("5.12")` writes a kernel's answer for the vendor's public judge. Both read
the learner's files fresh from disk.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

import onnx

from haribote.answers.ownership import solutions_wanted
from haribote.answers.resolve import Answer
from haribote.answers.tasks import all_tasks, find_task
from haribote.chip.codegen import ChipPiece, Find, Piece, generate
from haribote.chip.program import MOVES, Compiled, link
from haribote.errors import NotWritten
from haribote.kernel_table import KernelRow
from haribote.lessons.bar import Bar
from haribote.network import BATCH, LEARNING_RATE, WIDTHS
from haribote.own.filled import some
from haribote.own.shares import Shares, shares_of
from haribote.own.working import YourKernels, your_kernels
from haribote.problems.judging import export_answer
from haribote.words import word
from simulator.messages import Text, say, shown, tr

if TYPE_CHECKING:
    from haribote.draw import Picture

__all__ = ["Coverage", "export_answer", "on_chip"]


@dataclass(frozen=True, eq=False)
class Coverage:
    """What runs where, and whose it is.

    compiled: the whole step. find: who gives its kernels. kernels: what the learner has. asked: the tasks that are
    taken for the learner's in place of what they have; None for what they have.
    """

    compiled: Compiled
    find: Find
    kernels: YourKernels
    asked: tuple[str, ...] | None = None

    @cached_property
    def shares(self) -> Shares:
        """Whose kernels do how much of the step; "yours" are the learner's own, or those that were asked for."""
        return shares_of(self.compiled)

    @property
    def yours(self) -> tuple[str, ...]:
        """The learner's own kernels that work, with their tasks, or those that were asked for; some may have no node in
        this step.
        """
        return _labels(self.asked if self.asked is not None else self.kernels.of("yours"))

    @property
    def reference(self) -> tuple[str, ...]:
        """The kernels of the course that run in this step."""
        return _labels(self.shares.part("reference").tasks)

    @property
    def broken(self) -> dict[str, str]:
        """Kernels that are written but do not work, to what is wrong; the course's run in their place."""
        return {} if self.asked is not None else {_label(task): why for task, why in self.kernels.broken.items()}

    @property
    def nodes(self) -> int:
        """Operators of the step that run on the chip, DL and UL not counted."""
        return self.compiled.chip_count

    @property
    def of(self) -> int:
        """Operators of the step that could run on the chip."""
        return self.compiled.node_count

    @property
    def computed(self) -> int:
        """Operators that the learner's kernels compute, whoever brings their operands."""
        return sum(_is_yours(piece) and piece.node.op_type not in MOVES for piece in self.compiled.pieces)

    @property
    def all_yours(self) -> int:
        """Operators that the learner's kernels alone bring down, compute and bring up."""
        return sum(all(map(_is_yours, group)) for group in _groups(self.compiled.pieces))

    @property
    def text(self) -> str:
        """The assembly of what runs on the chip. Raises NotWritten where nothing does."""
        if not self.nodes:
            raise NotWritten(tr("no kernel of the training step is written yet"), "`grader list`")
        return self.compiled.text

    @cached_property
    def own(self) -> Compiled:
        """The step as it would run with the kernels that are "yours" alone; all other nodes run on the host."""

        def only(row: KernelRow, solutions: bool) -> Answer | None:
            answer = self.find(row, solutions)
            return answer if answer is not None and answer.owner == "yours" else None

        placed = _placed_step()
        return link(placed, generate(placed, False, only))

    @property
    def picture(self) -> Picture:
        """The graph of the step; colour, letter and frame of a node say whose kernel runs there."""
        from haribote.draw import svg

        counts = re.split("[,;]", self.head)[0]
        return svg(self.compiled, tr("the training step, {counts}", counts), compact=True)

    @property
    def head(self) -> str:
        """One line: how much of the step is whose."""
        shares = self.shares
        if self.asked is not None:
            many, counts = len(self.asked), shares.counts("yours")
            return (
                tr("with this task: {counts}", counts)
                if many == 1
                else tr("with these {many} tasks: {counts}", many, counts)
            )
        if self.kernels.solutions:
            return tr("the course's: {value}", shares.counts("reference"))
        if not shares.part("yours").tasks:
            return tr("yours: none of {tasks} kernels yet; the course's run until yours pass", len(shares.whole.tasks))
        return f"yours: {shares.counts('yours')}"

    @property
    def bar(self) -> Bar:
        """The first line of this, with bars."""
        owner = "reference" if self.asked is None and self.kernels.solutions else "yours"
        shares = {Text("words moved"): self.shares.words(owner), word("steps"): self.shares.steps(owner)}
        return Bar(self.head, shares)

    def __str__(self) -> str:
        lines = [self.head, self._nodes()]
        if self.yours:
            lines.append(f"yours ({len(self.yours)}): {some(self.yours)}")
        lines += [
            tr("does not pass, so the course's runs: {kernel}: {why}", kernel, why)
            for kernel, why in self.broken.items()
        ]
        if self.asked is None and self.kernels.unchecked:
            unchecked = some(_labels(self.kernels.unchecked))
            lines.append(tr("right in one quick case, but not checked since the last change: {unchecked}", unchecked))
        if self.reference:
            lines.append(
                tr("the course's kernels ({reference}): {reference2}", len(self.reference), some(self.reference))
            )
        cost = self.compiled.cost
        if cost.steps:
            course = (
                tr("; with the course's kernels alone {course_cycles:,.0f}", _course_cycles()) if self.yours else ""
            )
            lines.append(
                tr(
                    "cost per training step: {steps:,} steps + {moves} MV, {cycles:,.0f} cycles{course}",
                    cost.steps,
                    cost.moves,
                    cost.cycles,
                    course,
                )
            )
        return "\n".join(map(shown, lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        text = "".join(f'<div style="margin:2px 0">{html.escape(line)}</div>' for line in str(self).split("\n")[1:])
        return (
            f'<div style="max-width:60em">{self.bar._repr_html_()}{text}</div>'
            f'<div style="overflow:auto;max-height:70vh">{self.picture._repr_html_()}</div>'
        )

    def _nodes(self) -> str:
        """How many nodes run on the chip, and how many of them are the learner's, with and without transfers."""
        head = tr("{nodes} of {of} nodes of the training step run on the chip", self.nodes, self.of)
        if self.asked is None and self.kernels.solutions:
            return head
        whose = tr("your kernels") if self.asked is None else tr("these kernels")
        return tr(
            "{head}; {whose} compute {computed} of them, {all_yours} with all the DL and UL around them",
            head,
            whose,
            self.computed,
            self.all_yours,
        )


def on_chip(tasks: Sequence[str] | None = None) -> Coverage:
    """What of the training step (784-16-10, batch 256) runs on the chip, and by whose kernels.

    tasks: as if the kernels of these tasks alone were the learner's, such as ["5.3", "5.9", "5.12"]; for those that are
    not yet, or do not work, the reference kernel stands in.
    """
    kernels = your_kernels()
    asked = None if tasks is None else tuple(find_task(task).id for task in tasks)
    find: Find = kernels.find_or_fill if asked is None else _as_if(kernels, asked)
    placed = _placed_step()
    return Coverage(link(placed, generate(placed, solutions_wanted(), find)), find, kernels, asked)


def _as_if(kernels: YourKernels, tasks: Sequence[str]) -> Find:
    """As if these tasks alone were the learner's."""

    def found(row: KernelRow, solutions: bool) -> Answer | None:
        if row.task in tasks:
            answer = kernels.find_or_fill(row, solutions)
            return answer and replace(answer, owner="yours", instead="", failing=False)
        course = kernels.reference(row)
        return course and replace(course, instead=tr("it is not among these tasks"), failing=False)

    return found


def _groups(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """An operator with the DL before and the UL behind it, each; without what the host does."""
    groups: list[list[Piece]] = [[]]
    for piece in pieces:
        last = groups[-1][-1].node.op_type if groups[-1] else "DL"
        if last != "DL" and piece.node.op_type != "UL":
            groups.append([])
        groups[-1].append(piece)
    return groups


def _is_yours(piece: Piece) -> bool:
    return isinstance(piece, ChipPiece) and piece.owner == "yours"


def _labels(tasks: Iterable[str]) -> tuple[str, ...]:
    """The tasks by title, in the order of the course."""
    wanted = set(tasks)
    return tuple(_label(task.id) for task in all_tasks() if task.id in wanted)


def _label(task: str) -> str:
    return f"{shown(find_task(task).title)} ({task})"


@cache
def _course_cycles() -> float:
    """What a step costs with the course's kernels alone, in cycles."""
    placed = _placed_step()
    return link(placed, generate(placed, True)).cost.cycles


@cache
def _placed_step() -> onnx.ModelProto:
    """The training step after the pass `place`; tracing it takes a few seconds, once."""
    from haribote.compiler import lower
    from haribote.frontend.torch import trace_step
    from haribote.training.backends import example_batch
    from haribote.training.models import mlp

    say(tr("tracing the training step, once …"), flush=True)
    model = mlp(*WIDTHS)
    return lower(trace_step(model, *example_batch(model, BATCH, LEARNING_RATE)))
