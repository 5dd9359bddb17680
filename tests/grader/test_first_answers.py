"""The third hint leads to a right answer, and no hint asks for what has not been taught yet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.checking import check
from haribote.answers.tasks import ROOT, Task, all_tasks, find_task
from simulator.assembly.opcodes import MOVE_OPCODES, OPCODES
from tests.grader.first_answers import BODIES

OPERANDS = re.compile(r"\$[a-z]+")
ASSEMBLY = [task for task in all_tasks() if task.theme == "05_mncore_ops" or task.id in ("4.2", "4.3", "4.4", "4.5")]


def used(hint: str) -> set[str]:
    """The instructions and the operands that stand in a hint as code."""
    code = " ".join(re.findall(r"`([^`]*)`", hint))
    words = set(re.findall(r"(?<![\w$.{(])[a-z]+\d?[a-z]*\b", code))
    return (words & {*OPCODES, *MOVE_OPCODES}) | set(OPERANDS.findall(code))


def taught(task: Task) -> set[str]:
    """What the notebooks have shown up to the section of the task."""
    known: set[str] = set()
    for path in sorted((ROOT / "notebooks" / "source").glob("*/*.md")):
        name, text = f"{path.parent.name}/{path.stem}", path.read_text(encoding="utf-8")
        if path.stem.endswith(".ja") or name > task.notebook:
            continue
        if name == task.notebook:
            parts = re.split(r"(?m)^## (?:(\d+)\. )?", text)
            numbered = zip(parts[1::2], parts[2::2], strict=True)
            text = parts[0] + "".join(part for number, part in numbered if number and int(number) <= task.section)
        known |= set(re.findall(r"[a-z]+\d?[a-z]*", text)) | set(OPERANDS.findall(text))
    return known


@pytest.mark.parametrize("task", ASSEMBLY, ids=lambda task: task.id)
def test_hints_use_what_was_taught(task: Task) -> None:
    missing = {hint: sorted(used(hint) - taught(task)) for hint in task.hints}
    assert not {hint: found for hint, found in missing.items() if found}


def test_the_test_of_hints_finds_what_no_notebook_shows() -> None:
    assert used("first `hvadd -{x}r y`, then `$mreadf`, and for x or y") == {"hvadd", "$mreadf"}
    relu = find_task("5.12")
    assert "frelu" in taught(relu) and not {"hvadd", "gmfma", "$mreadf"} & taught(relu)


def answer(task: Task) -> str:
    """The course's own file of a task with another body."""
    source = (ROOT / "solutions" / task.file).read_text(encoding="utf-8")
    text = re.sub(r"(?s)    ### BEGIN SOLUTION\n.*### END SOLUTION\n", lambda _: BODIES[task.id].lstrip("\n"), source)
    return text.replace("import Op, Operand, kernel", "import Op, kernel")


@pytest.mark.slow
@pytest.mark.parametrize("task", [find_task(task) for task in BODIES], ids=lambda task: task.id)
def test_what_the_hints_describe_is_a_right_answer(task: Task, tmp_path: Path) -> None:
    path = tmp_path / "answer.py"
    path.write_text(answer(task), encoding="utf-8")
    result = check(task.id, path=path, seed=11)
    assert result.passed, str(result)
