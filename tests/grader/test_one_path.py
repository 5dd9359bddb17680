"""An answer is checked as it is graded: by itself, with the same limits, cases and points."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from grader.checking import check
from grader.course import verdict_hash
from grader.grade.work import Work, grade_one
from grader.result import Result
from haribote.answers.tasks import ROOT, find_task
from tests.grader.sandboxes import sandboxed

SIBLING = "haribote.kernels.t5_1_dl_16"
RIGHT = "    return float((logits.argmax(axis=1) == labels).mean())\n"
RELU = 'for at in range(0, op.x.words, 4):\n        yield f"frelu {op.x.word(at)} {op.x.word(at)} {op.y.word(at)}"\n'


def accuracy(body: str, head: str = "") -> str:
    return f"{head}\ndef accuracy(logits, labels):\n    {body}\n{RIGHT}"


def kernel(body: str, head: str = "") -> str:
    return f'{head}\nfrom haribote.kernel import kernel\n\n@kernel("5.12", "Relu")\ndef relu(op):\n    {body}\n'


def solution(task: str, old: str = "", new: str = "") -> str:
    source = (ROOT / "solutions" / find_task(task).file).read_text(encoding="utf-8")
    assert old in source
    return source.replace(old, new)


# name: task, the answer's file, points or None for full marks, what a failure says
ANSWERS: dict[str, tuple[str, str | bytes, int | None, str]] = {
    "right": ("0.1", accuracy("pass"), None, ""),
    "UTF-8 with a byte order mark": ("0.1", b"\xef\xbb\xbf" + accuracy("pass").encode(), None, ""),
    "a stub with a byte order mark": (
        "0.1", b"\xef\xbb\xbffrom haribote.errors import NotWritten\ndef accuracy(a, b):\n    raise NotWritten('')",
        0, ""),
    "Windows' line ends": ("0.1", accuracy("pass").replace("\n", "\r\n"), None, ""),
    "not UTF-8": ("0.1", accuracy("# gr\xfc\xdfe").encode("latin-1"), 0, "is not UTF-8 text"),
    "a syntax error": ("0.1", "def accuracy(:", 0, "syntax error"),
    "no function": ("0.1", "x = 1", 0, "has no function accuracy"),
    "right in one case of four": (
        "0.1", accuracy("if len(labels) == 256: return 2.0\n    if len(labels) != 1: return -1"), 0, "is wrong"),
    "right in three cases of four": ("0.1", accuracy("if len(labels) == 1: return 2.0"), 2, "expected"),
    "a huge integer": ("0.1", accuracy("return 10**400"), 0, "int too large"),
    "more digits than can be written": (
        "4.1", "def position(layout, level):\n    return [[10**5000]]", 0, "received object"),
    "endless in one case": ("0.1", accuracy("while len(labels) == 9: pass"), 1, "longer than"),
    "endless on loading": ("0.1", "while True: pass", 0, "longer than"),
    "endless in what it gives": (
        "0.1", accuracy("return Slow()", "class Slow:\n    def __float__(self):\n        while True: pass\n"),
        0, "longer than"),
    "another task's answer": ("5.12", kernel(RELU, f"from {SIBLING} import dl_16"), 0, "they may import haribote"),
    "another task's kernel": (
        "5.12", kernel("yield from greater.emit(op)", "from haribote.kernels.t5_13_greater import greater"), 0,
        "t5_13_greater is not there"),
    "a module of one's own": ("5.12", kernel(RELU, "import helper_of_ada"), 0, "helper_of_ada"),
    "the same when it is called": ("5.12", kernel(f"import helper_of_ada\n    {RELU}"), 0, "helper_of_ada"),
    "a file beside the kernels": ("5.12", kernel(RELU, "import haribote.kernels.helper"), 0, "helper"),
    "the judge": ("5.12", kernel(RELU, "import grader.judges.kernel"), 0, "grader.judges"),
    "another solution": ("5.12", kernel(RELU, "import solutions.kernels.t5_12_relu"), 0, "solutions"),
    "the compiler": ("5.12", kernel(RELU, "import haribote.stack"), 0, "haribote.stack is not there"),
    "the compiler, asked for otherwise": (
        "5.12", kernel(RELU, "import importlib\nimportlib.import_module('haribote.stack.maps')"), 0, "is not there"),
    "the compiler, run": ("5.12", kernel(RELU, "import runpy\nrunpy.run_module('haribote.stack')"), 0, "not there"),
    "the placer of nops": (
        "4.3", "from simulator import assemble\nfrom simulator.assembly.checks import fix_nops\n"
        "def place_nops(**parts):\n"
        "    text = '\\n'.join(l for p in parts.values() for l in p)\n    yield fix_nops(assemble(text))",
        0, "they may import haribote.errors"),
    "the list of tasks": ("1.1", "from haribote.answers.tasks import all_tasks", 0, "haribote.answers.tasks"),
    "the layouts of the compiler": ("7.6", "from haribote.stack.maps import level_of_change", 0, "haribote.stack.maps"),
    "a loaded module": ("0.1", accuracy("pass", "import sys\nsys.modules['haribote.answers.tasks']"), 0, "KeyError"),
    "a copy of the loaded modules": (
        "0.1", accuracy("pass", "import sys\nsys.modules.copy()['haribote.answers.tasks']"), 0, "KeyError"),
    "a loaded module of JAX's rules": (
        "8.3", "import sys\nsys.modules['haribote.jax.rules.arithmetic'].integer_pow", 0, "KeyError"),
    "the list of all objects": ("0.1", accuracy("pass", "import gc\ngc.get_objects()"), 0, "no list of all objects"),
    "the reference's file": (
        "0.1", accuracy("pass", f"open('{ROOT}/solutions/exercises/t0_1_accuracy.py').read()"), 0, "t0_1_accuracy.py"),
    "the file with the hints": (
        "0.1", accuracy("pass", f"from pathlib import Path\nPath('{ROOT}/haribote/answers/tasks.toml').read_text()"),
        0, "tasks.toml"),
    "the file by another program": (
        "0.1", accuracy("pass", f"import subprocess\nsubprocess.run(['cat', '{ROOT}/haribote/layout.py'])"),
        0, "start no other programs"),
    "the loader of a module that is listed": (
        "0.1", accuracy("pass", "import os, haribote.errors as e\n"
                        "path = os.path.dirname(e.__file__) + '/answers/tasks.py'\n"
                        "type(e.__loader__)('x', path).load_module()"), 0, "is not there for answers"),
    "importlib's own import": (
        "0.1", accuracy("pass", "import importlib._bootstrap as b\nb._gcd_import('haribote.answers.tasks')"),
        0, "is not there for answers"),
    "code that says it is the course's": (
        "0.1", accuracy("pass", "import haribote.errors as e\n"
                        "exec(compile('import haribote.answers.tasks', e.__file__, 'exec'))"), 0, "told as its own"),
    "a dataclass": (
        "0.1", accuracy("pass", "import dataclasses\n@dataclasses.dataclass\nclass Rows:\n    count: int = 3\n"),
        None, ""),
    "the end of the process": ("0.1", accuracy("import os; os._exit(0)"), 0, "take out what ends the program"),
    "another NumPy": ("0.1", accuracy("return 2.0", "import numpy as np\nnp.abs = lambda *a, **k: np.float64(0)"), 0,
                      "is wrong"),
    "another NumPy for layouts": (
        "4.1", "import numpy as np\nnp.array_equal = lambda *a, **k: True\n"
        "def position(layout, level):\n    return np.zeros(1, int)", 0, "must have shape"),
    "what is printed": ("0.1", accuracy("print('hello')", "print('{}')"), None, ""),
    "a nap": ("0.1", accuracy("import time; time.sleep(0.05)"), None, ""),
    "a long sleep": ("0.1", accuracy("import time; time.sleep(60)"), 0, "longer than"),
    "nothing but a refusal": ("0.1", accuracy("raise SystemExit"), 0, "SystemExit"),
    "a formula to evaluate": (
        "4.1", "def position(layout, level):\n    return layout.formula()", 0, "product's own answer to task 4.1"),
    "the product's formula": (
        "4.1", "from haribote import layout as product\ndef position(layout, level):\n"
        "    return product.position(layout, level)", 0, "own answer to task 4.1"),
    "the product's clusters": (
        "3.3", "from haribote.passes import fuse\ndef clusters(*given):\n    return fuse.clusters(*given)",
        0, "own answer to task 3.3"),
    "over par": ("5.12", kernel(f"yield 'nop'\n    {RELU}"), 8, ""),
    "right for some addresses": ("5.12", solution("5.12", "{take(op.y, at)}", "$ln{at}v"), 2, "likely cause"),
    "right where nothing is transposed": ("2.3", solution("2.3", "transB=1 - tb", "transB=tb"), 3, "Gemm"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner with a helper module, and little patience."""
    (tmp_path / "helper_of_ada.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for place in ("grader.checking", "grader.grade.work"):
        monkeypatch.setattr(f"{place}.find_task", lambda task: replace(find_task(task), seconds=1.5))
    monkeypatch.setattr("grader.sandbox.emit.MARGIN", 3.0)


def checked(tmp_path: Path, task: str, content: str | bytes) -> Result:
    path = tmp_path / "answer.py"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return check(task, path=path, seed=5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERS)
def test_a_check(name: str, tmp_path: Path) -> None:
    task, content, points, says = ANSWERS[name]
    result = checked(tmp_path, task, content)
    assert result.points == (result.of if points is None else points), str(result)
    assert says in str(result) and "Traceback" not in str(result), str(result)
    assert result.passed == (not says and points != 0)


@sandboxed
@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERS)
def test_it_is_graded_as_it_is_checked(name: str, tmp_path: Path) -> None:
    task, content, _, says = ANSWERS[name]
    result = checked(tmp_path, task, content)
    raw = content.encode() if isinstance(content, str) else content
    verdict = grade_one(Work("key", "ada.zip", task, raw, 5, verdict_hash(), cached=False))
    assert (verdict["state"], verdict["points"]) == (result.state, result.points), (verdict, str(result))
    if "longer than" not in says:
        assert verdict["cases"] == result.cases, (verdict, str(result))


