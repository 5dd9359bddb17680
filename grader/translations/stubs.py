"""Stubs whose words are in another language: what to do, and the contracts. The code is the same."""

from __future__ import annotations

import textwrap
from pathlib import Path

from grader.stubs import OTHERS, stub_of
from grader.translations.contracts import described
from grader.translations.texts import english, translated
from haribote.answers.given import source_of
from haribote.answers.tasks import ROOT, Task
from simulator.language import LANGUAGES


def stub_in(task: Task, into: str, root: Path = ROOT) -> str:
    """The stub of a task in a language; contracts that are not translated as they are now stay English."""
    text = stub_of(task, source_of(task, root), into)
    found = translated(task, into)
    return text if found is None or found.of != english(task).of else with_contract(text, found.contract)


def with_contract(stub: str, contract: str) -> str:
    """A stub with this contract in place of its own: as many paragraphs for each function as it has."""
    lines, paragraphs = stub.splitlines(keepends=True), contract.split("\n\n")
    taken = 0
    edits = []
    for node, text in described(stub):
        count = len(text.split("\n\n"))
        edits.append((node, paragraphs[taken : taken + count]))
        taken += count
    if taken != len(paragraphs):
        return stub
    for node, own in reversed(edits):
        place = node.body[0]
        indent = " " * place.col_offset
        opening = lines[place.lineno - 1].split('"""')[0].strip()
        body = textwrap.indent("\n\n".join(own), indent).strip()
        close = f"\n{indent}" if "\n" in body else ""
        lines[place.lineno - 1 : place.end_lineno] = [f'{indent}{opening}"""{body}{close}"""\n']
    return "".join(lines)


def is_stub(task: Task, text: str, root: Path = ROOT) -> bool:
    """Whether a file's text is the stub in another language, untouched."""
    plain = text.replace("\r\n", "\n")
    return any(plain == stub_in(task, into, root) for into in LANGUAGES if into != "en")


OTHERS.append(is_stub)
