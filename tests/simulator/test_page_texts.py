"""Texts of scripts and pages: found where they are asked for, and translated with what asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator import messages
from simulator.page_texts import END_OF_CONTEXT, PAGE, filled, in_page, in_script, script_texts

SCRIPT = """
const name = _("{count} \\"lines\\"", { count });
at("x").textContent = one ? _("one") : _(
  "two",
);
other_("no"), object._("no"), _(name);
"""
PAGE_TEXT = '<h1 title="{{one}}">{{a long\n    text}}</h1>'


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    entries = {f"{PAGE}{END_OF_CONTEXT}{text}": said for text, said in {"one": "一", "a long text": "長い文"}.items()}
    other = {"two": "二", "{a} of {b}": "{b}の{a}", f"{PAGE}{END_OF_CONTEXT}{{a}} in {{b}}": "{b}にある{a}"}
    monkeypatch.setattr(messages, "FOLDERS", {"simulator": Path()})
    monkeypatch.setattr(messages, "texts", lambda domain, folder, into: entries | other)
    monkeypatch.setenv("HARIBOTE_LANG", "ja")
    messages.forget()
    yield
    monkeypatch.undo()
    messages.forget()


def test_what_is_asked_for_is_found() -> None:
    assert in_script(SCRIPT) == ['{count} "lines"', "one", "two"]
    assert in_page(PAGE_TEXT) == ["one", "a long text"]


def test_a_script_gets_what_it_asks_for_and_a_page_is_filled(catalogue: None) -> None:
    assert script_texts(SCRIPT) == {"one": "一"}
    assert filled(PAGE_TEXT) == '<h1 title="一">長い文</h1>'


def test_a_message_of_a_page_is_no_other_one(catalogue: None) -> None:
    assert messages.tr("{a} of {b}", a="W1", b="n0") == "n0のW1"
    assert messages.tr("{a} in {b}", a="word", b="n0") == "word in n0"


def test_english_needs_nothing(catalogue: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "en")
    assert script_texts(SCRIPT) == {}
    assert filled(PAGE_TEXT) == '<h1 title="one">a long\n    text</h1>'
