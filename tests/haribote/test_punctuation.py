"""One rule for numbers and colons in Japanese messages: nothing stands between a number and the word that counts it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CATALOGUES = [ROOT / name / "locale" / "ja" / "LC_MESSAGES" / f"{name}.po" for name in ("haribote", "simulator")]
WORD = "ぁ-んァ-ヶー一-龥"
COUNTED = "サイクル|ステップ|グループ|アドレス|軸|バッチ"
WRONG = (
    (re.compile(rf"(?<!課)[{WORD}] \d"), "a number follows Japanese without a blank, but for the id of a task"),
    (re.compile(rf"(?:{COUNTED}) \{{\w+\}}"), "a number follows what it counts without a blank"),
    (re.compile(r"課題(?:\d+\.\d|\{(?:id|task|found)\})"), "the id of a task is a name: a blank before it"),
    (re.compile(r"： \S"), "a wide colon has its blank inside"),
    (re.compile(rf"[{WORD}]\("), "wide brackets"),
    (re.compile(rf"^\S.*[{WORD}）][:;] "), "wide colons and semicolons, but for columns that are aligned by blanks"),
)


def translations(path: Path) -> Iterator[str]:
    """The Japanese of a catalogue."""
    for entry in re.findall(r'^msgstr((?: *"(?:[^"\\]|\\.)*"\n?)+)', path.read_text(encoding="utf-8"), re.M):
        yield "".join(ast.literal_eval(line.strip()) for line in entry.strip().splitlines())


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.name)
def test_messages_follow_the_rule(path: Path) -> None:
    found = list(translations(path))
    assert len(found) > 1000
    assert [(text, why) for text in found for pattern, why in WRONG if pattern.search(text)] == []
