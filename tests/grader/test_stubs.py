"""Stubs are made from solutions, and never over a learner's work."""

from __future__ import annotations

import ast
import importlib
import shutil
from pathlib import Path

import pytest

from grader.stubs import MANIFEST, StubError, digest, is_edited, read_manifest, reset, stub_of, write_stubs
from haribote.answers.given import source_of
from haribote.answers.ownership import is_written
from haribote.answers.resolve import kernel_in, resolve
from haribote.answers.tasks import ROOT, Task, all_tasks, find_task
from haribote.chip.codegen import run_kernel
from haribote.errors import NotWritten
from haribote.kernel_table import KERNELS, KernelRow, problem

RELU = find_task("5.12")

SOLUTION = '''"""Task 5.12: Relu (the idea)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from haribote.kernel import Op, Operand, kernel
from solutions.kernels._gemm import ONE


@kernel("5.12", "Relu")
def relu(op: Op) -> Iterator[str]:
    """The contract."""
    ### BEGIN SOLUTION
    # a comment

    yield f"{math.pi} {ONE} {_help(op.x)}"


def _help(x: Operand) -> str:
    return x.name
    ### END SOLUTION
'''

STUB = '''"""Task 5.12: Relu.

It is taught in notebooks/00_start/02_first_kernel, section 2.
Check it with `grader check 5.12`; if you are stuck, `grader hint 5.12`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten
from haribote.kernel import Op, kernel


@kernel("5.12", "Relu")
def relu(op: Op) -> Iterator[str]:
    """The contract."""
    # TODO: about 3 lines.
    raise NotWritten("task 5.12 (Relu) is not written yet; check it with `grader check 5.12`")
'''


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course of one task."""
    for folder in ("solutions", "haribote"):
        (tmp_path / folder / "kernels").mkdir(parents=True)
    (tmp_path / "grader").mkdir()
    shutil.copy(ROOT / "solutions" / RELU.file, tmp_path / "solutions" / RELU.file)
    return tmp_path


def learners(course: Path) -> Path:
    return course / "haribote" / RELU.file


def test_a_stub_keeps_the_contract_and_loses_the_solution() -> None:
    assert stub_of(RELU, SOLUTION) == STUB


def test_a_solution_without_markers_is_refused() -> None:
    with pytest.raises(StubError, match="BEGIN SOLUTION"):
        stub_of(RELU, SOLUTION.replace("### BEGIN", "# BEGIN"))


@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.id)
def test_the_stub_in_the_tree_is_what_the_solution_gives(task: Task) -> None:
    """On a learner's tree an edited file is theirs; what was generated must still be the newest."""
    text = stub_of(task, source_of(task))
    assert read_manifest()[task.file] == digest(text)
    if not is_edited(task):
        assert (ROOT / "haribote" / task.file).read_text(encoding="utf-8") == text
    imported = {node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    assert not any(module and module.startswith("solutions") for module in imported)
    assert not {"SOLUTION", "HOLE"} & set(text.split()) and f"grader check {task.id}" in text


def test_generating_again_changes_nothing(course: Path) -> None:
    assert write_stubs(course, [RELU]).written == (RELU.file,)
    assert write_stubs(course, [RELU]) == write_stubs(course, [RELU])
    assert write_stubs(course, [RELU]).written == ()


def test_an_edited_file_is_kept_when_the_course_is_updated(course: Path) -> None:
    write_stubs(course, [RELU])
    learners(course).write_text("mine\n")
    solution = course / "solutions" / RELU.file
    solution.write_text(solution.read_text().replace("element by element", "one by one"))
    done = write_stubs(course, [RELU])
    assert (done.written, done.kept) == ((), (RELU.file,))
    assert learners(course).read_text() == "mine\n"


def test_a_file_that_is_still_the_old_stub_is_updated(course: Path) -> None:
    write_stubs(course, [RELU])
    solution = course / "solutions" / RELU.file
    solution.write_text(solution.read_text().replace("element by element", "one by one"))
    assert write_stubs(course, [RELU]).written == (RELU.file,)
    assert "one by one" in learners(course).read_text()


def test_a_file_of_unknown_origin_is_a_learners(course: Path) -> None:
    learners(course).write_text("mine\n")
    assert write_stubs(course, [RELU]).kept == (RELU.file,)
    assert not read_manifest(course)


def test_line_ends_are_no_edit(course: Path) -> None:
    write_stubs(course, [RELU])
    learners(course).write_bytes(learners(course).read_bytes().replace(b"\n", b"\r\n"))
    assert not is_edited(RELU, course)


def test_reset_backs_up_first(course: Path) -> None:
    write_stubs(course, [RELU])
    stub = learners(course).read_text()
    assert reset(RELU, course) is None
    learners(course).write_text("mine\n")
    backup = reset(RELU, course)
    assert backup is not None and backup.read_text() == "mine\n"
    assert learners(course).read_text() == stub and not is_edited(RELU, course)
    assert (course / MANIFEST).is_file()


def test_written_means_that_no_raise_is_left(tmp_path: Path) -> None:
    path = tmp_path / "answer.py"
    assert not is_written(path)
    path.write_text(STUB)
    assert not is_written(path)
    path.write_text(STUB.replace("raise NotWritten", "print"))
    assert is_written(path)
    path.write_text("def broken(:\n")
    assert is_written(path)


@pytest.mark.parametrize("row", KERNELS, ids=lambda row: row.name)
def test_a_stub_raises_not_written_and_counts_as_no_kernel(row: KernelRow) -> None:
    task = find_task(row.task)
    if is_edited(task):
        pytest.skip("a learner has edited it")
    kernel = kernel_in(importlib.import_module(f"haribote.kernels.{row.module}"), row.task)
    with pytest.raises(NotWritten, match=rf"task {row.task} .*grader check {row.task}"):
        run_kernel(kernel, problem(row))
    assert resolve(row.task) is None


def test_every_kernel_of_the_table_has_its_task() -> None:
    for row in KERNELS:
        assert find_task(row.task).file == f"kernels/{row.module}.py"
