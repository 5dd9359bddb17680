"""Texts in another language: by themselves, by their form, line by line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from simulator import messages
from simulator.language import in_english


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    entries = {
        "wrong rows": "行が違う",
        "{count} of {total} elements are wrong": "{total}個の要素のうち{count}個が違います",
        "{what}, and {more}": "{what}、そして{more}",
        "{n} word{|s} {is|are} read": "{n}語を読む",
        "a {{place}} of {name}": "{name}の{{場所}}",
        "{a}s of{b}": "{b}の{a}",
        "try:": "試すこと：",
        "units of {level}": "レベル： {level} の単位",
        "task {task} {state} {points} of {of}": "課題 {task}：{state}、{of}点中{points}点",
        "not started": "未着手",
        "passed": "合格",
        "group": "グループ",
        "group {number}": "グループ{number}",
        "first\nand second": "一\n二",
        "{anything} {else}": "何 {anything} {else}",
        "{some} of {all}": "{all}のうち{some}",
        "case: {name}": "ケース：{name}",
        "{count} elements of {what} are wrong": "{what}の要素{count}個が違います",
        "{name}: {count} steps": "{name}：{count}ステップ",
        "the images are of {count} rows": "画像は{count}行です",
        "{what} {share} of the cycles": "{what} サイクルの {share}",
        "{count} of {total}": "{total}個のうち{count}個",
    }
    monkeypatch.setattr(messages, "texts", lambda domain, folder, into: entries if domain == "simulator" else {})
    monkeypatch.setenv("HARIBOTE_LANG", "ja")
    messages.forget()
    yield
    monkeypatch.undo()
    messages.forget()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("wrong rows", "行が違う"),
        ("3 of 1,288", "1,288個のうち3個"),
        ("x of y", "yのうちx"),
        ("3 of 8 elements are wrong", "8個の要素のうち3個が違います"),
        ("3 of 8 elements are wrong, and wrong rows", "8個の要素のうち3個が違います、そして行が違う"),
        ("1 word is read", "1語を読む"),
        ("2 words are read", "2語を読む"),
        ("2 words were read", "2 words were read"),
        ("a {place} of x", "xの{場所}"),
        ("X1s ofY1", "Y1のX1"),
        ("words offered", "words offered"),
        ("first\nand second", "一\n二"),
        ("wrong rows\n    try: wrong rows\n", "行が違う\n    試すこと： 行が違う\n"),
        ("✗ wrong rows", "✗ 行が違う"),
        ("t5_3.py:12: wrong rows", "t5_3.py:12: 行が違う"),
        ("one\n    and second", "one\n    二"),
        ("x[3] of wrong rows", "行が違うのうちx[3]"),
        ("this is another kind of sentence", "this is another kind of sentence"),
        ("-O0: wrong rows, x (1 word is read)", "-O0: 行が違う, x (1語を読む)"),
        ("the last of them", "the last of them"),
        ("name     wrong rows     3", "name     行が違う       3"),
        ("all Gemm       15.9% of the cycles", "all Gemm       サイクルの 15.9%"),
        ("y: 3 of 8", "y: 8個のうち3個"),
        ("LM0 of MAB 0", "MAB 0のうちLM0"),  # no share
        ("units of L1B", "レベル： L1B の単位"),
        ("units of group", "レベル：グループの単位"),
        ("<text>:3:7: wrong rows", "<text>:3:7: 行が違う"),
        (r"C:\a.vsm:3: error: wrong rows", r"C:\a.vsm:3: error: 行が違う"),
        ("case: wrong rows", "ケース：行が違う"),
        ("case: relu: wrong rows", "ケース：relu: 行が違う"),
        ("case: 3 elements of x are wrong", "ケース：xの要素3個が違います"),
        ("y: 3 elements of x are wrong", "y: xの要素3個が違います"),
        ("    3 elements of x are wrong", "    xの要素3個が違います"),
        ("a.py:3: y: 3 elements of x are wrong", "a.py:3: y: xの要素3個が違います"),
        ("relu: 3 steps", "relu：3ステップ"),
        ("a.py:3: ValueError: 3 of 4", "a.py:3: ValueError: 3 of 4"),
        ("a.py:3: ValueError: the images are of 4 rows", "a.py:3: ValueError: 画像は4行です"),
        ("case: [ShapeInferenceError] 3 of 4", "ケース：[ShapeInferenceError] 3 of 4"),
        ("5.12 passed", "5.12 合格"),
        ("5.12 not started", "5.12 未着手"),
        ("task 5.12 passed 8 of 10", "課題 5.12：合格、10点中8点"),
        ("task 5.12 not started 0 of 10", "課題 5.12：未着手、10点中0点"),
        ("group 3", "グループ3"),
        ("group     3 語   3 rows", "group     3 語   3 rows"),  # of a table: a name, and what is said of it
        ("nothing known", "nothing known"),
        ("    row = 3 of x[wrong rows];", "    row = 3 of x[wrong rows];"),
        ("a sentence that nobody knows, wrong rows", "a sentence that nobody knows, wrong rows"),
        ("", ""),
    ],
)
def test_shown(catalogue: None, text: str, wanted: str) -> None:
    assert messages.shown(text) == wanted


def test_english_is_as_it_is(catalogue: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "en")
    assert messages.shown("wrong rows") == "wrong rows"


def test_what_is_stored_is_english(catalogue: None) -> None:
    with in_english():
        assert messages.shown("wrong rows") == "wrong rows"
    assert messages.shown("wrong rows") == "行が違う"


def test_texts_that_are_translated_elsewhere(catalogue: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "SOURCES", [])
    messages.use_also(lambda into: {"Round up": "切り上げ"} if into == "ja" else {})
    assert messages.shown("Round up, and wrong rows") == "切り上げ、そして行が違う"


def test_say(catalogue: None, capsys: pytest.CaptureFixture[str]) -> None:
    messages.say("wrong rows\nelse", end="|")
    assert capsys.readouterr().out == "行が違う\nelse|"
