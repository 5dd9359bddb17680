"""Makes the catalogues of what people read: `python -m notebooks.messages`. For developers; it needs Babel.

Every text in the code that reads like a sentence, or a part of one, is a message; f-strings give the names of their
places. Single words are messages where a catalogue has them and they still stand in the code. New messages are without
translation until somebody writes one into the `.po` file and calls the command again, which writes the `.mo` that
programs read. What the code does not say any more is left out. What scripts and pages of browsers say has a context of
its own (`simulator.page_texts`). What the cells of notebooks print is of the domain `haribote`: in a translated
notebook, whose code is English, `print` looks it up as one text, with all that it is given.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeGuard

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from haribote.commands.command import run_command
from simulator.files import write_file
from simulator.forms import PLACE
from simulator.language import LANGUAGES
from simulator.page_texts import END_OF_CONTEXT, PAGE, in_page, in_script

ROOT = Path(__file__).parent.parent
DOMAINS: Mapping[str, tuple[str, ...]] = {"simulator": ("simulator",), "haribote": ("haribote", "grader")}
"""The packages of each domain; its catalogue is in the first."""
NOT_READ = (
    "grader/selftest",
    "haribote/core/chip",
    "haribote/core/elementwise.py",
    "haribote/cpp",
    "haribote/kernels",
    "haribote/stack/products",
    "haribote/stack/vectors",
    "benchmarks/fuzz",
)
"""Folders of code in another language, and of tools for developers."""
WORD = re.compile(r"(?<![\w$.`/-])[A-Za-z]?[a-z]+(?:'s|n't)?(?![\w(=/_-])")
CODE = re.compile(
    r"[;}]\s*$|</|^\s*<|#include|#!|\n\s+\w|^\s*(yield|return|if|for|else|import|from) | (or|and)$|\$l|^\W*\w+ = "
)
CELL = re.compile(r"^```python[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
REGULAR = re.compile(r"\(\?[:P]")
"""A regular expression."""
LEAST_WORDS = 2
UNDATED = datetime(2026, 1, 1)
"""The date of all catalogues, which change where a message does."""
GRAMMAR = frozenset(
    ["", "s", "es", "y", "ies", "a", "an", "is", "are", "was", "were", "has", "have", "do", "does", "it", "them"]
)
"""What an English text has in one form or another, and other languages have not.
"""
CHANGING = tuple(
    f'"{name}' for name in ("POT-Creation", "PO-Revision", "Generated-By", "Last-Tr", "Report", "Language-T")
)
"""Lines of a catalogue's head that say when and by whom it was written."""


@dataclass(frozen=True)
class Found:
    """A text in the code. words: how many of them could be of a sentence. context: PAGE for what a page says.

    printed: by a cell, so that it is for people.
    """

    text: str
    file: str
    words: int
    context: str = ""
    printed: bool = False

    @property
    def message(self) -> bool:
        """Whether it is one for people."""
        if self.context:
            return True
        if self.printed:
            return self.words > 0 and " " in self.text.strip()
        bare = PLACE.sub("9", self.text)
        return (
            self.words >= LEAST_WORDS and " " in self.text.strip() and not (CODE.search(bare) or REGULAR.search(bare))
        )

    @property
    def key(self) -> str:
        """What stands for it in a catalogue."""
        return f"{self.context}{END_OF_CONTEXT}{self.text}" if self.context else self.text

    def translation(self, known: Mapping[str, str]) -> str:
        """Its translation, else that of the same text elsewhere, else ""."""
        return known.get(self.key) or known.get(self.text, "")


def found_in(packages: Sequence[str], root: Path = ROOT) -> Iterator[Found]:
    """All texts in the code of some packages, but docstrings that no program prints."""
    for package in packages:
        yield from _found_in_pages(package, root)
        for path in sorted((root / package).rglob("*.py")):
            file = path.relative_to(root).as_posix()
            if not file.startswith(NOT_READ):
                yield from _texts(ast.parse(path.read_text(encoding="utf-8")), file)


def found_in_cells(source: Path = ROOT / "notebooks" / "source") -> Iterator[Found]:
    """All texts in the cells of the English notebooks."""
    for path in sorted(source.rglob("*.md")):
        if "." in path.stem:  # of a translation, whose cells are the same
            continue
        file = f"notebooks/source/{path.relative_to(source).as_posix()}"
        for cell in CELL.findall(path.read_text(encoding="utf-8")):
            if not cell.lstrip().startswith(("%%", "!")):
                tree = ast.parse(cell)
                calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _prints(node)]
                yield from (
                    Found(text, file, _words(PLACE.sub(" 9 ", text)), "", True) for text in map(_printed, calls)
                )
                yield from _texts(tree, file, {id(part) for call in calls for part in call.args})


