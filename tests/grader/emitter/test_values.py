"""The untrusted side: plain values as text, time limits, requests and replies."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.emitter.kernels import given_of, op_of
from grader.emitter.limits import TimeLimit, time_limit
from grader.emitter.replies import Problem, Reply, read_reply
from grader.emitter.values import DTYPES, ValueFormatError, copied, decode, encode
from grader.judging import judge_answers, replies_in, requests_of
from haribote.answers.tasks import ROOT, find_task
from haribote.kernel_table import KERNELS, problem


def test_values_come_back_as_they_were() -> None:
    values: dict[str, Any] = {
        "text": "naïve\n", "bytes": bytes(range(256)), "numbers": [1, -2.5, 10**18, True, None, float("inf")],
        "table": {"a": {"b": [b""]}}, "empty": np.zeros((0, 3), np.float32), "scalar": np.array(7, np.int64),
        "strided": np.arange(12, dtype=np.float64).reshape(3, 4).T[::-1],
    }  # fmt: skip
    line = encode(values)
    assert "\n" not in line
    back: dict[str, Any] = decode(line)
    for key in ("text", "bytes", "numbers", "table"):
        assert back[key] == values[key]
    for key in ("empty", "scalar", "strided"):
        assert back[key].dtype == values[key].dtype and np.array_equal(back[key], values[key])
    assert np.isnan(decode(encode({"x": float("nan")}))["x"])


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_keeps_its_bits(dtype: str) -> None:
    array = (np.arange(32, dtype=np.uint8) % 2 if dtype == "bool" else np.arange(32, dtype=np.uint8)).view(dtype)
    back = decode(encode({"x": array}))["x"]
    assert isinstance(back, np.ndarray) and back.dtype == array.dtype and back.tobytes() == array.tobytes()
    back[:1] = 0  # it may be written to


@pytest.mark.parametrize(
    "value", [object(), np.array(["text"]), np.array([object()]), {1: 2}, {"$array": 3}, 1j, np.float32(1), {1, 2}]
)
def test_other_objects_are_refused(value: Any) -> None:
    with pytest.raises(ValueFormatError):
        encode({"x": value})


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "3", "{", "nonsense", '{"x": ' + "[" * 100_000, '{"x": 1' + "0" * 10_000 + "}",
        '{"x": {"$array": ["object", [1], "AAAA"]}}', '{"x": {"$array": ["float32", [1000000], "AAAA"]}}',
        '{"x": {"$array": ["float32", [-1], ""]}}', '{"x": {"$array": ["float32", [1.5], "AAAA"]}}',
        '{"x": {"$array": ["float32", [true], "AAAAAA=="]}}', '{"x": {"$array": [["float32"], [1], "AAAAAA=="]}}',
        '{"x": {"$array": ["uint8", ["1"], "AA=="]}}', '{"x": {"$array": ["uint8", [1], 3]}}', '{"x": {"$array": 3}}',
        '{"x": {"$array": ["uint8", [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], "AA=="]}}',
        '{"x": {"$bytes": "***"}}', '{"x": {"$bytes": 3}}', '{"x": {"$float": "1e5"}}', '{"x": {"$float": []}}',
        '{"x": {"$bytes": "", "y": 1}}', b"\xff\xfe{}",
    ],
)  # fmt: skip
def test_hostile_lines_are_refused(text: str | bytes) -> None:
    with pytest.raises(ValueFormatError):
        decode(text)


def test_a_line_has_a_limit() -> None:
    with pytest.raises(ValueFormatError, match="at most 20 characters"):
        decode(encode({"x": "y" * 100}), 20)


def test_copies_share_nothing() -> None:
    values: dict[str, Any] = {"a": np.zeros(3), "b": [np.zeros(2)], "c": {"d": [1]}}
    other: Any = copied(values)
    other["a"][0] = other["b"][0][0] = 1
    other["c"]["d"].append(2)
    assert not values["a"].any() and not values["b"][0].any() and values["c"] == {"d": [1]}


@pytest.mark.parametrize("row", KERNELS, ids=lambda row: row.name)
def test_an_operator_as_plain_values(row: Any) -> None:
    op = problem(row)
    assert op_of(decode(encode(given_of(op)))) == op


def _forever() -> None:
    while True:
        try:
            while True:
                pass
        except BaseException:  # what a bare except of a learner does
            if time.monotonic() > _forever.__dict__["until"]:
                raise


@pytest.mark.parametrize("in_thread", [False, True])
def test_a_time_limit_stops_a_loop(in_thread: bool) -> None:
    caught: list[float] = []

    def limited() -> None:
        start = time.monotonic()
        _forever.__dict__["until"] = start + 0.3
        with pytest.raises(TimeLimit), time_limit(0.1):
            _forever()
        caught.append(time.monotonic() - start)

    if in_thread:
        thread = threading.Thread(target=limited)
        thread.start()
        thread.join()
    else:
        limited()
    assert caught[0] > 0.1  # and it ended


def test_what_ends_in_time_is_left_alone() -> None:
    for _ in range(200):
        with time_limit(0.0005):
            pass
    time.sleep(0.01)
    with time_limit(10), pytest.raises(TimeLimit), time_limit(0.01):
        while True:
            pass
    assert sum(range(100_000)) == 4999950000  # nothing arrives late


def test_replies_come_back_as_they_were() -> None:
    assert read_reply(Reply("a", {"x": 3}).line()).answer == {"x": 3}
    problem = Problem("refused", "no", "file.py:3")
    assert read_reply(Reply("b", problem=problem).line()).problem == problem
    no_value = read_reply(Reply("c", {"x": object()}).line())  # type: ignore[dict-item]
    assert no_value.problem and "object is no plain value" in no_value.problem.message


@pytest.mark.parametrize(
    "line",
    ["{}", '{"name": 3, "answer": {}}', '{"name": "a", "answer": 3}', '{"name": "a", "answer": {}, "more": 1}',
     '{"name": "a", "error": {"kind": "passed", "message": "", "where": ""}}', '{"name": "a", "error": {"kind": []}}'],
)  # fmt: skip
def test_forged_replies_are_refused(line: str) -> None:
    with pytest.raises(ValueFormatError):
        read_reply(line)


def emitted(task: str, path: Path, requests: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "grader.emitter", task, str(path)],
        input=requests, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["2.3", "4.1", "5.12"])
def test_the_emitter_as_a_process(name: str) -> None:
    task = find_task(name)
    path = ROOT / "solutions" / task.file
    done = emitted(name, path, "".join(f"{line}\n" for line in requests_of(task, 5)))
    assert done.returncode == 0, done.stderr
    result = judge_answers(task, 5, replies_in(done.stdout.encode()), path)
    assert result.passed and result.points == task.points and result.cases == result.total > 1, str(result)


def test_the_process_prints_nothing_but_replies(tmp_path: Path) -> None:
    task, path = find_task("0.1"), tmp_path / "answer.py"
    body = 'import os\nprint("hello")\nos.write(1, b"forged")\n\n'
    path.write_text(body + 'def accuracy(logits, labels):\n    print("x")\n    return 1\n')
    done = emitted("0.1", path, "".join(f"{line}\n" for line in requests_of(task, 5)))
    names = [json.loads(line)["name"] for line in done.stdout.splitlines()]
    assert len(names) == 4 and "hello" in done.stderr and "forged" in done.stderr
    path.write_text("1 / 0\n")
    done = emitted("0.1", path, "".join(f"{line}\n" for line in requests_of(task, 5)))
    replies = replies_in(done.stdout.encode())
    assert len(replies) == 4 and all(
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
