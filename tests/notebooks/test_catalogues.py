"""The catalogues: they have what the code says, all of it translated, with the same places."""

from __future__ import annotations

import ast
import re

import pytest

from notebooks import messages
from notebooks.messages import DOMAINS, found_in, mo, path_of, po, read, renewed
from simulator.messages import PLACE

HALF_KANA = re.compile("[\uff61-\uff9f]")


def places(text: str) -> set[str]:
    """The names of what is put in, without words of English grammar."""
    return {place[1] for place in PLACE.finditer(text) if place[1] and "|" not in place[1]}


@pytest.fixture(scope="module", params=DOMAINS)
def domain(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_catalogue_is_that_of_the_code(domain: str) -> None:
    """If not: `python -m notebooks.messages`, and translate what it left empty."""
    catalogue = renewed(domain, read(domain, "ja"))
    assert path_of(domain, "ja", "po").read_bytes() == po(catalogue)
    assert path_of(domain, "ja", "mo").read_bytes() == mo(catalogue)


def test_all_is_translated_with_the_same_places(domain: str) -> None:
    known = read(domain, "ja")
    assert [text for text in known if not known[text]] == []
    other = {text: said for text, said in known.items() if said != text and places(text) != places(said)}
    assert other == {}
    assert [said for said in known.values() if HALF_KANA.search(said)] == []


def test_most_of_what_is_translated_is_japanese(domain: str) -> None:
    """What stays as it is are formulas, code and names: less than a fifth."""
    known = read(domain, "ja")
    assert sum(text == said for text, said in known.items()) < len(known) / 5


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ('f"{count} of {total} are wrong"', "{count} of {total} are wrong"),
        ('f"{len(names)} names, {self.first!r}, {a.b.size:.3g}"', "{names} names, {first}, {size}"),
        ("f\"{n} word{'s' * (n != 1)} {'is' if n == 1 else 'are'} read\"", "{n} word{|s} {is|are} read"),
        ('f"{a + b} and {a + b} and {a - b}"', "{value} and {value} and {value2}"),
        ('f"the set {{{name}}}"', "the set {{{name}}}"),
    ],
)
def test_forms_of_f_strings(source: str, wanted: str) -> None:
    node = ast.parse(source, mode="eval").body
    assert isinstance(node, ast.JoinedStr) and messages.form(node) == wanted


def test_docstrings_and_code_are_no_messages() -> None:
    found = {one.text for one in found_in(("simulator/assembly", "simulator/engine")) if one.message}
    assert any("is not an instruction" in text for text in found)
    assert not any("Raises LanguageError" in text or text.startswith("gmfma ") for text in found)
