"""Cells of translated notebooks, before they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from simulator.messages import tr
from simulator.notebook.cells import TELLER, Translated, form
from tests.japanese import japanese

ENTRIES = {
    "values: {x} of {n} steps": "{n}ステップの値：{x}",
    "values: {value} of {n} steps": "{n}ステップの値：{value}",
    "{n} word{|s} read": "{n}語を読みました",
    "one picture of it": "その図",
    "step": "ステップ",
}


@pytest.fixture(autouse=True)
def catalogue() -> Iterator[None]:
    with japanese(ENTRIES):
        yield


def run(source: str) -> dict[str, object]:
    names: dict[str, object] = {TELLER: tr}
    exec(compile(Translated().visit(ast.parse(source)), "cell", "exec"), names)
    return names


def test_print_says_one_text(capsys: pytest.CaptureFixture[str]) -> None:
    run('n, x = 3, [1, 2]\nprint("values:", x, f"of {n} steps", end="!")')
    assert capsys.readouterr().out == "3ステップの値：[1, 2]!"


def test_a_star_in_print_is_put_in_as_it_would_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run('n, x = 3, [[1], 2]\nprint("values:", *x, f"of {n} steps")')
    assert capsys.readouterr().out == "3ステップの値：[1] 2\n"


def test_words_of_grammar_and_formats(capsys: pytest.CaptureFixture[str]) -> None:
    run("n = 2000\nprint(f\"{n:,} word{'s' * (n != 1)} read\")")
    assert capsys.readouterr().out == "2,000語を読みました\n"


def test_other_strings_are_looked_up_and_names_stay() -> None:
    names = run('a, b = "one picture of it", "step"\nc = {"step": 1}["step"]')
    assert (names["a"], names["b"], names["c"]) == ("その図", "step", 1)


def test_what_is_not_known_stays(capsys: pytest.CaptureFixture[str]) -> None:
    run('print("nothing", "known", sep="-")')
    assert capsys.readouterr().out == "nothing-known\n"


def test_in_english_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "en")
    tree = ast.parse('print("values:", x, f"of {n} steps")')
    assert ast.dump(Translated().visit(tree)) == ast.dump(ast.parse('print("values:", x, f"of {n} steps")'))


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
    assert isinstance(node, ast.JoinedStr) and form(node) == wanted


@pytest.mark.parametrize(
    "text", ["print(f\"values: {found['one picture of it']} of {n} steps\")", "y = f\"{found['one picture of it']}\""]
)
def test_a_key_is_the_same_in_the_places_of_a_text(text: str) -> None:
    assert "found" in run(f"n, found = 3, {{'one picture of it': 7}}\n{text}")
