"""What submissions may try against the grader, and what each of them gets."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import grader.grade.work
import grader.sandbox.emit
from grader.course import verdict_hash
from grader.emitter.values import encode
from grader.grade.work import Work, grade_one
from grader.judging import requests_of
from grader.sandbox import Limits
from haribote.answers.tasks import ROOT, Task, find_task
from tests.grader.sandboxes import sandboxed

pytestmark = sandboxed

HEAD = """
import ctypes, json, os, socket, sys
import numpy as np

def tried(expressions):
    found = []
    for expression in expressions.strip().splitlines():
        try:
            found.append(expression + ' gave ' + repr(eval(expression, globals()))[:200])
        except BaseException:
            pass
    if found:
        raise RuntimeError('FOUND ' + '; '.join(found))

def channels():
    for fd in range(1, 64):
        try:
            os.fstat(fd)
        except OSError:
            continue
        yield fd
"""
WRONG = """
def accuracy(logits, labels):
    return 2.0
"""


@dataclass(frozen=True)
class Attack:
    """One of `attacks.txt`. says: one of these must be in the verdict."""

    name: str
    says: tuple[str, ...]
    task: str
    code: str


def attacks() -> Iterator[Attack]:
    text = Path(__file__).with_name("attacks.txt").read_text(encoding="utf-8")
    for section in text.split("\n=== ")[1:]:
        name, says, code = section.split("\n", 2)
        task, code = code.removeprefix("task: ").split("\n", 1) if code.startswith("task: ") else ("0.1", code)
        yield Attack(name, tuple(says.removeprefix("says: ").split(" | ")), task, code)


LOOPS = "C++ that loops"
PROMPT = ("os._exit(0)", "patching numpy", "a forged report", "reading the solutions", "the product's own answer")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less time and memory than an answer has, so that the tests are quick."""
    monkeypatch.setattr(grader.sandbox.emit, "limits_of", _short_limits)


def _short_limits(task: Task) -> Limits:
    return Limits(seconds=14.0) if task.id == "3.1" else Limits(seconds=7.0, memory=256 << 20)


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        yield server


def graded(task: str, code: str) -> dict[str, Any]:
    return grade_one(Work("key", "submission", task, code.encode(), 2012, verdict_hash(), cached=False))


def text_of(tried: Attack, server: socket.socket) -> str:
    """The whole answer that tries it."""
    code = tried.code
    for name, value in {"root": ROOT, "prefix": sys.prefix, "port": server.getsockname()[1]}.items():
        code = code.replace(f"{{{name}}}", str(value))
    return HEAD + code + WRONG


def attack(tried: Attack, server: socket.socket) -> dict[str, Any]:
    return graded(tried.task, text_of(tried, server))


def judged(tried: Attack, server: socket.socket) -> str:
    """Try it; what the verdict says. It fails the test where the attack got anything."""
    before = sorted(os.listdir(ROOT))
    verdict = attack(tried, server)
    said = f"{verdict['failure']} {verdict['note']}"
    assert verdict["state"] == "failed" and verdict["points"] < verdict["of"], said
    assert "FOUND" not in said, said
    assert any(words in said for words in tried.says), said
    assert sorted(os.listdir(ROOT)) == before and not (Path(sys.prefix) / "written").exists()
    with pytest.raises(TimeoutError):
        server.accept()
    return said


