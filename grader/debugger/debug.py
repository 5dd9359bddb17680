"""`check("5.14").debug()` and `grader debug 5.14`: the viewer at the first wrong word, with the case's own operands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from grader.debugger.debugged import Debugged
from grader.debugger.story import Source, Story, story_of
from grader.emitter.replies import Reply
from grader.feedback.failure import Failure
from grader.judges.program import text_in
from grader.judging import SOURCES
from grader.rigs.poisoned import HIGH_BITS, POISON
from grader.rigs.rig import Inputs, prepared
from grader.running import replies_to
from grader.trials import Trial, trials_of
from haribote.answers.ownership import product_only
from haribote.answers.tasks import find_task, path_shown
from haribote.errors import HariboteError
from simulator import AssemblyError, ExecutionError, assemble
from simulator.isa.program import Program
from simulator.messages import tr
from simulator.view import Opening, View
from simulator.view.recording import BUDGET


def debug(name: str, path: Path, seed: int, failure: Failure | None, budget: int | None) -> Debugged:
    """The debugger for what a check of a task found in a file, with the text that the file gives now.

    failure: None where every case passed. budget: bytes of values on the page; None for as many as it takes.

    Raises HariboteError where the task's answer is no program of the machine.
    """
    task = find_task(name)
    with product_only():
        trials = [trial for trial in trials_of(task, seed) if trial.inputs is not None]
    if not trials:
        raise HariboteError(
            tr("the answer to task {id} is no program of the machine", task.id), f"`grader check {task.id}`"
        )
    trial = next((trial for trial in trials if failure and trial.name == failure.case), trials[0])
    with product_only():
        reply = next(iter(replies_to(task, path, [trial])), Reply(trial.name))
    head = tr("task {id} ({title}), case: {name}, seed {seed}", task.id, task.title, trial.name, seed)
    if reply.problem or reply.answer is None:
        return Debugged(task.id, f"{head}\n{reply.problem.message if reply.problem else failure}", "")
    answer = _Answer(text_in(reply.answer), reply.answer.get(SOURCES), path, trial.lead, trial.tail)
    return _debugged(task.id, head, answer, trial, failure, BUDGET if budget is None else budget)


@dataclass(frozen=True)
class _Answer:
    """The text of an answer, and which line of which file gave its lines; lead, tail: lines around it."""

    text: str
    sources: object
    path: Path
    lead: str = ""
    tail: str = ""

    @property
    def program(self) -> str:
        """All that runs."""
        return "\n".join(filter(None, (self.lead, self.text.strip("\n"), self.tail)))

    def source(self, line: int) -> str:
        """What to add about a line of the program."""
        line -= len(self.lead.splitlines())
        if not isinstance(self.sources, list) or not 0 < line <= len(self.sources):
            return ""
        return f" ({self.path.name}:{self.sources[line - 1]})"


def _debugged(task: str, head: str, answer: _Answer, trial: Trial, failure: Failure | None, budget: int) -> Debugged:
    assert trial.inputs is not None
    try:
        program = assemble(answer.program, filename=f"task {task}, {trial.name}")
    except AssemblyError as error:
        return Debugged(task, f"{head}\n{failure or error}", "")
    if not program.lines:
        return Debugged(task, tr("{head}\nthe answer has no lines, so there is nothing to step through", head), "")
    inputs = trial.inputs()
    story, last = _story(program, inputs, failure, answer.source), None
    if failure is not None and failure.stopped:
        last = failure.line - 1
    title = tr("every case passes; this is the first") if failure is None else failure.cause or tr("a case fails")
    opening = Opening(title, story.sentences, line=story.line)
    word = failure.word if failure else None
    if word is not None:
        opening = replace(opening, word=word.place, name=word.name, expected=word.expected, received=word.received)
    notes = _notes(inputs, path_shown(answer.path))
    report = "\n".join(
        [
            head,
            *([tr("likely cause: {cause}", failure.cause)] if failure and failure.cause else []),
            *story.sentences,
        ]
    )
    return Debugged(task, report, _page(program, inputs, word.poison if word else POISON, opening, last, notes, budget))


def _story(program: Program, inputs: Inputs, failure: Failure | None, source: Source) -> Story:
    if failure is None:
        return Story((tr("the operands are those of the case"),), None)
    if failure.word is None:
        return Story(tuple(str(failure).split("\n")), failure.line or None)
    with prepared(inputs, failure.word.poison) as machine:
        return story_of(program, machine, inputs, failure.word, source)


def _notes(inputs: Inputs, file: str) -> list[str]:
    names = ", ".join(name for name, _, _ in inputs)
    notes = [tr("The program is what {file} gives for this case.", file)]
    return notes + ([tr("Operands: {names}. All other words hold junk before the first line.", names)] if names else [])


def _page(
    program: Program,
    inputs: Inputs,
    poison: int,
    opening: Opening,
    last: int | None,
    notes: list[str],
    budget: int,
) -> str:
    """The page of a run on the operands, amid junk; up to line `last`, behind which the machine stops."""
    if last is not None and not any(line.line <= last for line in program.lines):
        return ""
    with prepared(inputs, poison) as machine:
        try:
            view = View(program, machine, until=last, junk=HIGH_BITS, opening=opening, notes=notes, budget=budget)
            return view.page
        except ExecutionError:
            return ""
