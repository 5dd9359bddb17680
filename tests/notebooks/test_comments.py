"""Comments in code cells: in the reader's language, and nothing else of the code."""

from __future__ import annotations

import ast

import pytest

from notebooks.comments import comments, in_language
from notebooks.form import bare, places

PYTHON = 'x = "# no comment"  # word 10 of PE 5\ny = 2  # (1)\n# your line'
ASSEMBLY = "%%vsm\nlpassa $lm0v $ln0v  # your first line\nnop"


def test_comments_are_found() -> None:
    assert [comment.text for comment in comments(PYTHON)] == ["word 10 of PE 5", "your line"]
    assert [comment.text for comment in comments(ASSEMBLY)] == ["your first line"]
    assert not list(comments("!ls  # all of it"))


def test_comments_are_translated() -> None:
    assert in_language(PYTHON, "ja") == 'x = "# no comment"  # PE 5 のワード10\ny = 2  # (1)\n# あなたの行'
    assert in_language(ASSEMBLY, "ja") == "%%vsm\nlpassa $lm0v $ln0v  # あなたの1行目\nnop"
    assert in_language(PYTHON, "en") == PYTHON


@pytest.mark.parametrize("place", [place for place in places() if place.language != "en"], ids=lambda place: place.name)
def test_the_code_is_the_same_in_all_languages(place) -> None:
    for cell, english in zip(bare(place).cells, bare(place.original).cells, strict=True):
        if cell.cell_type != "code" or cell.source.startswith(("%%", "!")):
            continue
        assert ast.dump(ast.parse(cell.source)) == ast.dump(ast.parse(english.source))
