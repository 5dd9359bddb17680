"""Puzzles in a notebook: `puzzle("4.8")` draws one, and the cell `%%puzzle 4.8` answers it.

An answer that passes is saved in the file of its task, so that `grader check`, `list` and `submit` count it.
"""

from __future__ import annotations

import ast
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.emitter.replies import Reply
from grader.judging import judge_trials
from grader.progress import Progress
from grader.puzzles.picture import puzzle_picture
from grader.puzzles.spec import Puzzle
from grader.puzzles.table import PUZZLES
from grader.result import Result
from grader.running import replies_to
from grader.stubs import keep_backup, stub_of
from grader.trials import trials_of
from haribote.answers.given import source_of
from haribote.answers.ownership import answer_file, is_written, solutions_wanted
from haribote.answers.tasks import ROOT, Task, find_task, path_shown
from haribote.answers.verdicts import remember
from haribote.errors import HariboteError
from simulator.errors import UserError
from simulator.files import write_file
from simulator.language import ipython_shell
from simulator.messages import shown, tr
from simulator.notebook.card import Card
from simulator.pictures import Picture, animate


@dataclass(frozen=True, eq=False)
class Attempt:
    """What came of an answer: the verdict, the memories beside what is wanted, and the lines at work."""

    result: Result
    saved: str
    picture: Picture
    motion: Picture | None

    def __repr__(self) -> str:
        return "\n".join(filter(None, (str(self.result), shown(self.saved))))

    def _repr_html_(self) -> str:
        saved = Card("good", self.saved)._repr_html_() if self.saved else ""
        watch = f"<details open><summary>{tr('Your lines at work')}</summary>{_html(self.motion)}</details>"
        return self.result._repr_html_() + saved + _html(self.picture) + (watch if self.motion else "")


def _html(picture: Picture | None) -> str:
    return picture._repr_html_() if picture else ""


def puzzle(task: str, lines: str | None = None) -> Picture | Attempt | Card:
    """The picture of a puzzle: before, and wanted after. lines: an answer to try, as in a cell `%%puzzle`.

    A mistake gives a card that says what to do about it.
    """
    try:
        if lines is not None:
            return attempt(task, lines)
        found = puzzle_of(task)
        return puzzle_picture(found, f"{task}  {shown(find_task(task).title)}")
    except UserError as error:
        return Card("bad", tr("no puzzle"), str(error))


def puzzle_of(task: str) -> Puzzle:
    """The puzzle of a task. Raises UnknownTask, and HariboteError for a task that is none."""
    found = find_task(task)
    if found.id not in PUZZLES:
        every = list(PUZZLES)
        raise HariboteError(tr("task {task} ({title}) is no puzzle", task, found.title), f"{every[0]} to {every[-1]}")
    return PUZZLES[found.id]


def attempt(task: str, text: str, root: Path = ROOT) -> Attempt | Card:
    """Judge an answer and save it where it passes. Without lines: what is saved already. Raises as `puzzle_of`.

    root: of the course's tree.
    """
    found, asked = puzzle_of(task), find_task(task)
    path = answer_file(asked, root=root)
    own = any(line.partition("#")[0].strip() for line in text.split("\n"))
    if not own and not is_written(path):
        yours = tr("your line") if found.lines == 1 else tr("your lines")
        return Card(
            "quiet",
            tr("{id} {title}: write {yours} below `%%puzzle {id}` and run the cell", asked.id, asked.title, yours),
        )
    lines = text.strip("\n") if own else _saved_lines(asked, path)
    result, saved = _verdict(asked, lines, path), ""
    if not result.passed:
        result = replace(result, file="")  # a puzzle is answered in its cell
    elif own and not solutions_wanted():
        save(asked, lines, root)
        remember(path, "passed")
        Progress(root).record(result)
        saved = tr("saved in {path}", path_shown(path))
    return Attempt(result, saved, puzzle_picture(found, f"{asked.id}  {shown(asked.title)}", lines), _motion(lines))


def _verdict(task: Task, lines: str, path: Path) -> Result:
    """As `check`, of these lines; it ends at the first case that fails."""
    seed = secrets.randbelow(10**6)
    answer = {"text": f"{lines}\n"}
    return judge_trials(task, trials_of(task, seed), lambda trial: Reply(trial.name, answer), seed, path, whole=False)


def _motion(lines: str) -> Picture | None:
    try:
        return animate(lines)
    except UserError:
        return None  # the verdict says what is wrong with the lines


def _saved_lines(task: Task, path: Path) -> str:
    """The lines that the file of an answer gives. Raises HariboteError where it gives none."""
    reply = next(iter(replies_to(task, path, [next(trials_of(task, 0))])), None)
    if reply is None or reply.answer is None:
        raise HariboteError(
            reply.problem.message if reply and reply.problem else tr("{path} gives no lines", path_shown(path))
        )
    return str(reply.answer["text"]).strip("\n")


def save(task: Task, text: str, root: Path = ROOT) -> Path:
    """Put the lines into the function of the task's file, in place of what it did; the file that it was, where somebody
    has edited it by hand, is kept in `backup/`. Returns the file.
    """
    path = root / "haribote" / task.file
    stub = stub_of(task, source_of(task, ROOT))
    content = with_lines(stub, task.name, text)
    if path.is_file() and not _is_ours(path.read_text(encoding="utf-8", errors="replace"), stub, task.name):
        keep_backup(task, root)
    write_file(path, content.encode())
    return path


def with_lines(source: str, function: str, text: str) -> str:
    """The source with a function that yields these lines of assembly and does nothing else."""
    source = source.replace("\nfrom haribote.errors import NotWritten\n", "", 1)  # nothing uses it any more
    first, end = _body(source, function)
    lines = source.split("\n")
    body = [f"    yield {_quoted(line.strip())}" for line in text.split("\n") if line.strip()]
    return "\n".join([*lines[:first], *body, *lines[end:]])


def _quoted(line: str) -> str:
    """As a literal in the quotes that the course uses."""
    return f'"{line}"' if '"' not in line and "\\" not in line else repr(line)


def _body(source: str, function: str) -> tuple[int, int]:
    """Where a function's body begins after its docstring and where it ends, as indices of lines."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return node.body[0].end_lineno or 0, node.end_lineno or 0
    raise HariboteError(tr("there is no function {function}", function), "`grader reset TASK`")


def _is_ours(content: str, stub: str, function: str) -> bool:
    """Whether a file is the stub, or the stub with lines that we have put there."""
    if content == stub:
        return True
    try:
        first, end = _body(content, function)
        own = [ast.literal_eval(line.strip().removeprefix("yield ")) for line in content.split("\n")[first:end]]
    except (HariboteError, SyntaxError, ValueError):
        return False
    return all(isinstance(line, str) for line in own) and with_lines(stub, function, "\n".join(own)) == content


def load(shell: Any) -> None:
    """Make `%%puzzle` known to an IPython shell."""
    from IPython.core.magic import no_var_expand

    @no_var_expand
    def cell(line: str, cell: str) -> object:
        """Answer a puzzle with the lines of this cell."""
        return puzzle(line.strip(), cell)

    shell.register_magic_function(cell, "cell", "puzzle")


if (_shell := ipython_shell()) is not None:  # in a notebook, `%%puzzle` is known once this module is
    load(_shell)
