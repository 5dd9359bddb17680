"""The catalogues: they have what the code says, all of it translated, with the same places."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from notebooks import messages
from notebooks.messages import DOMAINS, PLACE, ROOT, found_in, marked, mo, path_of, po, read, renewed, stored
from simulator.notebook.cells import is_text
from simulator.page_texts import END_OF_CONTEXT, PAGE
from tests.parsing import tree_of

HALF_KANA = re.compile("[\uff61-\uff9f]")
CODE = re.compile(r"[{};]\s*$|^\s*#include|^[a-z]\w* = \w+$|\bdef [a-z]|\(\?[:P]|var\(--|::")
LOADED = {"haribote/answers/tasks.py", "simulator/messages.py", "simulator/errors.py", "simulator/console.py"}
"""Where messages are made of what is not written there: titles of tasks, words of the system, of argparse."""


def places(text: str) -> set[str]:
    """The names of what is put in."""
    return {re.split("[:!]", place[1])[0] for place in PLACE.finditer(text) if place[1] and "|" not in place[1]}


@pytest.fixture(scope="module", params=DOMAINS)
def domain(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_catalogue_is_that_of_the_code(domain: str) -> None:
    """If not: `python -m notebooks.messages`, and translate what it left empty or fuzzy."""
    catalogue = renewed(domain, stored(domain, "ja"))
    assert path_of(domain, "ja", "po").read_bytes() == po(catalogue)
    assert path_of(domain, "ja", "mo").read_bytes() == mo(catalogue)


def test_all_is_translated_and_a_translation_puts_in_nothing_else(domain: str) -> None:
    known = read(domain, "ja")
    assert [text for text in known if not known[text]] == []
    assert {text: said for text, said in known.items() if not places(said) <= places(text)} == {}
    grammar = {"s", "es", "a", "an", "y", "ies", "are", "were", "have", "do", "them"}
    lost = {
        text: said
        for text, said in known.items()
        if not {name for name in places(text) if name.rstrip("0123456789") not in grammar} <= places(said)
    }
    assert len(lost) == 0, lost
    assert [said for said in known.values() if HALF_KANA.search(said)] == []


def test_no_entry_is_code(domain: str) -> None:
    assert [text for text in read(domain, "ja") if CODE.search(PLACE.sub("9", text))] == []


def test_what_is_translated_is_japanese(domain: str) -> None:
    """What would stay as it is (names, units, formulas) is no message; the name on a key is told by a page."""
    same = {text for text, said in read(domain, "ja").items() if text == said}
    assert same <= {f"{PAGE}{END_OF_CONTEXT}Space"}


def test_what_is_drawn_is_marked() -> None:
    """English words that a picture paints are `tr("…")`, `Text("…")` or `word("…")`; names say `name=True`."""
    unmarked = []
    for packages in DOMAINS.values():
        for path in (path for package in packages for path in sorted((ROOT / package).rglob("*.py"))):
            for node in ast.walk(tree_of(path)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    named = {word.arg: word.value for word in node.keywords}
                    drawn = [*node.args[2:3]] if node.func.attr == "text" and "name" not in named else []
                    drawn += (
                        [named["title"]] if "title" in named and node.func.attr in ("rect", "path", "group") else []
                    )
                    unmarked += [f"{path.relative_to(ROOT)}:{node.lineno}" for one in drawn if has_words(one)]
    assert unmarked == []


def has_words(node: ast.AST) -> bool:
    """Whether a literal, or the fixed part of an f-string, has a word."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return any(isinstance(one, ast.Constant) and re.search("[a-z]{3}", str(one.value)) for one in parts)


def test_what_is_marked_is_written_there() -> None:
    """A template that is put together, or an f-string, would never be found."""
    made = []
    for packages in DOMAINS.values():
        for path in (path for package in packages for path in sorted((ROOT / package).rglob("*.py"))):
            name = path.relative_to(ROOT).as_posix()
            if name not in LOADED:
                calls = marked(tree_of(path))
                made += [f"{name}:{call.lineno}" for call in calls if not is_text(call.args[0])]
    assert made == []


def test_what_has_places_is_given_them() -> None:
    """`tr("{count} words", count=3)`: the names of the template are those of the arguments, or as many as there are."""
    wrong = []
    for packages in DOMAINS.values():
        for path in (path for package in packages for path in sorted((ROOT / package).rglob("*.py"))):
            for call in marked(tree_of(path)):
                by_name = {word.arg for word in call.keywords}
                in_order = call.args[1:] if call.func.id == "tr" else []
                if is_text(call.args[0]) and (by_name or in_order):
                    wanted = places(call.args[0].value)
                    if by_name != wanted if by_name else len(in_order) != len(wanted):
                        wrong.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert wrong == []


def test_a_changed_sentence_keeps_its_translation_as_fuzzy(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Catalog()
    known.add("the rows of {name} are not known here", "{name} の行は、ここでは分かりません")
    known.add("what is gone", "なくなったもの")
    changed = messages.Found("the rows of {name} are unknown here", "a.py")
    monkeypatch.setattr(messages, "found_in", lambda packages: [changed])
    found = {one.id: one for one in renewed("simulator", known) if one.id}
    assert list(found) == [changed.text]
    assert found[changed.text].string == "{name} の行は、ここでは分かりません" and found[changed.text].fuzzy
    assert "分かりません".encode() not in mo(renewed("simulator", known))


def test_messages_are_what_is_marked(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    text = '"""A docstring."""\nA = Text("word")\nprint("two words", tr("{n} of them", n=3), f"{A} and more")\n'
    (tmp_path / "package" / "a.py").write_text(text)
    assert [one.text for one in found_in(["package"], tmp_path)] == ["word", "{n} of them"]
