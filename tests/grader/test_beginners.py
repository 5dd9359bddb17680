"""What beginners are told: where it is, what is wrong, and what to try next."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader import check
from haribote.answers.tasks import ROOT, find_task
from tests.grader.beginners import MISTAKES, WORDS, Mistake
from tests.grader.beginners_later import LATER

ALL: dict[str, tuple[Mistake, str]] = {name: (MISTAKES[name], WORDS[name]) for name in MISTAKES}
ALL |= {name: ((task, code), words) for name, (task, code, words) in LATER.items()}


def told(mistake: Mistake, folder: Path) -> str:
    task, code = mistake
    if isinstance(code, tuple):
        text = (ROOT / "solutions" / find_task(task).file).read_text(encoding="utf-8")
        assert code[0] in text
        code = text.replace(*code)
    path = folder / "answer.py"
    path.write_text(code, encoding="utf-8")
    result = check(task, path=path, seed=1, keep=False)
    assert result.state == "failed" and not result.passed
    return str(result)


@pytest.mark.some(3)
@pytest.mark.parametrize("name", ALL)
def test_place_cause_and_next_step(name: str, tmp_path: Path) -> None:
    mistake, words = ALL[name]
    text = told(mistake, tmp_path)
    assert words in text, text
    assert re.search(r"answer\.py:\d+|has no function", text), text
    assert "try: " in text and "Traceback" not in text, text


def test_there_are_more_than_a_hundred() -> None:
    assert len(MISTAKES) + len(LATER) == len(ALL) > 100


def test_every_stage_has_its_mistakes() -> None:
    assert {mistake[0].partition(".")[0] for mistake, _ in ALL.values()} == set("012345678")