def _prints(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "print" and bool(call.args)


def _printed(call: ast.Call) -> str:
    """What `print` is given, as one text with places."""
    between = next((word.value.value for word in call.keywords if word.arg == "sep" and _is_text(word.value)), " ")
    parts: list[ast.expr] = []
    for argument in call.args:
        if parts:
            parts.append(ast.Constant(between))
        if isinstance(argument, ast.JoinedStr):
            parts += argument.values
        else:
            parts.append(argument if _is_text(argument) else ast.FormattedValue(argument, -1))
    return form(ast.JoinedStr(parts))


def _is_text(node: ast.expr) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _found_in_pages(package: str, root: Path) -> Iterator[Found]:
    """What its scripts and pages say."""
    for ending, messages in ((".html", in_page), (".js", in_script)):
        for path in sorted((root / package).rglob(f"*{ending}")):
            for text in messages(path.read_text(encoding="utf-8")):
                yield Found(text, path.relative_to(root).as_posix(), _words(text), PAGE)


def _texts(tree: ast.Module, file: str, taken: Collection[int] = ()) -> Iterator[Found]:
    """taken: ids of nodes whose texts are known."""
    skipped = {id(node) for node in _docstrings(tree)}
    if any(isinstance(node, ast.Name) and node.id == "__doc__" for node in ast.walk(tree)):
        for line in (ast.get_docstring(tree) or "").splitlines()[:1]:
            yield Found(line, file, _words(line))
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(inner) for value in node.values for inner in _not_read(value)}
            text = form(node)
            if id(node) not in taken:
                yield Found(text, file, _words(PLACE.sub(" 9 ", text)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in taken:
            yield Found(node.value, file, _words(node.value))


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Strings that stand alone: docstrings of modules, classes, functions and values."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def _not_read(part: ast.expr) -> Iterator[ast.AST]:
    """What of a part of an f-string is no text of its own: the part itself, and how a value is formatted."""
    yield part
    if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
        yield from ast.walk(part.format_spec)


def _words(text: str) -> int:
    return len(WORD.findall(text))


def form(node: ast.JoinedStr) -> str:
    """An f-string with names in place of expressions, as `simulator.messages` has it."""
    parts: list[str] = []
    names: dict[str, str] = {}
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append(str(value.value).replace("{", "{{").replace("}", "}}"))
        elif isinstance(value, ast.FormattedValue):
            parts.append("{" + (_grammar(value.value) or _name(value.value, names)) + "}")
    return "".join(parts)


def _grammar(node: ast.expr) -> str:
    """`is|are` of `'is' if one else 'are'`, `|s` of `'s' * many`; "" for other expressions."""
    if isinstance(node, ast.IfExp) and all(_short(end) for end in (node.body, node.orelse)):
        return "|".join(sorted({node.body.value, node.orelse.value}, key=len))  # type: ignore[attr-defined]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and _short(node.left):
        return "|" + node.left.value  # type: ignore[attr-defined,no-any-return]
    return ""


def _short(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in GRAMMAR


def _name(node: ast.expr, names: dict[str, str]) -> str:
    """A name for an expression, another one for each expression of a text."""
    source = ast.unparse(node)
    if source not in names:
        words = [word for word in re.findall(r"[A-Za-z]+", _innermost(node)) if word not in ("self", "str")]
        name = "_".join(words[-2:]).lower() or "value"
        taken = set(names.values())
        names[source] = next(n for n in (name, *(f"{name}{i}" for i in range(2, 99))) if n not in taken)
    return names[source]


def _innermost(node: ast.expr) -> str:
    """What of an expression says most of it: the last name of an attribute, the argument of a call."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call):
        return _innermost(node.args[0]) if node.args else _innermost(node.func)
    if isinstance(node, ast.Subscript):
        return _innermost(node.value)
    return node.id if isinstance(node, ast.Name) else ""


def path_of(domain: str, into: str, ending: str) -> Path:
    """The catalogue of a domain."""
    return ROOT / DOMAINS[domain][0] / "locale" / into / "LC_MESSAGES" / f"{domain}.{ending}"


def read(domain: str, into: str) -> dict[str, str]:
    """Message, after its context, to translation; "" where there is none yet."""
    path = path_of(domain, into, "po")
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        found = [one for one in read_po(file, locale=into) if one.id]
    return {Found(str(one.id), "", 0, one.context or "").key: str(one.string) for one in found}


def renewed(domain: str, known: Mapping[str, str]) -> Catalog:
    """The catalogue of the code as it is, with the translations that are known."""
    catalogue = Catalog(
        project=domain, fuzzy=False, header_comment=f"# What {domain} says. Made by `python -m notebooks.messages`."
    )
    catalogue.locale = None
    catalogue.creation_date = catalogue.revision_date = UNDATED
    every: dict[str, list[Found]] = {}
    for found in (*found_in(DOMAINS[domain]), *(found_in_cells() if domain == "haribote" else ())):
        if found.message or (found.text in known and not REGULAR.search(found.text)):
            every.setdefault(found.key, []).append(found)
    for first, *more in every.values():
        files = dict.fromkeys(found.file for found in (first, *more))
        places = [(file, 1) for file in files]
        catalogue.add(first.text, first.translation(known), locations=places, context=first.context or None)
    return catalogue


def po(catalogue: Catalog) -> bytes:
    """The catalogue as text, without times and line numbers: it changes where a message does."""
    out = io.BytesIO()
    write_po(out, catalogue, width=100, sort_by_file=True, omit_header=False, include_lineno=False)
    lines = out.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(CHANGING)).encode()


def mo(catalogue: Catalog) -> bytes:
    """The catalogue as programs read it."""
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
            catalogue = renewed(domain, read(domain, into))
            to_do = sum(1 for one in catalogue if one.id and not one.string)
            path_of(domain, into, "po").parent.mkdir(parents=True, exist_ok=True)
            write_file(path_of(domain, into, "po"), po(catalogue))
            write_file(path_of(domain, into, "mo"), mo(catalogue))
            print(f"{into} {domain}: {len(catalogue)} messages, {to_do} to translate")
            left += to_do
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
