"""The quick check takes every reference kernel, no kernel that relies on an address, and no text twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from haribote.answers.resolve import resolve_row
from haribote.chip.codegen import run_kernel
from haribote.kernel_table import BY_NAME, KERNELS, KernelRow, problem
from haribote.own import quick_check
from haribote.own.quick_check import FILE, looked_at, what_is_wrong

pytestmark = pytest.mark.usefixtures("with_solutions")


def reference(row: KernelRow) -> str:
    answer = resolve_row(row, True)
    assert answer is not None
    return "\n".join(run_kernel(answer.kernel, looked_at(row)))


@pytest.mark.slow
def test_it_takes_every_reference_kernel(tmp_path: Path) -> None:
    for row in KERNELS:
        assert what_is_wrong(row, reference(row), tmp_path) == "", row.name
    assert len(json.loads((tmp_path / FILE).read_text(encoding="utf-8"))) == len(
        {(r.name, reference(r)) for r in KERNELS}
    )


def test_it_refuses_a_kernel_that_writes_down_the_addresses_of_the_problem_set(tmp_path: Path) -> None:
    row = BY_NAME["dl_16"]
    answer = resolve_row(row, True)
    assert answer is not None
    assert what_is_wrong(row, "\n".join(run_kernel(answer.kernel, problem(row))), tmp_path).startswith("out[")


def test_a_ul_that_takes_another_copy_is_wrong(tmp_path: Path) -> None:
    row = BY_NAME["ul_16"]
    other = reference(row).replace("l1bmm@0", "l1bmm@1")
    assert "out[" in what_is_wrong(row, other, tmp_path)


def test_the_same_text_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row, text = BY_NAME["relu"], "frelu $lm0v $lm0v $ln0v"  # half of the words
    first = what_is_wrong(row, text, tmp_path)
    assert "should be" in first and "grader check 5.12" in first
    monkeypatch.setattr(quick_check, "_found", lambda row, text: "it ran again")
    quick_check._what_is_wrong.cache_clear()  # as in a new process
    assert what_is_wrong(row, text, tmp_path) == first
    assert what_is_wrong(row, text + "\nnop", tmp_path) == "it ran again"
    (tmp_path / FILE).write_text("{", encoding="utf-8")  # damaged
    quick_check._what_is_wrong.cache_clear()
    assert what_is_wrong(row, text, tmp_path) == "it ran again"


def test_bad_assembly_is_named(tmp_path: Path) -> None:
    row = BY_NAME["relu"]
    assert "frelu" in what_is_wrong(row, "frelu $lm0v", tmp_path)
    early = what_is_wrong(row, "lpassa $lm0v $ln0v\nl1bmm@0 $lm0v $lb0\nl2bm@0 $lb0 $lc0", tmp_path)
    assert early.startswith("line 3 of its assembly: ")
