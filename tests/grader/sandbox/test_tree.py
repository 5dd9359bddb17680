"""The tree that an answer sees: nobody's answers, no hints, and no form of the product's own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.sandbox.tree import _stored, course_tree, tree_files, withheld
from haribote.answers.tasks import Task, all_tasks, find_task
from simulator.language import spoken


@pytest.mark.some(12)
@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.id)
def test_no_answers_no_hints_and_nothing_of_the_checks(task: Task) -> None:
    files = tree_files(task)
    answers = (f"solutions/{task.file}", "solutions/kernels/", "solutions/generators/", "solutions/plain/", "tests/")
    answers += ("haribote/kernels/", "haribote/exercises/", "haribote/generators/")
    assert not any(name.startswith(answers) for name in files)
    assert {name for name in files if name.startswith("grader/") and "/emitter/" not in name} == {"grader/__init__.py"}
    text = b"\n".join(files.values()).decode(errors="replace")  # catalogues are no text alone
    assert not any(hint in text for known in all_tasks() for hint in known.hints)


def test_kernels_and_assembly_see_no_assembler_and_no_compiler() -> None:
    for name in ("4.2", "4.3", "4.8", "5.12", "5.34"):
        files = tree_files(find_task(name))
        parts = {"/".join(file.split("/")[:2]) for file in files}
        assert not parts & {"simulator/assembly", "simulator/schedule", "haribote/stack", "haribote/passes"}, name


def test_a_tree_that_another_process_takes_away_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path))
    (tmp_path / "grade").mkdir()
    (tmp_path / "grade" / ".tree-of-another").symlink_to("gone")  # listed, but no longer there
    assert (_stored({"one.py": b"ONE = 1\n"}) / "one.py").read_bytes() == b"ONE = 1\n"


@pytest.mark.slow
def test_what_a_task_lists_is_there() -> None:
    for task in all_tasks():
        files = tree_files(task)
        for module in task.may_import:
            place = module.replace(".", "/")
            assert f"{place}.py" in files or f"{place}/__init__.py" in files, (task.id, module)


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["0.1", "1.1", "3.1", "4.2", "4.3", "5.12", "7.6", "8.4"])
def test_what_a_task_withholds_is_not_there(name: str) -> None:
    task = find_task(name)
    files = tree_files(task)
    for file, content in withheld(task).items():
        assert files.get(file, content) == content
        assert not (course_tree(task) / file).exists() or (course_tree(task) / file).read_bytes() == content


def test_the_answers_that_the_product_needs_to_other_tasks_are_there() -> None:
    files = tree_files(find_task("2.1"))
    assert "solutions/exercises/t2_3_gemm_backward.py" in files
    assert "solutions/exercises/t2_1_relu_backward.py" not in files


def test_what_is_withheld_says_so_in_the_language_of_the_moment() -> None:
    task, file = find_task("4.1"), "haribote/layout.py"
    with spoken("ja"):
        japanese, there = withheld(task)[file].decode(), course_tree(task)
    english = withheld(task)[file].decode()
    assert "own answer to task 4.1" in english and "own answer to task 4.1" not in japanese
    assert (there / file).read_text(encoding="utf-8") == japanese
    assert (course_tree(task) / file).read_text(encoding="utf-8") == english


def test_all_that_a_task_withholds_is_there_under_its_name() -> None:
    named = [task for task in all_tasks() if task.withhold]
    assert named
    for task in named:
        for entry in task.withhold:
            file, _, only = entry.partition(":")
            content = withheld(task)[file]
            for name in only.split() if only else ():
                definitions = [node for node in ast.walk(ast.parse(content)) if getattr(node, "name", "") == name]
                assert definitions, (task.id, entry)
                assert all("own answer" in ast.unparse(node) for node in definitions), (task.id, entry)
