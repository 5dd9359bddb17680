"""What commands, tables and pictures of haribote and grader say is Japanese where that is the language: no English
sentence is left in what is cheap to make.
"""

from __future__ import annotations

import argparse
import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from grader import check
from grader.catchup import CaughtUp
from grader.cli import _parser as grader_parser
from grader.grade.board import Board, as_page
from grader.listing import listing
from grader.medals import RULE as MEDALS
from grader.points import RULE
from grader.progress import Progress
from grader.puzzles.picture import puzzle_picture
from grader.puzzles.table import PUZZLES
from haribote import draw
from haribote.commands.cli import _parser as haribote_parser
from haribote.data.strokes import pad
from haribote.draw.colours import PAINTS
from haribote.graph import Builder
from haribote.lessons.layout_game import LayoutGame
from haribote.lessons.stages import WHY
from haribote.lessons.walk import walk
from haribote.levels.board import BY_HAND
from haribote.levels.board import Board as Steps
from haribote.levels.board import BoardLine as Step
from simulator.language import VARIABLE
from simulator.messages import Text, shown

WORD = r"(?<![\w$.`/-])[A-Za-z]?[a-z]{1,}[a-z](?:'s|n't)?(?![\w(=/_-])"
ENGLISH = re.compile(rf"{WORD} {WORD}")
STAYS = re.compile(
    r"`[^`]*`|<(?:style|script)>.*?</(?:style|script)>|srcdoc=\"[^\"]*\"|<[^>]*>|(?:grader|haribote|make) [\w. -]+|"
    r"usage: .*|使い方： [^\n]*(?:\n +[^\n]*\[[^\n]*)*",
    re.DOTALL,
)
"""Code, marks of HTML, commands, and how a command is called."""
NAMES = frozenset({"auto mnist", "mnist synthetic"})


@pytest.fixture(autouse=True)
def japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "ja")


def english(text: str) -> list[str]:
    """The lines that have two English words in a row."""
    bare = html.unescape(STAYS.sub(" · ", text))
    return [line for line in bare.splitlines() if (found := ENGLISH.search(line)) and found[0] not in NAMES]


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from parsers(inner)


@pytest.mark.parametrize("parser", [grader_parser, haribote_parser], ids=["grader", "haribote"])
def test_help(parser: Callable[[], argparse.ArgumentParser]) -> None:
    for one in parsers(parser()):
        assert english(one.format_help()) == [], one.prog


def graph() -> draw.Picture:
    builder = Builder("small")
    value = builder.op("Add", builder.input("x", (2, 3), np.float32), builder.scalar(1.0), name="y")
    builder.output(value)
    before = builder.finish()
    other = Builder("small")
    other.output(other.op("Mul", other.input("x", (2, 3), np.float32), other.scalar(2.0), name="y"))
    return draw.diff(before, other.finish())


def test_pictures() -> None:
    images = np.random.default_rng(0).random((50, 28, 28))
    for picture in (
        draw.layout("256x16.A", element=(3, 4)),
        draw.loss({"torch": [3.0, 2.0], "chip": [3.0, 2.1]}),
        draw.digits(images, list(range(50)), [0] * 50),
        graph(),
        walk("ijp"),
        LayoutGame().choose(max="A").picture(),
        puzzle_picture(PUZZLES["4.8"], "4.8", "nop"),
    ):
        assert english(str(picture)) == []
        assert 'lang="ja"' in str(picture) and "Noto Sans CJK JP" in str(picture)


def test_texts(tmp_path: Path) -> None:
    game = LayoutGame()
    steps = Steps((Step(Text("by hand"), BY_HAND, Text("one program, written by a person; single precision")),))
    for text in (
        listing(Progress(tmp_path)),
        str(check("5.14", keep=False)),
        shown(str(CaughtUp(("0.1",), ("1.1",), ("1.2",), ("5.3",)))),
        str(game.choose(max="A")),
        game.prices(),
        str(steps),
        repr(pad()),
        *map(shown, (RULE, MEDALS, *WHY.values(), *(paint[0] for paint in PAINTS.values()))),
    ):
        assert english(text) == []


def test_pages_name_their_language() -> None:
    page = as_page(Board({}, 2))
    assert '<html lang="ja">' in page and english(page) == []
    assert "lang=&quot;ja&quot;" in pad()._repr_html_()


def test_states_are_stored_in_english() -> None:
    result = check("5.14", keep=False)
    stored = result.as_dict()
    assert "未着手" in str(result) and stored["state"] == "not started"
