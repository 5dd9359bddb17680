"""The card of a result in a notebook: links to the line and to the hints, text that can be read."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from grader.feedback.failure import Failure
from grader.result import Result
from haribote.answers.tasks import ROOT, find_task
from simulator.pictures.style import DARK, LIGHT
from tests.eyes import contrast

FILE = "haribote/kernels/t5_12_relu.py"


def failed(where: str = f"{FILE}:12") -> Result:
    wrong = np.zeros((2, 3))
    failure = Failure("2x3", "wrong rows", "the first <b>word</b> differs", where, error=wrong + 1, picture="o.o.")
    return Result("5.12", "Relu", "failed", 0, 3, FILE, "1 of 3 cases passed", failure=failure)


def test_the_place_is_a_link_that_jupyterlab_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "notebooks")
    card = failed()._repr_html_()
    (target, line), *_ = re.findall(r'<a href="([^"#]+)#line=(\d+)">', card)
    assert Path(target).resolve() == ROOT / FILE and int(line) == 11, "JupyterLab counts lines from 0"
    assert f">{FILE}:12</a>" in card and "&lt;b&gt;word" in card
    assert "<a" not in failed("elsewhere.py:3")._repr_html_().partition("open ")[0].rpartition("<p>")[0]


def test_hints_open_one_after_the_other() -> None:
    card = failed()._repr_html_()
    assert card.count("<details>") == card.count("</details>") == 3
    assert re.search(r"hint 1 of 3.*<details>.*hint 2 of 3.*<details>.*hint 3 of 3", card, re.DOTALL)
    assert find_task("5.12").hints[2].split()[0] in card
    passed = Result("5.12", "Relu", "passed", 3, 3, FILE, "3 of 3 cases passed")._repr_html_()
    assert "<details>" not in passed and 'data-state="good"' in passed


def test_text_of_cards_can_be_read_in_light_and_dark() -> None:
    card = failed()._repr_html_()
    style = card.partition("</style>")[0]
    inks = {name for name in re.findall(r"(?:color|--state): var\(--(\w+)\)", style)} - {"state"}
    assert {"ink", "from", "good", "bad", "to", "faint"} <= inks
    for theme in (LIGHT, DARK):
        assert theme["paper"] in style
        for ink in inks:
            assert theme[ink] in style and contrast(theme[ink], theme["paper"]) >= 4.5
