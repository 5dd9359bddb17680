"""Mistakes that learners make in rules of stages 01, 02 and 08, and what they are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import check

ADDMM = "def addmm(g, c, a, b, *, beta=1, alpha=1):"
RELU, ADD = "def relu(g, node, grad):", "def add(g, node, grad):"
SGD = "def sgd(g, name, step, learning_rate):"
CUMPROD = "def cumprod(g, x, dim, *, dtype=None):"
AS_IT_IS = (  # what has 32 bits is multiplied in 32
    "from haribote.frontend.aten_reduction import shifted; size, total, k = g.shape[dim], x, 1\n"
    "    while k < size:\n"
    "        moved = shifted(g, total, dim % len(g.shape), k, size); k *= 2\n"
    "        total = g.op('Mul', total, moved, part=f'before{k}' if k < size else '')\n"
    "    return total"
)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("task", "head", "body", "told"),
    [
        ("1.1", ADDMM, 'return g.op("Add", g.op("MatMul", a, b), c)', "must be called 'logits', but 'logits_1'"),
        ("1.1", ADDMM, 'g.op("Add", g.op("MatMul", a, b, part="m"), c)', "must return the name of the result"),
        ("1.1", ADDMM, 'return g.op("Mul", 2.0, c)', "answer.py:2: Mul reads values by name, received float 2.0"),
        ("2.1", RELU, "return grad", "yields names, this one returned str"),
        ("2.1", RELU, "yield 3", "must yield names, received int"),
        ("2.2", ADD, "yield grad", "yielded 1 of 2 names: it owes the gradient by 'b'"),
        ("2.5", SGD, 'return g.op("Sub", name, step)', "must return the name 'p.next'"),
        ("8.1", CUMPROD, AS_IT_IS, "case: [3, 4] along axis 0, whole numbers"),
    ],
)
def test_told(tmp_path: Path, task: str, head: str, body: str, told: str) -> None:
    path = tmp_path / "answer.py"
    path.write_text(f"{head}\n    {body}\n", encoding="utf-8")
    result = check(task, path=path, seed=1)
    assert result.state == "failed" and told in str(result), str(result)
