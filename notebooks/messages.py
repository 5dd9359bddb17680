"""Makes the catalogues of what people read: `python -m notebooks.messages`. For developers; it needs Babel.

A message is what stands in `tr("…")` or `Text("…")`; a test wants a literal there. What scripts and pages of browsers
say has a context of its own (`simulator.page_texts`). What the cells of notebooks say is of the domain `haribote`
(`simulator.notebook.cells`), as are the comments in them (`notebooks.comments`). A message whose English has changed
keeps its translation as fuzzy, which programs do not show, until somebody corrects it in the `.po` file, takes the mark
away and calls the command again, which writes the `.mo` that programs read.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from haribote.commands.command import run_command
from notebooks.comments import COMMENT, comments
from simulator.files import write_file
from simulator.language import LANGUAGES
from simulator.notebook.cells import form, is_text, printed, prints
from simulator.page_texts import END_OF_CONTEXT, PAGE, in_page, in_script

ROOT = Path(__file__).parent.parent
DOMAINS: Mapping[str, tuple[str, ...]] = {"simulator": ("simulator",), "haribote": ("haribote", "grader")}
"""The packages of each domain; its catalogue is in the first."""
MARKERS = ("tr", "Text")
PLACE = re.compile(r"\{\{|\}\}|\{([^{}]+)\}")
CELL = re.compile(r"^```python[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SENTENCE = re.compile(r"(?<![\w$.`/-])[A-Za-z]?[a-z]+(?:'s|n't)?(?![\w(=/_-])")
"""A word that may be of a sentence."""
NAMES = frozenset(["torch", "jax", "jit", "mnjit", "pfvm", "cpu", "auto", "moved", "ms"])
"""Names of code and units that stand before a value; they are no words, and neither is a single letter."""
CODE = re.compile(
    r"[;}]\s*$|</|^\s*<|#include|#!|\n\s+\w|^\s*(yield|return|if|for|else|import|from) | (or|and)$|\$l|^\W*\w+ = "
    r"|\(\?[:P]|=> \(|\$nowrite"
)
UNDATED = datetime(2026, 1, 1)
"""The date of all catalogues, which change where a message does."""
CHANGING = tuple(
    f'"{name}' for name in ("POT-Creation", "PO-Revision", "Generated-By", "Last-Tr", "Report", "Language-T")
)
"""Lines of a catalogue's head that say when and by whom it was written."""


@dataclass(frozen=True)
class Found:
    """A message in the code. context: PAGE for what a page says, COMMENT for a comment in a notebook's cell."""

    text: str
    file: str
    context: str = ""

    @property
    def key(self) -> str:
        """What stands for it in a catalogue."""
        return f"{self.context}{END_OF_CONTEXT}{self.text}" if self.context else self.text


def found_in(packages: Sequence[str], root: Path = ROOT) -> Iterator[Found]:
    """All messages of some packages."""
    for package in packages:
        for ending, messages in ((".html", in_page), (".js", in_script)):
            for path in sorted((root / package).rglob(f"*{ending}")):
                for text in messages(path.read_text(encoding="utf-8")):
                    yield Found(text, path.relative_to(root).as_posix(), PAGE)
        for path in sorted((root / package).rglob("*.py")):
            for call in marked(ast.parse(path.read_text(encoding="utf-8"))):
                if is_text(call.args[0]):
                    yield Found(str(call.args[0].value), path.relative_to(root).as_posix())


