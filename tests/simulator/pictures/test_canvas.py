"""Pictures in the language of the moment: what is measured is what is painted."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from simulator.messages import Text
from simulator.pictures import style
from simulator.pictures.canvas import Canvas, cut, width_of, wrap
from simulator.pictures.motion import Moving
from tests.japanese import japanese

ENTRIES = {
    "words that are read": "読まれる語",
    "{count} words of PE {pe}": "PE {pe} の{count}語",
    "a long sentence about words": "語についての長い文は、行に分けて書かれます。",
    "play": "再生",
    "cycle {cycle}": "サイクル {cycle}",
}
XML = "{http://www.w3.org/XML/1998/namespace}"


def words(count: int, pe: int) -> Text:
    return Text("{count} words of PE {pe}", {"count": count, "pe": pe})


def drawn() -> Canvas:
    canvas = Canvas()
    canvas.text(16, 20, Text("words that are read"), "s")
    canvas.text(16, 40, Text("a long sentence about words"), "s", room=120)
    canvas.rect(0, 0, 9, 9, "box", title=words(2, 3))
    canvas.path("M0 0", "rule", title=words(1, 0))
    with canvas.group(Text("words that are read")):
        canvas.rect(0, 0, 9, 9, "box")
    return canvas


def test_everything_that_is_read_is_in_the_language() -> None:
    with japanese(ENTRIES):
        picture = drawn().picture(words(3, 1), 100)
    root = ElementTree.fromstring(picture.text)
    assert picture.title == root.get("aria-label") == "PE 1 の3語"
    assert root.get("lang") == root.get(f"{XML}lang") == "ja"
    found = [(element.text or "") for element in root.iter() if element.tag.endswith(("}text", "}title"))]
    whole = ENTRIES["a long sentence about words"]
    assert found == ["読まれる語", found[1], whole, "PE 3 の2語", "PE 0 の1語", "読まれる語"]
    assert found[1].endswith("…") and whole.startswith(found[1][:-1])
    assert "Noto Sans CJK JP" in picture.text and "italic" not in picture.text


def test_english_pictures_name_no_language() -> None:
    picture = drawn().picture(words(3, 1), 100)
    assert "lang=" not in picture.text and "Noto" not in picture.text
    assert picture.title == "3 words of PE 1"


@pytest.mark.parametrize(("text", "style_"), [("語", ""), ("放送メモリ", "m"), ("放送", "head"), ("（語）", "s")])
def test_a_full_width_character_is_one_em(text: str, style_: str) -> None:
    size = {"": 12, "m": 11, "s": 11, "head": 15}[style_]
    assert width_of(text, style_) == len(text) * size
    assert width_of(f"{text}ab", style_) == pytest.approx(width_of(text, style_) + width_of("ab", style_))


def test_what_is_measured_is_what_is_painted() -> None:
    text = Text("a long sentence about words")
    with japanese(ENTRIES):
        assert width_of(text) == width_of(ENTRIES[text]) == 12 * len(ENTRIES[text])
        for room in range(30, 250, 7):
            assert width_of(cut(text, room)) <= room
            lines = wrap(text, room)
            assert "".join(lines) == ENTRIES[text] and all(width_of(line) <= room for line in lines)


def test_buttons_of_a_moving_picture() -> None:
    moving = Moving()
    moving.begin([Text("cycle {cycle}", {"cycle": cycle}) for cycle in (0, 1)])
    film = moving.film(Canvas().picture("nothing", 10), 10)
    with japanese(ENTRIES):
        page = film._repr_html_()
    assert 'class="play"' in page and "> 再生</label>" in page and "> サイクル 1</label>" in page
    assert "> cycle 1</label>" in film._repr_html_()


def test_fonts_end_with_the_generic_one() -> None:
    assert style.fonts(style.MONO) == style.MONO
    with japanese({}):
        for family in (style.MONO, style.SANS):
            first, last = family.split(", ")[0], family.split(", ")[-1]
            assert style.fonts(family).split(", ")[0] == first and style.fonts(family).split(", ")[-1] == last


def test_a_name_is_painted_as_it_is() -> None:
    with japanese(ENTRIES):
        canvas = Canvas()
        canvas.text(0, 10, Text("play"), name=True)
        canvas.text(0, 20, Text("play"), name=True, room=100)
        canvas.text(0, 30, Text("play"))
    assert [part.split(">")[1].split("<")[0] for part in canvas.parts] == ["play", "play", "再生"]
