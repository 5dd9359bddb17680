"""A failing check opens the viewer: at the first wrong word, with what was expected, who wrote it, and from what."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader import Result, check
from grader.cli import main
from grader.debugger import debugged as debugger
from grader.debugger.debugged import Debugged
from haribote.errors import HariboteError
from tests.grader.test_checking import answer, relu

TWO = "yield 'frelu $lm0v $lm0v $ln0v'\nyield 'frelu $lm8v $lm8v $ln8v'"
WRONG = TWO.replace("$lm8v $lm8v", "$lm0v $lm0v")


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'id="data">([^<]*)<', page)
    assert found is not None
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return data


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A Relu that computes some words from the wrong ones."""
    return relu(tmp_path_factory.mktemp("answer"), WRONG)


@pytest.fixture(scope="module")
def shown(wrong: Result) -> Debugged:
    return wrong.debug()


def first_wrong(result: Result) -> tuple[tuple[int, ...], int, int]:
    """Index of the first wrong element, and the bits of what was expected and received, by the failure's arrays."""
    failure = result.failure
    assert failure is not None and failure.error is not None
    assert failure.expected is not None and failure.received is not None
    index = tuple(int(number) for number in np.argwhere(failure.error > 0)[0])
    expected, received = (np.float32(array[index]).view(np.uint32) for array in (failure.expected, failure.received))
    return index, int(expected), int(received)


@pytest.mark.slow
def test_the_first_wrong_word_who_wrote_it_and_from_what(wrong: Result, shown: Debugged) -> None:
    index, expected, received = first_wrong(wrong)
    found = shown
    opening = data_of(found.page)["opening"]
    assert opening["name"] == f"out{list(index)}"
    assert (opening["expected"], opening["received"]) == (expected, received)
    assert opening["memory"] == "lm1" and 8 <= opening["address"] < 16
    assert data_of(found.page)["frames"][opening["frame"]]["line"] == 2
    assert f"expected 0x{expected:08x}" in found.report and f"received 0x{received:08x}" in found.report
    assert "written by line 2, cycle 0 (relu.py:6): frelu $lm0v $lm0v $ln8v" in found.report
    assert re.search(r"x = \$m0n0c0b0m0p0 = \S+ \(\S+\): given, in0\[0, 0\]", found.report)
    assert all(sentence in found.report for sentence in opening["sentences"])


@pytest.mark.slow
def test_the_operands_are_those_of_the_case_and_the_rest_is_junk(wrong: Result, shown: Debugged) -> None:
    assert wrong.failure is not None
    data = data_of(shown.page)
    given = wrong.failure.inputs["in0"]
    blob = re.search(r'id="values">([^<]*)<', shown.page)
    assert blob is not None
    words = np.frombuffer(zlib.decompress(base64.b64decode(blob[1])), np.uint32)
    for bits in given.view(np.uint32).reshape(-1)[::97]:
        assert bits in words
    assert set(data["junk"]) == {0x7E5, 0xFD3, 0xFFB}
    assert data["used"]["lm0"] == [[0, 16]] and data["used"]["lm1"] == [[0, 16]]


@pytest.mark.slow
def test_a_word_that_nobody_writes(tmp_path: Path) -> None:
    found = relu(tmp_path, TWO.splitlines()[0]).debug()
    assert "never written; line 1 (relu.py:5) writes next to it, at address 7: frelu $lm0v $lm0v $ln0v" in found.report
    assert data_of(found.page)["opening"]["address"] == 8
    assert any(start <= 8 < start + count for start, count in data_of(found.page)["used"]["lm1"])


@pytest.mark.slow
def test_a_word_that_is_written_in_other_units_only(tmp_path: Path) -> None:
    found = relu(tmp_path, "yield 'ipassa $peid $omr1'\n" + TWO.replace("$ln0v", "$ln0v/$imr1")).debug()
    assert "never written; line 2 (relu.py:6) writes this address, but not in this unit: frelu" in found.report


@pytest.mark.slow
def test_a_word_that_belongs_to_no_output(tmp_path: Path) -> None:
    report = relu(tmp_path, f"{TWO}\nyield 'ipassa $aluf $ln100v'").debug().report
    assert "LM1 word 100" in report and "belongs to no output" in report and "line 3" in report


def test_a_mistake_in_the_text_is_told_with_its_place(tmp_path: Path) -> None:
    found = relu(tmp_path, "yield 'nop'\nyield 'frela $lm0v $lm0v $ln0v'").debug()
    assert not found.page
    assert "relu.py:6" in found.report and "`frela` is not an instruction" in found.report


def test_a_wait_that_is_too_short_opens_at_its_line(tmp_path: Path) -> None:
    result = relu(tmp_path, "yield 'ipassa $lm0v $ln16v'\nyield 'ipassa $ln16v $lr0v'")
    found = result.debug()
    opening = data_of(found.page)["opening"]
    assert data_of(found.page)["frames"][opening["frame"]]["line"] == 2
    assert "memory" not in opening and any("line" in sentence for sentence in opening["sentences"])


@pytest.mark.slow
def test_where_all_is_right_the_first_case_is_shown_from_its_start(tmp_path: Path) -> None:
    result = check("5.12", path=answer(tmp_path, "5.12"), seed=1)
    assert result.passed
    assert "<iframe" not in result._repr_html_()
    found = result.debug()
    opening = data_of(found.page)["opening"]
    assert opening["frame"] == 0 and "passes" in opening["title"] and "memory" not in opening
    assert "every element different" in found.report


@pytest.mark.slow
def test_assembly_of_another_stage_has_a_debugger_too(tmp_path: Path) -> None:
    result = check("4.2", path=answer(tmp_path, "4.2", "l1bmm@0", "l1bmm@1"), seed=1)
    found = result.debug()
    assert data_of(found.page)["opening"]["memory"] == "dram"
    assert "the way up, to DRAM" in found.report and "written by line" in found.report


@pytest.mark.some(1)
@pytest.mark.parametrize(("task", "message"), [("2.1", "is no program of the machine"), ("5.13", "is not written yet")])
def test_what_has_no_debugger_says_so(task: str, message: str, tmp_path: Path) -> None:
    path = answer(tmp_path, task) if task == "2.1" else None
    with pytest.raises(HariboteError, match=message):
        check(task, path=path, seed=1).debug()


@pytest.mark.slow
def test_the_card_has_the_debugger_in_it(wrong: Result, tmp_path: Path) -> None:
    failed = wrong._repr_html_()
    assert failed.count("<iframe") == 1 and "<summary>Step through it" in failed and 'loading="lazy"' in failed
    assert "<iframe" not in relu(tmp_path, "yield 3")._repr_html_()


@pytest.mark.slow
def test_the_command_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(debugger, "FOLDER", tmp_path / "debug")
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    assert main(["debug", "5.12", "--no-open", "--seed", "1"]) == 0
    printed = capsys.readouterr().out
    assert "case: every element different, seed 1" in printed and f"page: {tmp_path / 'debug' / '5.12.html'}" in printed
    assert data_of((tmp_path / "debug" / "5.12.html").read_text())["opening"]["frame"] == 0