def marked(tree: ast.AST) -> Iterator[ast.Call]:
    """The calls that mark messages."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKERS and node.args:
            yield node


def found_in_cells(source: Path = ROOT / "notebooks" / "source") -> Iterator[Found]:
    """What reads like a sentence in the cells of the English notebooks, which learners read without any marks."""
    for path in sorted(source.rglob("*.md")):
        if "." in path.stem:  # of a translation, whose cells are the same
            continue
        file = f"notebooks/source/{path.relative_to(source).as_posix()}"
        for cell in CELL.findall(path.read_text(encoding="utf-8")):
            yield from (Found(comment.text, file, COMMENT) for comment in comments(cell))
            if not cell.lstrip().startswith(("%%", "!")):
                yield from (Found(text, file) for text in _of_cell(ast.parse(cell)))


def _of_cell(tree: ast.Module) -> Iterator[str]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and prints(node)]
    for call in calls:
        text = form(printed(call))
        if any(len(word) > 1 and word not in NAMES for word in _words(text)):
            yield text
    skipped = {id(part) for call in calls for part in call.args}
    skipped |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(inner) for inner in ast.walk(node) if inner is not node}
        text = form(node) if isinstance(node, ast.JoinedStr) else _constant(node)
        if id(node) not in skipped and len(_words(text)) > 1 and not CODE.search(PLACE.sub("9", text)):
            yield text


def _constant(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _words(text: str) -> list[str]:
    """The words that could be of a sentence; none in a text of one word."""
    return SENTENCE.findall(PLACE.sub(" 9 ", text)) if " " in text.strip() else []


def path_of(domain: str, into: str, ending: str) -> Path:
    """The catalogue of a domain."""
    return ROOT / DOMAINS[domain][0] / "locale" / into / "LC_MESSAGES" / f"{domain}.{ending}"


def stored(domain: str, into: str) -> Catalog:
    """The catalogue of a domain as its file has it; an empty one where there is none."""
    path = path_of(domain, into, "po")
    if not path.is_file():
        return Catalog()
    with path.open("rb") as file:
        return read_po(file, ignore_obsolete=True)


def read(domain: str, into: str) -> dict[str, str]:
    """Message, after its context, to translation; "" where there is none, or only a fuzzy one."""
    found = (one for one in stored(domain, into) if one.id)
    return {Found(str(one.id), "", one.context or "").key: "" if one.fuzzy else str(one.string) for one in found}


def renewed(domain: str, known: Catalog) -> Catalog:
    """The catalogue of the code as it is, with the translations that are known, and fuzzy ones of changed messages."""
    every: dict[str, list[Found]] = {}
    for found in (*found_in(DOMAINS[domain]), *(found_in_cells() if domain == "haribote" else ())):
        every.setdefault(found.key, []).append(found)
    template = Catalog()
    for first, *more in every.values():
        files = dict.fromkeys(found.file for found in (first, *more))
        template.add(first.text, locations=[(file, 1) for file in files], context=first.context or None)
    known.update(template)
    known.obsolete.clear()
    known.project, known.header_comment = domain, f"# What {domain} says. Made by `python -m notebooks.messages`."
    known.fuzzy, known.locale = False, None
    known.creation_date = known.revision_date = UNDATED
    return known


def po(catalogue: Catalog) -> bytes:
    """The catalogue as text, without times and line numbers: it changes where a message does."""
    out = io.BytesIO()
    write_po(out, catalogue, width=100, sort_by_file=True, omit_header=False, include_lineno=False)
    lines = out.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(CHANGING)).encode()


def mo(catalogue: Catalog) -> bytes:
    """The catalogue as programs read it, without what is fuzzy."""
    out = io.BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 where everything is translated, 1 where something is to do, 2 for a mistake."""
    parser = argparse.ArgumentParser(prog="python -m notebooks.messages", description=__doc__.splitlines()[0])
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    left = 0
    for domain in DOMAINS:
        for into in LANGUAGES[1:]:
            catalogue = renewed(domain, stored(domain, into))
            to_do = sum(1 for one in catalogue if one.id and (one.fuzzy or not one.string))
            path_of(domain, into, "po").parent.mkdir(parents=True, exist_ok=True)
            write_file(path_of(domain, into, "po"), po(catalogue))
            write_file(path_of(domain, into, "mo"), mo(catalogue))
            print(f"{into} {domain}: {len(catalogue)} messages, {to_do} to translate")
            left += to_do
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
