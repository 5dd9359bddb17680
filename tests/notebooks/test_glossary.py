"""The glossary: each term once, each with a notebook that exists and has the term in it."""

from __future__ import annotations

import re
from pathlib import Path

from notebooks.form import SOURCE

GLOSSARY = Path(__file__).parent.parent.parent / "docs" / "glossary.md"
ROW = re.compile(r"^\| (.+?) \| (.+) \| (\d\d)/(\d) \|$", re.MULTILINE)


def rows() -> list[tuple[str, str, str]]:
    """Every row: term, explanation, and the text of the notebook in which it is said to come up first."""
    found = []
    for term, text, stage, number in ROW.findall(GLOSSARY.read_text(encoding="utf-8")):
        sources = sorted(SOURCE.glob(f"{stage}_*/0{number}_*.md"))
        assert sources, f"{term}: there is no notebook {stage}/{number}"
        found.append((term, text, sources[-1].read_text(encoding="utf-8")))
    return found


def test_every_term_stands_once_and_is_explained() -> None:
    terms = [term.lower() for term, _, _ in rows()]
    assert len(terms) > 100 and len(set(terms)) == len(terms)
    lines = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(lines) == len(terms) + GLOSSARY.read_text(encoding="utf-8").count("| term |")


def test_every_term_comes_up_in_its_notebook() -> None:
    def plain(text: str) -> str:
        return re.sub(r"[\s*`]+", " ", text).lower()

    for term, _, notebook in rows():
        words = [word.strip() for word in re.sub(r"\(.*?\)", "", plain(term)).split(",")]
        assert any(word in plain(notebook) for word in words), f"{term} does not come up in its notebook"
