"""What a learner expected is kept beside what came out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from haribote.errors import HariboteError
from haribote.lessons import predictions as module
from haribote.lessons.predictions import predict, predictions, questions
from notebooks.form import Place, places
from simulator.language import spoken

NOTEBOOK = "04_memory/01_who_holds_what"


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "runs" / "predictions.json"
    monkeypatch.setattr(module, "FILE", path)
    return path


@pytest.mark.parametrize("place", places(), ids=lambda place: place.name)
def test_every_question_has_its_number_and_its_text(place: Place) -> None:
    name = place.name.removesuffix(".ipynb").removesuffix(".ja")
    with spoken(place.language):
        found = questions(name)
    assert [(it.notebook, it.number) for it in found] == [(name, number) for number in range(1, len(found) + 1)]
    assert all(len(it.text) > 5 and "<" not in it.text[:3] for it in found)


def test_a_question_and_its_answer_are_read_from_the_notebook() -> None:
    first = questions(NOTEBOOK)[0]
    assert first.text == "How many PEs are there? And how many MABs?" and "4,096 PEs" in first.answer
    with spoken("ja"):
        assert "PE" in questions(NOTEBOOK)[0].text and questions(NOTEBOOK)[0].text != first.text


def test_what_is_said_is_kept_and_then_the_answer_is_shown(file: Path) -> None:
    asked = predict(NOTEBOOK, 1)
    assert not file.exists() and "4,096" not in asked._answer.value
    asked.field.value = "about 5,000"
    assert "4,096" in asked._answer.value and len(asked._marks.children) == 2
    asked.buttons[1].click()
    assert json.loads(file.read_text()) == {f"{NOTEBOOK} 1": {"said": "about 5,000", "right": False}}
    assert predict(NOTEBOOK, 1).field.value == "about 5,000"  # also in a notebook that is opened again


def test_a_stage_is_summed_up(file: Path) -> None:
    predict(NOTEBOOK, 1, "4,096").mark(True)
    predict(NOTEBOOK, 2, "500").mark(False)
    predict("02_autograd/02_gemm", 1, "no").mark(True)
    summed = predictions("04_memory")
    assert summed.head == f"you predicted 2 of {len(summed.entries)}; 1 came out as you expected"
    assert "✓ How many PEs" in str(summed) and "you expect: 500" in str(summed)
    file.write_text("[]")
    assert predictions("04_memory").head.startswith("you predicted 0 of ")


def test_a_question_that_there_is_not() -> None:
    with pytest.raises(HariboteError, match="no question 99"):
        predict(NOTEBOOK, 99)
    with pytest.raises(HariboteError, match="no notebook '04_memory/99'"):
        predict("04_memory/99", 1)
    with pytest.raises(HariboteError, match="no questions in '99'"):
        predictions("99")
