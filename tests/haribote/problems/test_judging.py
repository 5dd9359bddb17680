"""Answers in the judge's form: accepted, refused in words, exported."""

from __future__ import annotations

from pathlib import Path

import pytest

from haribote.errors import HariboteError, NotWritten
from haribote.kernel import Op
from haribote.kernel_table import BY_NAME, KERNELS, KernelRow
from haribote.problems import judging

pytestmark = pytest.mark.usefixtures("with_solutions")


_QUICK = ("dl_16", "ul_256", "dl_256x16_p", "onehot", "relu", "sub_rows", "sum_columns", "scale_16")


@pytest.mark.parametrize(
    "name", [row.name if row.name in _QUICK else pytest.param(row.name, marks=pytest.mark.slow) for row in KERNELS]
)
def test_reference_answers_are_accepted_in_the_judges_form(name: str, tmp_path: Path) -> None:
    judged = judging.export_row(BY_NAME[name], True, tmp_path)
    assert judged.accepted, judged
    assert judged.file.read_text().count("\n") >= 2


def test_export_says_where_and_what(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(judging, "FOLDER", tmp_path)
    text = str(judging.export_answer("5.12"))
    assert "problem relu of the public set" in text and "judged by a case with random values: ACCEPTED score=2" in text
    with pytest.raises(HariboteError, match="is not a kernel"):
        judging.export_answer("2.1")
    monkeypatch.delenv("HARIBOTE_SOLUTIONS")
    monkeypatch.setattr(judging, "emit", _unwritten)
    with pytest.raises(NotWritten):
        judging.export_answer("5.12")


def _unwritten(row: KernelRow, op: Op, solutions: bool) -> str:
    raise NotWritten(f"task {row.task} is not written yet")


def test_an_answer_the_assembler_rejects_is_no_traceback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(judging, "emit", lambda row, op, solutions: "frelu $lm0v\n")
    judged = judging.export_row(BY_NAME["relu"], True, tmp_path)
    assert not judged.accepted and "REJECTED" in str(judged)


def test_with_a_golden_at_hand_it_is_the_judge(shared: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HARIBOTE_SHARED", str(shared))
    judged = judging.export_row(BY_NAME["relu"], True, tmp_path)
    assert judged.accepted and judged.golden == "relu.vsm"
