"""Answers that give values of no use: a failure in words for each, the same from a file and through a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.emitter.replies import answering, read_reply
from grader.judging import judge_reply
from grader.trials import trials_of
from haribote.answers.ownership import product_only
from haribote.answers.tasks import Task, all_tasks, find_task

HEAD = """\
import datetime, decimal, fractions
import numpy as np
from haribote.kernel import kernel

loop = []
loop.append(loop)
table = {}
table['x'] = table

class Hostile:
    def _no(self, *args, **kwargs):
        raise RuntimeError('no')
    __float__ = __int__ = __iter__ = __len__ = __array__ = __eq__ = __bool__ = __str__ = __repr__ = __index__ = _no
    __getattr__ = __call__ = __getitem__ = __next__ = __hash__ = _no

class Number(float):
    def __float__(self):
        raise SystemExit(0)

class Text(str):
    def splitlines(self, *args):
        return [3, None]

class Untold(Exception):
    def __str__(self):
        raise RuntimeError('no')

def thrown(error):
    raise error

def deep(n):
    return [deep(n - 1)] if n else 1

def endless():
    return endless()
"""
VALUES = (
    "None", "True", "-1", "1e300", "float('nan')", "float('inf')", "10**400", "-10**400", "10**5000", "1j", "'text'",
    "'nop\\ud800'", "b'x'", "[]", "()", "{}", "set()", "[[]]", "[1, [2]]", "[None]", "[10**400]", "['nop', 3]",
    "['\\ud800']", "{1: 2}", "{'a': loop}", "loop", "table", "deep(900)", "endless()", "object()", "type", "len",
    "lambda *a: 0", "iter([])", "(x for x in [1, None])", "Hostile()", "[Hostile()]", "{'a': Hostile()}", "Number(1)",
    "Text('nop')", "[Text('nop')]", "NotImplemented", "...", "range(5)", "memoryview(b'x')", "decimal.Decimal('NaN')",
    "fractions.Fraction(1, 3)", "datetime.date(2026, 1, 1)", "np.float64('nan')", "np.float32(7)", "np.int64(-7)",
    "np.array([])", "np.array(object())", "np.array(['a'])", "np.array([Hostile()])", "np.zeros((0, 3))",
    "np.ma.masked",
    "np.zeros(1, 'M8[s]')", "np.zeros(3, [('a', 'f4')])", "np.full((3, 3), 10**400, object)", "np.zeros((1,) * 20)",
    "np.zeros(3, complex)", "np.zeros(3, 'V8')", "np.zeros(3, 'f2')", "np.zeros(3, '>f4')", "Exception()",
    "thrown(SystemExit(0))", "thrown(GeneratorExit())", "thrown(StopIteration(3))", "thrown(Untold())",
    "thrown(BaseException())", "thrown(MemoryError())", "thrown(BaseExceptionGroup('x', [SystemExit(1)]))", "1 / 0",
)  # fmt: skip
QUICK = ("0.1", "2.1", "4.1", "4.3", "5.12", "6.1")


def answer(task: Task, value: str, way: str) -> str:
    if task.is_kernel:
        return f"{HEAD}\n@kernel('{task.id}', 'x')\ndef it(op):\n    {way} {value}\n"
    return f"{HEAD}\ndef {task.name}(*args, **kwargs):\n    {way} {value}\n"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", ["return", "yield"])
@pytest.mark.parametrize(
    "task",
    [
        pytest.param(task, id=task.id, marks=() if task.id in QUICK else pytest.mark.slow)
        for task in all_tasks()
        if not task.is_kernel or task.id in QUICK
    ],
)
def test_a_value_of_no_use_is_a_failure_in_words(task: Task, way: str, tmp_path: Path) -> None:
    path = tmp_path / "answer.py"
    with product_only():
        for value in VALUES:
            trial = next(trials_of(task, 3))
            path.write_text(answer(task, value, way))
            reply = answering(task, path, path.read_bytes())(trial.name, trial.given)
            failure = judge_reply(trial, reply)
            assert failure is not None, value
            again = next(trials_of(task, 3))  # what a judge says may depend on the cases before
            told = str(judge_reply(again, read_reply(reply.line())))
            assert told == str(failure) and "Traceback" not in told, value


def test_huge_integers_are_told_as_such(tmp_path: Path) -> None:
    task, path = find_task("0.1"), tmp_path / "answer.py"
    path.write_text(answer(task, "10**400", "return"))
    trial = next(trials_of(task, 3))
    problem = answering(task, path, path.read_bytes())(trial.name, trial.given).problem
    assert problem and "what accuracy gave is of no use: OverflowError: int too large" in problem.message
