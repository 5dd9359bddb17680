"""The board of stage 07: what a whole training step costs, at every level, by hand, and with your own work.

haribote board        the same in a shell
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from haribote.answers.ownership import answer_file
from haribote.answers.resolve import resolve
from haribote.answers.tasks import find_task
from haribote.chip.program import Compiled
from haribote.errors import HariboteError
from haribote.levels.steps import arranged_step, reference_step, step_at, whose
from haribote.speed.profile import programs_of
from haribote.speed.scheduler import schedule
from haribote.words import word
from simulator import assemble
from simulator.assembly.checks import check
from simulator.columns import aligned
from simulator.files import read
from simulator.isa.cost import Cost, cost_of, sum_costs
from simulator.isa.program import Program
from simulator.messages import Text, tr
from simulator.schedule.overlap import floors, overlapped

BY_HAND = Cost(steps=291, nops=10, moves=5, move_words=36_992, cycles=3_412, overlapped=2_395)
"""A whole step written by hand, with 1,024 columns of x; its program was run beside the reference, and is not part of
this course."""
SCHEDULER = ("7.3", "7.4", "7.5")
"""Its tasks."""
HEAD = (Text("the training step"), "steps", "nops", "MV", "MV words", "serial", "overlapped")


@dataclass(frozen=True)
class BoardLine:
    """A line of the board. note: whose kernels, or what else is to be known."""

    name: str
    cost: Cost
    note: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The line as it is printed; where the overlapped figure was not counted, a dash."""
        cost = self.cost
        beside = "-" if cost.overlapped is None else f"{cost.overlapped:,.0f}"
        counts = (cost.steps, cost.nops, cost.moves, cost.move_words, cost.cycles)
        return (self.name, *(f"{count:,.0f}" for count in counts), beside)


@dataclass(frozen=True)
class Board:
    """Lines, the dearest first, and notes on them; cycles of a step, serial and overlapped."""

    entries: tuple[BoardLine, ...]

    @property
    def notes(self) -> list[str]:
        """A line for each entry that has something to say, in the language of the moment."""
        return [tr("{name}: {note}", entry.name, entry.note) for entry in self.entries if entry.note]

    def __str__(self) -> str:
        rows = [tuple(map(word, row)) for row in (HEAD, *(entry.cells for entry in self.entries))]
        return "\n".join([*aligned(rows, numbers=True), "", *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(_cell("th", text, n) for n, text in enumerate(HEAD))
        rows = "".join(
            f"<tr>{''.join(_cell('td', text, n) for n, text in enumerate(entry.cells))}</tr>" for entry in self.entries
        )
        notes = "".join(f'<div style="margin:2px 0">{html.escape(note)}</div>' for note in self.notes)
        return (
            f'<div style="overflow-x:auto"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
            f'<div style="max-width:48em">{notes}</div>'
        )


def _cell(tag: str, text: str, column: int) -> str:
    side = "right" if column else "left"
    return f'<{tag} style="text-align:{side};white-space:nowrap">{html.escape(word(text))}</{tag}>'


def on_board(files: Sequence[Path] = ()) -> Board:
    """The board as it is with what you have written now; the first time this takes some 20 seconds.

    Where your kernels and tasks are not written, the reference stands in, and the line says so. files: programs of
    your own for a whole step; they are counted, not run. Raises SimulatorError for a file that is none.
    """
    own = [_of_file(path) for path in files]  # first, so that what is wrong with one is told at once
    return Board(tuple(sorted([*_entries(), *own], key=lambda entry: -entry.cost.cycles)))


def _of_file(path: Path) -> BoardLine:
    program = assemble(read(path), str(path))
    errors = sum(finding.severity == "error" for finding in check(program))
    note = (
        tr("counted, not run; {errors} errors: `python -m simulator check {path}`", errors, path)
        if errors
        else tr("counted, not run")
    )
    return BoardLine(path.name, sum_costs_overlapped([program]), note)


def _entries() -> Iterator[BoardLine]:
    yield BoardLine(Text("-O0, reference kernels"), _reference(0))
    mine = step_at(0)
    yield BoardLine(Text("-O0, your kernels"), cost_with_overlap(mine), whose(mine))
    packed = _packed(mine)
    if packed is not None:
        yield BoardLine(
            Text("-O0, packed by yours"), packed, Text("your kernels, then the scheduler of tasks 7.3 to 7.5")
        )
    resident = step_at(1)
    yield BoardLine(
        Text("-O1, your kernels"), cost_with_overlap(resident), "; ".join((whose(resident), *resident.notes))
    )
    arranged = arranged_step()
    if arranged is not None:
        note = "; ".join((whose(arranged), *arranged.notes))
        yield BoardLine(Text("-O2, your kernels"), cost_with_overlap(arranged), note)
    yield BoardLine(Text("by hand"), BY_HAND, Text("one program, written by a person; single precision"))
    for name, precision in (("-O2", "float"), ("-O2, mixed", "mixed")):
        compiled = step_at(2, precision)
        yield BoardLine(name, compiled.cost, tr("overlapped, {text}", floors(assemble(compiled.text))))


def _packed(compiled: Compiled) -> Cost | None:
    """The step packed by the learner's scheduler; None where its last part is not written."""
    if resolve(SCHEDULER[-1]).owner == "product":  # type: ignore[union-attr]
        return None
    files = tuple(answer_file(find_task(task)).read_bytes() for task in SCHEDULER)
    return _packed_by(files, tuple(program.source for program in programs_of(compiled)))


@lru_cache(maxsize=4)
def _packed_by(files: tuple[bytes, ...], sources: tuple[str, ...]) -> Cost:
    """files: of the answers, which this depends on; sources: of the programs."""
    programs = [schedule(assemble(source, "step.vsm")) for source in sources]
    wrong = [finding for program in programs for finding in check(program) if finding.severity == "error"]
    if wrong:
        raise HariboteError(
            tr("your scheduler breaks a rule: {message}", wrong[0].message), "`grader check 7.3`, 7.4, 7.5"
        )
    return sum_costs_overlapped(programs)


@cache
def _reference(level: int) -> Cost:
    return cost_with_overlap(reference_step(level))


def cost_with_overlap(compiled: Compiled) -> Cost:
    """Both figures of a compiled step: its programs one after another."""
    return sum_costs_overlapped(programs_of(compiled))


def sum_costs_overlapped(programs: list[Program]) -> Cost:
    """The cost of programs that run one after another, with cycles per run beside each other by the model."""
    total = sum_costs(cost_of(program) for program in programs)
    beside = sum(overlapped(program) for program in programs)
    return Cost(
        total.steps, total.nops, total.moves, total.move_words, total.cycles, total.units, overlapped=float(beside)
    )