ENDLESS_GRAPH = """import numpy as np
def relu(g, node, grad):
    pixels = g.builder.constant(np.zeros((1, 1, 99, 99), np.float32), "pixels")
    kernel = g.builder.constant(np.zeros((1, 1, 31, 31), np.float32), "kernel")
    parts = [g.op("Conv", pixels, kernel, part=f"large{number}") for number in range(2000)]
    total = g.op("Sum", *parts, part="total")
    zero = g.op("ReduceSum", total, g.ints([0, 1, 2, 3], "all"), part="zero", keepdims=0)
    yield g.op("Add", grad, zero)
"""


@pytest.mark.slow
def test_a_graph_that_never_ends_is_no_endless_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.judging.SECONDS", 2.0)
    start = time.monotonic()
    result = checked(tmp_path, "2.1", ENDLESS_GRAPH)
    assert not result.passed and result.points == 0 and "longer than 6 s to judge" in str(result), str(result)
    assert time.monotonic() - start < 60


@pytest.mark.slow
def test_an_endless_answer_is_stopped_once_for_all_cases(tmp_path: Path) -> None:
    start = time.monotonic()
    result = checked(tmp_path, "0.1", accuracy("while True: pass"))
    assert "longer than 1.5 s" in str(result) and time.monotonic() - start < 60
