"""What beginners are told: where it is, what is wrong, and what to try next."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader import check
from haribote.answers.tasks import ROOT, find_task
from tests.grader.beginners import MISTAKES, WORDS

NO_CAUSE = {
    "the smallest for the largest", "softmax over the wrong axis", "an index for a place", "the stride forgotten",
    "losses not returned", "always the first epoch", "all rows at once", "what is needed soonest leaves",
}  # fmt: skip
"""Where no suspect explains the values, and only the first wrong one is told."""


def told(name: str, folder: Path) -> str:
    task, code = MISTAKES[name]
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
@pytest.mark.parametrize("name", MISTAKES)
def test_place_cause_and_next_step(name: str, tmp_path: Path) -> None:
    text = told(name, tmp_path)
    assert WORDS[name] in text, text
    assert re.search(r"answer\.py:\d+|has no function", text), text
    assert "try: " in text and "Traceback" not in text, text


def test_at_least_54_of_60_say_place_cause_and_next_step() -> None:
    assert len(MISTAKES) - len(NO_CAUSE) >= 54 and set(MISTAKES) >= NO_CAUSE
