"""Tasks 3.1 to 3.5: what the feedback says, and that the product's own functions pass the same cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import check
from grader.cli import main
from haribote.answers.tasks import find_task
from haribote.cpp.build import CompilerMissing, compiler

try:
    compiler()
    HAS_COMPILER = True
except CompilerMissing:
    HAS_COMPILER = False


needs_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="there is no C++ compiler")


def gemm(tmp_path: Path, *lines: str) -> str:
    """What the check says to these lines of C++."""
    path = tmp_path / "t3_1_gemm_cpp.py"
    body = "".join(f"    yield {line!r}\n" for line in lines)
    path.write_text(f"def gemm_loops(m, n, k, trans_a, trans_b):\n{body}", encoding="utf-8")
    result = check("3.1", path=path, seed=1)
    assert result.state == "failed" and "Traceback" not in str(result)
    return str(result)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("y[0] = 1;",), "y holds NaN before your lines run"),
        (("int i = 1;", "y[i] = undeclared;"), "line 2 of what you yield: y[i] = undeclared;"),
        (("if (true) {",), "is every brace closed?"),
        (("y[-1] = 0;",), "writes in front of or behind y"),
        (("((float*)a)[0] = 0;",), "writes to a"),
        (("std::printf(\"hello\");",), "printed something"),
        (("__builtin_trap();",), "ended by signal"),
    ],
)  # fmt: skip
def test_mistakes_in_the_cpp_are_told(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    assert message in gemm(tmp_path, *lines)


@pytest.mark.slow
def test_without_a_compiler_the_check_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    assert main(["check", "3.1"]) == 2
    assert "task 3.1 cannot be checked here: there is no C++ compiler" in capsys.readouterr().err
    assert main(["check", "3.5"]) == 0


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("task", "body", "message"),
    [
        ("3.2", "    return g.op('Softmax', logits)\n", "must return Softmax(shifted, exp, sum, p), received str"),
        ("3.3", "    return {}\n", "is in no cluster"),
        ("3.3", "    return [model]\n", "must return a dictionary"),
        ("3.3", "    return {node.name: [node, node] for node in model.graph.node}\n", "failed"),
        ("3.3", "    every = [*model.graph.node]\n    return {node.name: every for node in every}\n", "clusters p q"),
        ("3.4", "    pass\n", "failed"),
        ("3.4", "    g.keep(node)\n", "still works on NCHW"),
        ("3.5", "    return model\n", "must read 'x' rounded"),
        ("3.5", "    return None\n", "must return a graph, received NoneType"),
    ],
)  # fmt: skip
def test_answers_of_the_wrong_kind_are_told(tmp_path: Path, task: str, body: str, message: str) -> None:
    found = find_task(task)
    parameters = {"softmax": "g, logits", "clusters": "model", "convert": "g, node", "round_factors": "model, short"}
    path = tmp_path / Path(found.file).name
    path.write_text(f"def {found.name}({parameters[found.name]}):\n{body}", encoding="utf-8")
    result = check(task, path=path, seed=1)
    assert result.state == "failed" and message in str(result), str(result)
    assert "Traceback" not in str(result)


@pytest.mark.parametrize("task", ["3.2", "3.3", "3.4", "3.5"])
def test_the_products_own_answer_is_withheld(tmp_path: Path, task: str) -> None:
    found = find_task(task)
    module, _, name = found.product.partition(":")
    path = tmp_path / Path(found.file).name
    path.write_text(f"from {module} import {name}\n", encoding="utf-8")
    assert f"the product's own answer to task {task}" in str(check(task, path=path, seed=1))
