"""The cases of a task are the same in every language, and what judges an answer does not look at words."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checking import check
from grader.emitter.values import encode
from grader.judges.program import failure_in
from grader.trials import Trial, trials_of
from haribote.answers.ownership import answer_file, product_only
from haribote.answers.tasks import Task, all_tasks, find_task

STALE_PATH = "lpassa $lm0v $nowrite\nfvmul $lm0v $lm0v $lr0v\nlpassa $aluf $ln0v"
NOPS = '        yield "nop"  # a GRF word'


def _trials(task: Task, language: str, patch: pytest.MonkeyPatch) -> list[Trial]:
    patch.setenv("HARIBOTE_LANG", language)
    with product_only():
        return list(trials_of(task, 7))


@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.id)
def test_the_same_is_asked_in_every_language(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    english, japanese = (_trials(task, language, monkeypatch) for language in ("en", "ja"))
    assert [trial.earns for trial in japanese] == [trial.earns for trial in english]
    assert [encode(trial.given) for trial in japanese] == [encode(trial.given) for trial in english]
    assert len({trial.name for trial in japanese}) == len(japanese)


def _failure_of(task: str, old: str, new: str, path: Path) -> str:
    """What is wrong with the solution once `new` stands in place of `old`."""
    source = answer_file(find_task(task), solutions=True).read_text(encoding="utf-8")
    assert old in source
    path.write_text(source.replace(old, new), encoding="utf-8")
    failure = check(task, path=path, seed=7).failure
    return str(failure) if failure else ""


@pytest.mark.parametrize("language", ["en", "ja"])
def test_wrong_answers_fail_in_every_language(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", language)
    assert failure_in("a path that holds something else", STALE_PATH)
    last = "logits.shape[1] - 1 - logits[:, ::-1].argmax(axis=1)"
    assert _failure_of("0.1", "logits.argmax(axis=1)", last, tmp_path / "last.py")


def test_what_is_said_is_japanese_and_no_more_than_in_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "ja")
    ended = _failure_of("0.1", "return float(", "import os; os._exit(0); return float(", tmp_path / "ended.py")
    assert "there is no answer" not in ended
    early = _failure_of("4.3", NOPS, NOPS.replace('yield "nop"', "pass"), tmp_path / "early.py")
    assert early and "行目の前に" not in early  # where to put how many nops is what the task asks