@pytest.mark.parametrize("name", PROMPT)
def test_quick_attacks(name: str, listener: socket.socket) -> None:
    judged(next(each for each in attacks() if each.name == name), listener)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Less time for every program of task 3.1; the process that judges is a fork, so it must be a new one."""
    monkeypatch.setattr("grader.trials.s03_fusion.SECONDS", 1.0)
    grader.grade.work._judge(False).close()
    yield
    grader.grade.work._judge(False).close()


@pytest.mark.slow
def test_cpp_that_never_ends(impatient: None, listener: socket.socket) -> None:
    judged(next(each for each in attacks() if each.name == LOOPS), listener)


@pytest.mark.slow
def test_all_attacks_and_a_good_answer_after_each(listener: socket.socket, capsys: pytest.CaptureFixture[str]) -> None:
    good = (ROOT / "solutions/exercises/t0_1_accuracy.py").read_text()
    rows = []
    for each in (each for each in attacks() if each.name != LOOPS):
        start = time.monotonic()
        said = " ".join(judged(each, listener).split())
        rows.append(f"{each.name:26} {time.monotonic() - start:5.1f} s  {said[:150]}")
        assert graded("0.1", good)["state"] == "passed", f"nothing works after {each.name}"
    with capsys.disabled():
        print("\n" + "\n".join(rows))


def test_nothing_is_left_for_the_next_submission() -> None:
    """Files, shared memory, modules: the answer after finds none of it, though the same warm sandbox serves both."""
    leave = "import haribote.errors, numpy\nharibote.errors.LEFT = numpy.LEFT = True\n" + "\n".join(
        f"try: open('{folder}/left', 'w').write('x')\nexcept OSError: pass"
        for folder in ("/tmp", "/dev/shm", "/course/haribote/__pycache__", "/course/haribote/exercises", "/var/tmp")
    )
    places = ("/tmp/*", "/dev/shm/*", "/course/**/left", "/var/tmp/left")
    expressions = ["haribote.errors.LEFT", "numpy.LEFT", *(f"glob.glob({p!r}, recursive=True)[0]" for p in places)]
    find = f"import haribote.errors, numpy, glob\ntried({chr(10).join(expressions)!r})"
    for code in (leave, find):
        verdict = graded("0.1", HEAD + code + WRONG)
        assert "accuracy is wrong" in verdict["failure"] and "FOUND" not in verdict["failure"], verdict["failure"]


def test_a_forged_channel_gives_only_an_answer_of_its_own() -> None:
    """Lines written straight to the channel are judged as the answers they claim to be; nobody else's, no verdicts."""
    lines = [json.loads(line) for line in requests_of(find_task("0.1"), 2012)]
    replies = [encode({"name": line["name"], "answer": {"accuracy": 0.125}}) for line in lines]
    code = f"{HEAD}for fd in range(1, 30):\n    try: os.write(fd, {chr(10).join(replies)!r}.encode() + b'\\n')\n"
    verdict = graded("0.1", code + "    except OSError: pass\nos._exit(0)")
    assert verdict["state"] == "failed" and verdict["task"] == "0.1" and "expected" in verdict["failure"]


def hostile_graphs() -> Iterator[tuple[str, onnx.ModelProto]]:
    """Graphs that would never end, or take all memory, if they were evaluated."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [5, 3])
    y = helper.make_tensor_value_info("x.grad", TensorProto.FLOAT, None)
    big = helper.make_tensor("big", TensorProto.INT64, [2], np.array([10**5, 10**6], np.int64))
    body = helper.make_graph([helper.make_node("Identity", ["c"], ["d"])], "body", [], [])
    nodes = {
        "Loop": helper.make_node("Loop", ["n", "c"], ["x.grad"], body=body),
        "Expand": helper.make_node("Expand", ["x", "big"], ["x.grad"]),
        "ConstantOfShape": helper.make_node("ConstantOfShape", ["big"], ["x.grad"]),
    }
    for name, node in nodes.items():
        graph = helper.make_graph([node], "g", [x], [y], initializer=[big])
        yield name, helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def test_graphs_that_never_end() -> None:
    lines = [json.loads(line) for line in requests_of(find_task("2.1"), 2012)]
    for name, model in hostile_graphs():
        replies = [encode({"name": line["name"], "answer": {"model": model.SerializeToString()}}) for line in lines]
        code = f"{HEAD}for fd in range(1, 30):\n    try: os.write(fd, {chr(10).join(replies)!r}.encode() + b'\\n')\n"
        start = time.monotonic()
        verdict = graded("2.1", code + "    except OSError: pass\nos._exit(0)")
        assert verdict["state"] == "failed" and verdict["cases"] == 0, (name, verdict)
        assert time.monotonic() - start < 20, name
