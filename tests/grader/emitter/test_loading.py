"""Where an error of an answer is said to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.emitter.loading import AnswerError, compiled, explained


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("def f(:\n", "answer.py:1:7", "syntax error: invalid syntax"),
        ("x = 1\0\n", "answer.py", "cannot contain null bytes"),
        ("x = 1\ny = eval('(')\n", "answer.py:2", "(<string>, line 1)"),
    ],
    ids=["its own", "no line", "of what it evaluates"],
)
def test_the_place_of_a_syntax_error(text: str, place: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "answer.py"
    with pytest.raises(AnswerError) as told, explained(path, 1.0):
        exec(compiled(text.encode(), path), {})
    assert str(told.value.where).endswith(place)
    assert message in str(told.value.message)
