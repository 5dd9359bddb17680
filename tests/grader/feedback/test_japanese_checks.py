"""In the checks of stages 07 and 08, whatever an answer does, what a learner reads is Japanese: no English word is left
but names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from grader.feedback.failure import Failure
from grader.judging import judge_reply
from grader.running import replies_to
from grader.trials import trials_of, wrong_of
from haribote.answers.ownership import answer_file, product_only
from haribote.answers.tasks import Task, all_tasks
from simulator.messages import shown, tr

TASKS = [task for task in all_tasks() if task.stage in ("07_speed", "08_frontends")]
BODIES = ("raise ValueError('no')", "return None", "return 'text'", "return []", "return [None] * 3", "return {}")
"""What an answer may do besides being right or wrong."""
STAYS = re.compile(
    r"`[^`]*`|'[^']*'|\"[^\"]*\"|\S+\.py(?::\d+)*|<text>|\[[^\]]*\]|state\[\S+|\b\w+(?:Error|Type)\b:?.*"
)
"""Code, texts of answers, files, arrays, and errors of Python's own."""
ENGLISH = re.compile(r"(?<![\w./$-])[A-Za-z]?[a-z]{2,}(?![\w(=/_-])")
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
NAMES = {
    "7.1": {"nop", "gap", "other", "ul", "gemm", "dl", "exp", "relu", "paid"},
    "7.6": {"near", "group"},
    "7.8": {"Relu"},
    "8.1": {"Mul"},
    "8.2": {"amsgrad", "grad", "rate", "root"},
    "8.3": {"Mul", "Reciprocal"},
}
"""Names that a case gives to its lines, layouts and variants."""
TYPES = {"str", "list", "dict", "text", "None", "has"}
"""What Python calls what the answers above return."""


@pytest.fixture(autouse=True)
def japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "ja")


def sources(task: Task) -> Iterator[str]:
    """The solution, wrong answers, and its function with other bodies."""
    source = answer_file(task, solutions=True).read_text(encoding="utf-8")
    yield source
    yield from (source.replace(old, new) for old, new in wrong_of(task))
    function = next(f for f in ast.parse(source).body if isinstance(f, ast.FunctionDef) and f.name == task.name)
    lines = source.splitlines()
    begin, end = (function.body[0].end_lineno or 0), function.end_lineno
    for body in BODIES:
        yield "\n".join([*lines[:begin], f"    {body}", *lines[end:], ""])


def told(task: Task, source: str, path: Path) -> Iterator[str]:
    """What a learner is told: names of cases and inputs, and all that is wrong."""
    path.write_text(source, encoding="utf-8")
    failures: list[Failure | None] = []
    with product_only():
        trials = list(trials_of(task, 7))
        replies = replies_to(task, path, trials, seconds=2.0)
        failures = [judge_reply(trial, reply) for trial, reply in zip(trials, replies, strict=False)]
    yield from (str(tr("case: {case}", case=trial.name)) for trial in trials)
    for failure in filter(None, failures):
        yield from failure.told(shown).splitlines()
        yield from map(shown, failure.inputs)
        words = (array for array in map(np.asarray, failure.inputs.values()) if array.dtype.kind == "U")
        yield from (shown(str(word)) for array in words for word in array.flat)


def left(task: Task, line: str) -> set[str]:
    """English words that are left; a line without Japanese is code, or the name of an argument."""
    found = set(ENGLISH.findall(STAYS.sub(" ", line)))
    if not JAPANESE.search(line):
        return set() if line.isidentifier() or re.search(r"[$(.#]|^nop", line) else found
    return found - NAMES.get(task.id, set()) - TYPES - {task.name}


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_no_english_is_left(task: Task, tmp_path: Path) -> None:
    lines = {line for source in sources(task) for line in told(task, source, tmp_path / answer_file(task).name)}
    assert len(lines) > 10
    assert {line: words for line in lines if (words := left(task, line))} == {}
