"""Messages in another language: by their templates, with what stands in their places as it is."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from simulator import messages
from simulator.language import in_english
from simulator.messages import Text, joined, say, shown, tr
from tests.japanese import japanese

ENTRIES = {
    "wrong rows": "行が違う",
    "step": "ステップ",
    "{count} of {total} elements are wrong": "{total}個の要素のうち{count}個が違います",
    "{count:,} word{s} in {name!r}": "{name!r} の{count:,}語",
    "case: {name}": "ケース：{name}",
    "a {place}": "その {place}",
    ", ": "、",
}


@pytest.fixture(autouse=True)
def catalogue() -> Iterator[None]:
    with japanese(ENTRIES):
        yield


def test_a_message_is_looked_up_by_its_template() -> None:
    assert tr("wrong rows") == "行が違う"
    assert tr("{count} of {total} elements are wrong", count=3, total=8) == "8個の要素のうち3個が違います"
    assert tr("{count:,} word{s} in {name!r}", count=1288, s="s", name="x") == "'x' の1,288語"
    assert tr("nobody knows {name}", name="x") == "nobody knows x"


def test_what_stands_in_the_places_comes_in_their_order_or_by_their_names() -> None:
    assert tr("{count} of {total} elements are wrong", 3, 8) == "8個の要素のうち3個が違います"
    assert tr("{a} {{b}} {c:>{width}} {a!r}", "x", 2, 3) == "x {b}   2 'x'"
    with pytest.raises(ValueError, match="shorter"):
        tr("{count} of {total} elements are wrong", 3)


@pytest.mark.parametrize("name", ["step", "wrong rows", "loss", "mixed", "{place}", "step of step"])
def test_what_stands_in_a_place_is_verbatim(name: str) -> None:
    assert tr("case: {name}", name=name) == f"ケース：{name}"
    assert shown(name) == name


def test_a_message_in_a_place_is_translated() -> None:
    assert tr("case: {name}", name=Text("wrong rows")) == "ケース：行が違う"
    assert tr("case: {name}", name=tr("wrong rows")) == "ケース：行が違う"


def test_braces_are_places_only_where_places_are_given() -> None:
    assert tr("a {place}") == "その {place}"


def test_what_is_made_early_reads_in_english_until_it_is_shown() -> None:
    early = Text("{count} of {total} elements are wrong", {"count": 3, "total": 8})
    assert early == "3 of 8 elements are wrong" and {early: 1}["3 of 8 elements are wrong"] == 1
    assert shown(early) == "8個の要素のうち3個が違います"


def test_a_message_remembers_what_it_is_of() -> None:
    said = tr("case: {name}", name=tr("wrong rows"))
    assert isinstance(said, Text) and said.template == "case: {name}"
    assert said.said("en") == "case: wrong rows"
    with in_english():
        assert shown(said) == "case: wrong rows" and tr("wrong rows") == "wrong rows"


def test_messages_are_kept_as_text() -> None:
    assert shown(pickle.loads(pickle.dumps(Text("wrong rows")))) == "行が違う"
    assert pickle.loads(pickle.dumps(tr("case: {name}", name="x"))) == "ケース：x"


def test_an_unknown_language_is_no_trouble_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "fr")
    assert tr("wrong rows") == "wrong rows"


def test_texts_that_are_translated_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "SOURCES", [])
    messages.use_also(lambda into: {"Round up": "切り上げ"} if into == "ja" else {})
    assert joined(Text("Round up"), "", "x") == "切り上げ、x"


def test_say(capsys: pytest.CaptureFixture[str]) -> None:
    say(Text("wrong rows"), "step", end="|")
    assert capsys.readouterr().out == "行が違う step|"
