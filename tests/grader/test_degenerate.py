"""Answers that do nothing earn nothing worth having, and a table of answers to the public seed none either."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.checking import check
from grader.emitter.replies import Reply
from grader.grade.command import FINAL_SEED
from grader.judging import judge_answers
from grader.running import replies_to
from grader.trials import trials_of
from grader.trials.s03_fusion import FIRST_PRODUCT
from haribote.answers.ownership import answer_file, product_only
from haribote.answers.tasks import Task, all_tasks, find_task
from tests.grader.degenerate import FUNCTIONS, degenerate
from tests.long_runs import LONG

QUICK = ("0.1", "2.2", "3.3", "4.1", "4.3", "5.12", "6.1")
SHARE = 0.02  # of all points, for the best of these answers to every task


def earned(task: Task, folder: Path) -> dict[str, int]:
    """What each answer that does nothing earns; nothing that passes."""
    path, points = folder / "answer.py", {}
    for name, text in degenerate(task).items():
        path.write_text(text)
        result = check(task.id, path=path, seed=77)
        assert result.state == "failed" and result.failure, (task.id, name, str(result))
        points[name] = result.points
    return points


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task", QUICK)
def test_nothing_earns_nothing(task: str, tmp_path: Path) -> None:
    found = earned(find_task(task), tmp_path)
    assert len(found) > 5 and not any(found.values()), found


@LONG
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_doing_nothing_in_all_tasks_earns_nothing_worth_having(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    best = {task.id: max(earned(task, tmp_path).values()) for task in all_tasks()}
    of = sum(task.points for task in all_tasks())
    with capsys.disabled():
        print(f"\n{sum(best.values())} of {of} points: { ({task: p for task, p in best.items() if p}) }")
    assert len(best) == len(all_tasks()) and sum(best.values()) <= SHARE * of, best


def table(task: Task, seed: int) -> dict[str, Any]:
    """What the right answer replies to the cases of a seed, by what is given: all that a table could know."""
    with product_only():
        trials = list(trials_of(task, seed))
    replies = replies_to(task, answer_file(task, solutions=True), trials)
    return {_key(trial.given): reply.answer for trial, reply in zip(trials, replies, strict=True)}


def _key(given: Any) -> str:
    def plain(value: Any) -> Any:
        return (value.tobytes(), value.shape) if isinstance(value, np.ndarray) else value

    return repr(sorted((name, plain(value)) for name, value in given.items()))


@pytest.mark.parametrize("task", ["0.1", "1.2", "4.3"])
def test_a_table_of_the_public_seed_is_of_no_use(task: str) -> None:
    found = find_task(task)
    known, path = table(found, FINAL_SEED), answer_file(found, solutions=True)

    def points(seed: int) -> int:
        with product_only():
            replies = [Reply(trial.name, known.get(_key(trial.given), {})) for trial in trials_of(found, seed)]
        return judge_answers(found, seed, replies, path).points

    assert points(FINAL_SEED) == found.points and points(FINAL_SEED + 1) == 0


@pytest.mark.slow
def test_every_kernel_and_program_is_asked_for_addresses_that_a_seed_draws() -> None:
    for task in all_tasks():
        if task.is_kernel or task.id in ("4.2", "4.4", "4.5"):
            asked = [frozenset(_key(trial.given) for trial in trials_of(task, seed)) for seed in (FINAL_SEED, 5, 6)]
            assert len(set(asked)) > 1 and len({*map(len, asked)}) == 1, task.id


def test_many_strategies_are_tried() -> None:
    assert len(FUNCTIONS) > 40 and next(trials_of(find_task("3.1"), 1)).name == FIRST_PRODUCT
