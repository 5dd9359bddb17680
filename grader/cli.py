"""The commands: `grader list | next | contract TASK | check TASK… | debug TASK | watch [TASK] | hint TASK |
reset TASK | catchup STAGE`, and `selftest` and `stubs` for who changes the course.

`submit`, `grade`, `progress` and `board` are in grade/command.py.

Exit status: 0 fine, 1 a negative verdict (a task that has not passed), 2 a mistake in the input (a message).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence

from grader.catchup import catch_up, tasks_of
from grader.checking import check
from grader.contracts import contract
from grader.grade.command import FINAL_SEED, add_commands
from grader.listing import invitation, listing
from grader.progress import Progress
from grader.stubs import reset, write_stubs
from grader.translations import texts_of
from grader.translations.stubs import stub_in
from grader.watching import events_of, watch
from haribote.answers.tasks import ROOT, all_tasks, find_task, path_shown
from haribote.commands.command import run_command
from simulator.console import Parser, add_version, seed
from simulator.language import LANGUAGES, language
from simulator.messages import say, tr
from simulator.terminal import RoleLine
from simulator.view.browser import open_page


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    return run_command(_parser, arguments)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="grader", description=tr("Checks your answers to the tasks of the course."))
    add_version(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        return command

    add("list", _list, tr("all tasks by notebook, your points, and the next task"))
    add("next", _next, tr("the next task: where it is taught, which file to write"))
    add("contract", _contract, tr("what a task demands, in your language")).add_argument("task", metavar="TASK")
    checked = add("check", _check, tr("check your answer to a task"))
    checked.add_argument("tasks", metavar="TASK", nargs="+", help=tr("such as 5.12"))
    checked.add_argument("--seed", type=seed, help=tr("of the random values; a failed check names its own"))
    checked.add_argument(
        "--final", action="store_true", help=tr("with one public seed, to compare; no mark rests on it")
    )
    checked.add_argument("--json", action="store_true", help=tr("the result for programs"))
    debugged = add("debug", _debug, tr("step through a failing case: the first wrong word, who wrote it, from what"))
    debugged.add_argument("task", metavar="TASK")
    debugged.add_argument("--seed", type=seed, help=tr("of the random values; a failed check names its own"))
    debugged.add_argument("--no-open", action="store_true", help=tr("write the page and print its name only"))
    watched = add("watch", _watch, tr("check a task whenever its file is saved; then go on to the next"))
    watched.add_argument("task", metavar="TASK", nargs="?", help=tr("where to begin; by default the next task"))
    hinted = add("hint", _hint, tr("a hint for a task; a stronger one each time"))
    hinted.add_argument("task", metavar="TASK")
    hinted.add_argument("--level", type=int, choices=(1, 2, 3), help=tr("this one, 3 is the strongest"))
    again = add("reset", _reset, tr("make a task's file the stub again; yours is backed up first"))
    again.add_argument("task", metavar="TASK")
    again.add_argument("--lang", choices=LANGUAGES, help=tr("of its contract and comments (that of all tools)"))
    caught = add(
        "catchup", _catchup, tr("the course's answers where you have not begun, so that you can go on; no points")
    )
    caught.add_argument("wanted", metavar="TASK|NOTEBOOK|STAGE", nargs="+", help=tr("such as 4.2, 04_memory, or 04"))
    tested = add("selftest", _selftest, tr("check the course itself: stubs, solutions, wrong answers, mutants"))
    tested.add_argument("tasks", metavar="TASK", nargs="*", help=tr("only these"))
    tested.add_argument("--mutants", type=int, default=8, help=tr("at most so many of each kind per task (default 8)"))
    tested.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help=tr("processes (default: one per core)")
    )
    add_commands(add)
    add("stubs", _stubs, tr("write the stubs anew from the solutions, never over an edited file"))
    return parser


def _list(options: argparse.Namespace) -> int:
    say(listing(Progress()))
    return 0


def _next(options: argparse.Namespace) -> int:
    say(invitation(Progress().next_task()))
    return 0


def _check(options: argparse.Namespace) -> int:
    progress, results = Progress(), []
    for name in options.tasks:
        find_task(name)
    for name in options.tasks:
        result = check(name, seed=FINAL_SEED if options.final else options.seed, keep=False)
        results.append(result)
        if not options.json:
            for line in result.lines():
                say(line)
            if result.reference or result.state != "not started":
                say(f"({result.checked})")
            if result.state == "failed":
                again = tr("again: grader check {name} --seed {seed}    a hint: grader hint {name}", name, result.seed)
                say(RoleLine(again, "next"))
                if result.debuggable:
                    step = tr("step through it: grader debug {name} --seed {seed}", name, result.seed)
                    say(RoleLine(step, "next"))
        sys.stdout.flush()  # the verdict first, whatever becomes of its record
        progress.record(result)
    if options.json:
        print(json.dumps([result.as_dict() for result in results], indent=1))
    return 0 if all(result.passed for result in results) else 1


def _contract(options: argparse.Namespace) -> int:
    say(str(contract(options.task)))
    return 0


def _debug(options: argparse.Namespace) -> int:
    result = check(find_task(options.task).id, seed=options.seed)
    found = result.debug()
    say(found.report)
    if not found.page:
        return 0 if result.passed else 1
    say(tr("page: {path}", found.write()), flush=True)
    if not options.no_open and not open_page(found.file):
        say(tr("no browser was found here: open the page with one"), file=sys.stderr)
    return 0 if result.passed else 1


def _watch(options: argparse.Namespace) -> int:
    task = find_task(options.task) if options.task else Progress().next_task()
    for line in watch(task, events_of):
        say(line, flush=True)
    return 0


def _hint(options: argparse.Namespace) -> int:
    task = find_task(options.task)
    progress = Progress()
    number = options.level - 1 if options.level else progress.next_hint(task)
    print(texts_of(task).hint(number), flush=True)
    if not options.level:
        progress.record_hint(task)
    return 0


def _reset(options: argparse.Namespace) -> int:
    task = find_task(options.task)
    backup = reset(task, text=stub_in(task, options.lang or language()))
    say(tr("{value} is the stub again", path_shown(ROOT / "haribote" / task.file)))
    if backup:
        say(tr("what you had is in {backup}", path_shown(backup)))
    return 0


def _catchup(options: argparse.Namespace) -> int:
    say(catch_up(tasks_of(options.wanted)))
    return 0


def _selftest(options: argparse.Namespace) -> int:
    from grader.selftest.run import selftest

    tasks = [find_task(name) for name in options.tasks] or list(all_tasks())
    report = selftest(tasks, options.mutants, say=say, workers=options.workers)
    say(report)
    return 0 if report.passed else 1


def _stubs(options: argparse.Namespace) -> int:
    done = write_stubs()
    say(tr("{written} stubs written", len(done.written)))
    for name in done.kept:
        say(tr("kept, for it was edited: haribote/{name}", name))
    return 0
