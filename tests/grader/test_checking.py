"""The feedback of a check: state, likely cause, place in the learner's file, points, speed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grader import Result, check
from grader.feedback.causes import NEVER_WRITTEN
from grader.stubs import stub_of
from haribote.answers.given import source_of
from haribote.answers.tasks import MERGED, ROOT, Task, UnknownTask, all_tasks, find_task
from haribote.kernel_table import rows_of

KERNEL_TASKS = [task for task in all_tasks() if task.is_kernel]


def answer(tmp_path: Path, task: str, old: str = "", new: str = "") -> Path:
    """A solution with one place changed."""
    source = (ROOT / "solutions" / find_task(task).file).read_text(encoding="utf-8")
    assert old in source
    path = tmp_path / Path(find_task(task).file).name
    path.write_text(source.replace(old, new), encoding="utf-8")
    return path


def relu(tmp_path: Path, body: str) -> Result:
    """The check of a Relu with this body."""
    path = tmp_path / "relu.py"
    head = 'from haribote.kernel import Op, kernel\n\n@kernel("5.12", "Relu")\ndef relu(op):\n'
    path.write_text(head + "".join(f"    {line}\n" for line in body.splitlines()))
    return check("5.12", path=path, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("task", KERNEL_TASKS, ids=lambda task: task.id)
def test_a_solution_has_full_marks(task: Task) -> None:
    result = check(task.id, path=ROOT / "solutions" / task.file)
    assert result.passed and result.points == task.points, str(result)
    assert {cost.name for cost in result.costs} == {row.name for row in rows_of(task.id)}
    assert all(cost.score <= cost.par for cost in result.costs)


CORRECT = """\
step, take = (8, type(op.x).long) if op.x.words % 8 == 0 else (4, type(op.x).word)
for at in range(0, op.x.words, step):
    yield f"frelu {take(op.x, at)} {take(op.x, at)} {take(op.y, at)}"
"""


@pytest.mark.slow
def test_a_simple_answer_passes_and_slow_ones_have_fewer_points(tmp_path: Path) -> None:
    assert relu(tmp_path, CORRECT).points == 10
    slow = relu(tmp_path, CORRECT + '\nyield "nop/2"')
    assert slow.passed and slow.points == 8 and "2 over par 2" in str(slow)


def test_an_unwritten_stub_is_not_started() -> None:
    result = check("5.12", path=ROOT / "haribote" / "kernels" / "missing.py")
    assert result.state == "not started" and result.points == 0 and result.failure is None


@pytest.mark.parametrize(
    "body, message",
    [
        ("yield 1 / 0", "relu.py:5: ZeroDivisionError"),
        ("yield 3", "relu.py:5: lines of assembly are text, received int 3"),
        ("return None", "gave NoneType, not lines"),
        ("yield undefined", "relu.py:5: NameError"),
        ("yield f'frelu {op.x.long(0)}", "relu.py:5:"),
        ("raise SystemExit(0)", "relu.py:5: SystemExit"),
        ("yield 'nop'\nyield 'ferlu $lm0v $lm0v $ln0v'", "relu.py:6: the assembler says"),
        ("yield op.x.dram()", "relu.py:5: operand in0 is in LM0"),
        ("while True: yield 'nop'", "relu.py:5: more than 50000 lines"),
    ],
)
def test_mistakes_in_python_are_told_with_their_line(tmp_path: Path, body: str, message: str) -> None:
    result = relu(tmp_path, body)
    assert result.state == "failed" and message in str(result)
    assert "Traceback" not in str(result) and "checking.py" not in str(result)


def test_an_endless_loop_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.checking.find_task", lambda name: replace(find_task(name), seconds=0.2))
    assert "relu.py:5: stopped" in str(relu(tmp_path, "while True: pass"))


@pytest.mark.slow
def test_a_failure_has_inputs_maps_and_a_picture(tmp_path: Path) -> None:
    result = relu(tmp_path, 'yield f"frelu {op.x.long(0)} {op.x.long(0)} {op.y.long(0)}"')
    failure = result.failure
    assert failure is not None and failure.error is not None and failure.machine is not None
    assert failure.inputs["in0"].shape == failure.error.shape == (256, 16)
    assert failure.machine.shape == (8, 8, 16, 4)
    half = np.arange(256) // 8 % 4 >= 2  # of 4 rows in each L1B, the last two
    assert np.array_equal((failure.error > 0).all(axis=1), half)
    assert "2048 of 4096 elements wrong" in failure.picture
    assert "<pre" in result._repr_html_() and "2,048 of 4,096" in result._repr_html_()
    assert result.as_dict()["cause"] == NEVER_WRITTEN


@pytest.mark.slow
def test_the_seed_gives_the_same_case_again(tmp_path: Path) -> None:
    path = answer(tmp_path, "5.12", "{take(op.y, at)}", "$ln{at}v")
    first, again, other = (check("5.12", path=path, seed=seed).failure for seed in (3, 3, 4))
    assert first and again and other
    assert np.array_equal(first.inputs["in0"], again.inputs["in0"])
    assert not np.array_equal(first.inputs["in0"], other.inputs["in0"])


def test_no_torch() -> None:
    code = "import sys; from grader import check; check('5.12'); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_of_a_task_that_is_not_started_nothing_is_loaded_that_runs_answers(tmp_path: Path) -> None:
    path, task = tmp_path / "answer.py", find_task("5.12")
    path.write_text(stub_of(task, source_of(task)), encoding="utf-8")
    code = f"""
import sys
from pathlib import Path
from grader import check
found = check("5.12", path=Path({str(path)!r}))
print(found.state, *({{"grader.on_cases", "simulator.engine.machine"}} & sys.modules.keys()))
"""
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert ended.stdout == "not started\n"


def test_unknown_task() -> None:
    with pytest.raises(UnknownTask, match="grader list"):
        check("5.99")


@pytest.mark.slow
def test_the_id_of_a_merged_task_is_taken_and_its_old_answer_is_judged(tmp_path: Path) -> None:
    """The old answer has the old id in its decorator."""
    (old, merged), *_ = MERGED.items()
    path = answer(tmp_path, old, f'@kernel("{merged.task}"', f'@kernel("{old}"')
    result = check(old, path=path, seed=3)
    assert result.passed and result.task == merged.task and result.points == find_task(old).points
