"""The glossary: each term once in both languages, each with a notebook that exists and has the term in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from notebooks.form import SOURCE

GLOSSARY = Path(__file__).parent.parent.parent / "docs" / "glossary.md"
IN_JAPANESE = GLOSSARY.with_name("glossary.ja.md")
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+) \| (\d\d)/(\d) \|$", re.MULTILINE)
KANJI = re.compile(r"[\u3005\u4e00-\u9fff]")
READING = re.compile(r"（([\u3041-\u3096\u30a1-\u30fc]+)）")  # hiragana, and katakana where the term has it


class Row(NamedTuple):
    """A row: the term, its Japanese with a reading, its meaning, the text of the notebook that has it first."""

    term: str
    japanese: str
    meaning: str
    notebook: str


def rows() -> list[Row]:
    """Every row of the glossary."""
    found = []
    for term, japanese, meaning, stage, number in ROW.findall(GLOSSARY.read_text(encoding="utf-8")):
        sources = sorted(path for path in SOURCE.glob(f"{stage}_*/0{number}_*.md") if not path.name.endswith(".ja.md"))
        assert sources, f"{term}: there is no notebook {stage}/{number}"
        found.append(Row(term, japanese, meaning, sources[-1].read_text(encoding="utf-8")))
    return found


def test_every_term_stands_once_and_is_explained() -> None:
    terms = [row.term.lower() for row in rows()]
    assert len(terms) > 100 and len(set(terms)) == len(terms)
    lines = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(lines) == len(terms) + GLOSSARY.read_text(encoding="utf-8").count("| term | Japanese |")


def test_every_term_comes_up_in_its_notebook() -> None:
    def plain(text: str) -> str:
        return re.sub(r"[\s*`]+", " ", text).lower()

    for row in rows():
        words = [word.strip() for word in re.sub(r"\(.*?\)", "", plain(row.term)).split(",")]
        assert any(word in plain(row.notebook) for word in words), f"{row.term} does not come up in its notebook"


def test_every_japanese_term_stands_once_and_is_used() -> None:
    terms = [READING.sub("", row.japanese) for row in rows()]
    assert len(set(terms)) == len(terms)
    sources = [path.read_text(encoding="utf-8").lower() for path in SOURCE.glob("*/*.ja.md")]
    for term in terms:
        for word in term.lower().split("、"):
            assert any(word in source for source in sources), f"{word} is in no Japanese notebook"


def test_kanji_have_their_reading() -> None:
    for row in rows():
        for word in row.japanese.split("、"):
            assert bool(KANJI.search(word)) == bool(READING.search(word)), f"{row.term}: {word}"


def test_the_japanese_glossary_has_the_same_rows() -> None:
    def places(path: Path) -> list[tuple[str, str, str]]:
        found = ROW.findall(path.read_text(encoding="utf-8"))
        return [(first, second, f"{stage}/{number}") for first, second, _, stage, number in found]

    assert places(IN_JAPANESE) == [(japanese, term, place) for term, japanese, place in places(GLOSSARY)]
