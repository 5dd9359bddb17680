"""`python -m grader.translations [--new] [NAMES]`: marks what is to be translated in the files; see the package."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from grader.translations.texts import Texts, english, file_of, notebooks, translated
from haribote.answers.tasks import all_tasks
from haribote.commands.command import run_command
from simulator.console import Parser
from simulator.files import write_file
from simulator.language import LANGUAGES
from simulator.messages import tr


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 where everything is translated, 1 where something is to do, 2 for a mistake."""
    parser = Parser(prog="python -m grader.translations", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=tr("only notebooks whose name contains it: 05_mncore"))
    parser.add_argument("--new", action="store_true", help=tr("begin files that are not there, too"))
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    left = 0
    for into in LANGUAGES[1:]:
        for notebook in notebooks():
            path = file_of(notebook, into)
            named = not options.names or any(name in notebook for name in options.names)
            if not named or not (path.is_file() or options.new):
                continue
            tasks = [task for task in all_tasks() if task.notebook == notebook]
            texts = [renewed(english(task), translated(task, into)) for task in tasks]
            write_file(path, "\n".join(map(entry, texts)).encode())
            to_do = sum(" " in text.of for text in texts)
            left += to_do
            print(tr("{into} {notebook}: {texts} tasks, {to_do} to translate", into, notebook, len(texts), to_do))
    return 1 if left else 0


def renewed(wanted: Texts, found: Texts | None) -> Texts:
    """A translation as it is, marked where it is not of the English texts as they are; or the English texts."""
    if found is None:
        return replace(wanted, of=f"missing {wanted.of}")
    word, _, of = found.of.rpartition(" ")
    word = word if of == wanted.of else word or "stale"
    return replace(found, of=f"{word} {wanted.of}".strip())


def entry(texts: Texts) -> str:
    """A task's part of a file, in literal strings: nothing in them is escaped."""
    hints = "".join(f"'''{hint}''',\n" for hint in texts.hints)
    return (
        f"[\"{texts.id}\"]\nof = \"{texts.of}\"\ntitle = '''{texts.title}'''\nhints = [\n{hints}]\n"
        f"contract = '''\n{texts.contract}\n'''\n"
    )


if __name__ == "__main__":
    sys.exit(main())
