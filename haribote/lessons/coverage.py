"""How much of the training step runs on the chip with the kernels that a learner has written so far and that work.

`on_chip()` says and draws it, `train_a_little()` trains with it, `export_answer("5.12")` writes a kernel's answer for
the vendor's public judge. All read the learner's files fresh from disk.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import onnx

from haribote.answers.ownership import solutions_wanted
from haribote.answers.resolve import Answer, resolve_row
from haribote.answers.tasks import ROOT, all_tasks, find_task
from haribote.answers.verdicts import last_verdict
from haribote.chip.codegen import ChipPiece, Find, LeftOut, generate, run_kernel
from haribote.chip.program import TRANSFERS, Compiled, link
from haribote.course import reread
from haribote.errors import NotWritten
from haribote.kernel_table import BY_NAME, KERNELS, KernelRow, problem, rows_of
from haribote.lessons.quick_check import wrong_result
from haribote.network import BATCH, LEARNING_RATE, WIDTHS
from haribote.problems.judging import export_answer
from simulator import SimulatorError, assemble
from simulator.assembly.checks import check
from simulator.errors import UserError

if TYPE_CHECKING:
    from haribote.draw import Svg

__all__ = ["Coverage", "export_answer", "on_chip", "working_kernels"]

MOST_NAMES = 12


@dataclass(frozen=True)
class Bar:
    """One line, and a bar that is filled to a share of 0 to 1."""

    text: str
    share: float

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        box = "height:8px;border-radius:4px"
        return (
            f'<div style="margin:4px 0"><b>{html.escape(self.text)}</b>'
            f'<div style="max-width:40em;{box};background:#8884">'
            f'<div style="width:{100 * self.share:.0f}%;{box};background:#2563eb"></div></div></div>'
        )


@dataclass(frozen=True, eq=False)
class Coverage:
    """What runs where. yours, reference, missing: titles of kernels with their tasks.

    broken: kernels that are written, but fail their check, to what is wrong; their nodes run on the host.
    """

    compiled: Compiled
    yours: tuple[str, ...]
    reference: tuple[str, ...]
    missing: tuple[str, ...]
    broken: dict[str, str]

    @property
    def nodes(self) -> int:
        """Operators of the step that run on the chip, DL and UL not counted."""
        return self.compiled.chip_count

    @property
    def of(self) -> int:
        """Operators of the step that could run on the chip."""
        return self.compiled.node_count

    @property
    def text(self) -> str:
        """The assembly of what runs on the chip. Raises NotWritten where nothing does."""
        if not self.nodes:
            works = "works" if self.broken else "is written"
            raise NotWritten(f"no kernel of the training step {works} yet", "`grader list`")
        return self.compiled.text

    @property
    def picture(self) -> Svg:
        """The graph of the step, coloured by who serves each node."""
        from haribote.draw import svg

        return svg(self.compiled, f"the training step: {self.nodes} of {self.of} nodes on the chip", compact=True)

    @property
    def bar(self) -> Bar:
        """The first line of this, with a bar."""
        return Bar(str(self).split("\n", 1)[0], self.nodes / max(self.of, 1))

    def __str__(self) -> str:
        head = f"{self.nodes} of {self.of} nodes of the training step run on the chip"
        lines = [f"{head}{self._transfers()}"]
        for name, kernels in (("yours", self.yours), ("reference kernels", self.reference), ("missing", self.missing)):
            if kernels:
                lines.append(f"{name} ({len(kernels)}): {_some(kernels)}")
        lines += [f"does not work yet: {kernel}: {why}" for kernel, why in self.broken.items()]
        cost = self.compiled.cost
        if cost.steps:
            lines.append(f"cost per training step: {cost.steps} steps + {cost.moves} MV, {cost.cycles:,.0f} cycles")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        text = "".join(f'<div style="margin:2px 0">{html.escape(line)}</div>' for line in str(self).split("\n")[1:])
        return (
            f'<div style="max-width:60em">{self.bar._repr_html_()}{text}</div>'
            f'<div style="overflow:auto;max-height:70vh">{self.picture.text}</div>'
        )

    def _transfers(self) -> str:
        pieces = [piece for piece in self.compiled.pieces if piece.node.op_type in TRANSFERS]
        if not pieces:
            return ""
        own = sum(isinstance(piece, ChipPiece) for piece in pieces)
        rest = ", the host does the rest" if own < len(pieces) else ""
        return f"; {own} of the {len(pieces)} DL and UL around them are done by kernels{rest}"


def on_chip(tasks: Sequence[str] | None = None) -> Coverage:
    """What of the training step (784-16-10, batch 256) runs on the chip now.

    tasks: as if the kernels of these tasks alone were written, such as ["5.3", "5.9", "5.12"]; for those that are not
    yet, or do not work, the reference kernel stands in.
    """
    find, broken = working_kernels()
    if tasks is not None:
        find, broken = _only(find, {find_task(task).id for task in tasks}), {}
    placed = _placed_step()
    compiled = link(placed, generate(placed, solutions_wanted(), find))
    owners: dict[str, list[str]] = {"yours": [], "reference": [], "": []}
    for task in all_tasks():
        if task.is_kernel and task.id not in broken:
            answer = find(rows_of(task.id)[0], solutions_wanted())
            owners[answer.owner if answer else ""].append(_label(task.id))
    yours, reference, missing = (tuple(owners[owner]) for owner in ("yours", "reference", ""))
    return Coverage(compiled, yours, reference, missing, {_label(task): why for task, why in broken.items()})


def working_kernels() -> tuple[Find, dict[str, str]]:
    """Who gives the kernels, with the files as they are now: those that work.

    The second value says of the others, by task, what is wrong with them; their nodes stay on the host. A kernel works
    where its last check passed. Where it was not checked since its last change, it must emit good assembly and give the
    right result for one set of random values.
    """
    reread()
    answers: dict[str, Answer | None] = {}
    broken: dict[str, str] = {}
    for row in KERNELS:
        try:
            answers[row.name] = _working(row)
        except (Exception, SystemExit) as error:  # whatever a learner's file does when it is loaded
            broken.setdefault(row.task, _short(error))

    def find(row: KernelRow, _: bool) -> Answer | None:
        if row.task in broken:
            raise LeftOut(f"the kernel of task {row.task} does not work yet: {broken[row.task]}")
        return answers[row.name]

    return find, broken


def _working(row: KernelRow) -> Answer | None:
    """The answer to a row if it works. Raises what its file raises, LeftOut or SimulatorError."""
    answer = resolve_row(row, solutions_wanted())
    if answer is None or answer.owner == "reference":
        return answer
    text, verdict = "\n".join(run_kernel(answer.kernel, problem(row))), last_verdict(find_task(row.task))
    if verdict == "failed":
        raise LeftOut(f"`grader check {row.task}` fails")
    if verdict != "passed":
        _require_good(text, row.name)
    return answer


@lru_cache(maxsize=256)  # what a kernel emits stays the same until its file changes
def _require_good(text: str, name: str) -> None:
    """Raise SimulatorError where the assembler or the rules about waiting reject a text, LeftOut for a wrong result."""
    program = assemble(text, filename=f"kernel {name}")
    found = [finding for finding in check(program) if finding.severity == "error"]
    if found:
        raise SimulatorError(f"kernel {name}: line {found[0].line} of its assembly: {found[0].message}")
    wrong = wrong_result(BY_NAME[name], program)
    if wrong:
        raise LeftOut(f"{wrong} (`grader check {BY_NAME[name].task}` says more)")


def _short(error: BaseException) -> str:
    """The first line of what is wrong, with the file as a learner knows it."""
    text = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
    return text.split("\n", 1)[0].replace(f"{ROOT}/", "")


def _some(kernels: Sequence[str]) -> str:
    """The kernels by name, or the first of them where they are too many to read."""
    if len(kernels) <= MOST_NAMES:
        return ", ".join(kernels)
    return f"{', '.join(kernels[:MOST_NAMES])}, … and {len(kernels) - MOST_NAMES} more"


def _only(find: Find, tasks: set[str]) -> Find:
    def found(row: KernelRow, solutions: bool) -> Answer | None:
        if row.task not in tasks:
            return None
        try:
            return find(row, solutions) or resolve_row(row, True)
        except LeftOut:
            return resolve_row(row, True)

    return found


def _label(task: str) -> str:
    return f"{find_task(task).title} ({task})"


@cache
def _placed_step() -> onnx.ModelProto:
    """The training step after the pass `place`; tracing it takes a few seconds, once."""
    from haribote.compiler import lower
    from haribote.frontend.torch import trace_step
    from haribote.training.backends import example_batch
    from haribote.training.models import mlp

    print("tracing the training step, once …", flush=True)
    model = mlp(*WIDTHS)
    return lower(trace_step(model, *example_batch(model, BATCH, LEARNING_RATE)))
