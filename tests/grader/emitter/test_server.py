"""The emitter as a process: requests in, replies out, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.emitter.serving import Order
from grader.judging import judge_answers, replies_in, requests_of
from haribote.answers.tasks import ROOT, find_task


def emitted(task: str, path: Path, requests: str) -> subprocess.CompletedProcess[str]:
    order = Order(task, str(path), path.read_bytes(), {}, 10.0).line()
    return subprocess.run(
        [sys.executable, "-m", "grader.emitter"], input=f"{order}\n{requests}",
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["2.3", "4.1", "5.12"])
def test_the_emitter_as_a_process(name: str) -> None:
    task = find_task(name)
    path = ROOT / "solutions" / task.file
    done = emitted(name, path, "".join(f"{line}\n" for line in requests_of(task, 5)))
    assert done.returncode == 0, done.stderr
    result = judge_answers(task, 5, replies_in(done.stdout.encode()), path)
    assert result.passed and result.points == task.points and result.cases == result.total > 1, str(result)


@pytest.mark.slow
def test_the_process_prints_nothing_but_replies(tmp_path: Path) -> None:
    task, path = find_task("0.1"), tmp_path / "answer.py"
    body = 'import os\nprint("hello")\nos.write(1, b"forged")\n\n'
    path.write_text(body + 'def accuracy(logits, labels):\n    print("x")\n    return 1\n')
    done = emitted("0.1", path, "".join(f"{line}\n" for line in requests_of(task, 5)))
    names = [json.loads(line)["name"] for line in done.stdout.splitlines()]
    assert len(names) == 5 and "hello" in done.stderr and "forged" in done.stderr
    path.write_text("1 / 0\n")
    done = emitted("0.1", path, "".join(f"{line}\n" for line in requests_of(task, 5)))
    replies = replies_in(done.stdout.encode())
    assert len(replies) == 5 and all(
        reply.problem and "ZeroDivisionError" in reply.problem.message for reply in replies
    )
    assert emitted("0.1", path, "nonsense\n").returncode == 2


def test_the_emitter_needs_nothing_else_of_the_grader() -> None:
    code = (
        "import sys, grader.emitter.serving, grader.emitter.s02_autograd, grader.emitter.s04_memory\n"
        "found = [n for n in sys.modules if n.startswith('grader.') and not n.startswith('grader.emitter')]\n"
        "sys.exit(str(found) if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
