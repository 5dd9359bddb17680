"""The tree that an answer sees: bare stubs, no answers, and no form of the product's own."""

from __future__ import annotations

import ast
from pathlib import Path

from grader.sandbox.tree import course_tree, tree_files, withheld
from haribote.answers.ownership import is_written
from haribote.answers.tasks import ROOT, all_tasks, find_task


def test_the_tree_has_bare_stubs_and_no_answers() -> None:
    files = tree_files()
    names = set(files)
    assert not any(name.startswith(("solutions/", "tests/", "grader/trials", "grader/judging")) for name in names)
    assert {name for name in names if name.startswith("grader/") and "/emitter/" not in name} == {"grader/__init__.py"}
    assert "haribote/answers/tasks.toml" in names
    folder = course_tree() / "course"
    assert all(not is_written(folder / "haribote" / task.file) for task in all_tasks())
    assert all((ROOT / name).is_file() or name.startswith("haribote/") for name in names)


def test_the_products_own_answer_is_withheld_in_every_form() -> None:
    for task in all_tasks():
        for name, content in withheld(task).items():
            assert (course_tree() / "withheld" / task.id / name).read_bytes() == content
            compiled = (course_tree() / "course" / name).parent / "__pycache__"
            assert not list(compiled.glob(f"{Path(name).stem}.*"))
            if name.endswith(".py"):
                compile(content, name, "exec")
    text = withheld(find_task("2.1"))["haribote/autodiff/elementwise.py"].decode()
    assert "is the product's own answer to task 2.1" in text and "'Greater'" not in text.split("def relu")[1][:400]


def test_all_that_a_task_withholds_is_there_under_its_name() -> None:
    named = [task for task in all_tasks() if task.product or task.withhold]
    assert named
    for task in named:
        module, _, function = task.product.partition(":")
        entries = (
            [f"{module.replace('.', '/')}.py:{function}"] if (ROOT / f"{module.replace('.', '/')}.py").is_file() else []
        )
        for entry in (*entries, *task.withhold):
            file, _, only = entry.partition(":")
            content = withheld(task)[file]
            for name in only.split() if only else ():
                definitions = [node for node in ast.walk(ast.parse(content)) if getattr(node, "name", "") == name]
                assert definitions, (task.id, entry)
                assert all("own answer" in ast.unparse(node) for node in definitions), (task.id, entry)
