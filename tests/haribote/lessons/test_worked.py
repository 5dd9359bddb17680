"""Kernels that notebooks work through: they run as on the machine, and what cannot be right is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from grader.checking import check
from haribote.answers.tasks import ROOT
from haribote.errors import HariboteError
from haribote.kernel import Op
from haribote.lessons.worked import example, run
from simulator import SimulatorError

VECTOR = "((4_PE:1, 2_W:1))"


def doubled(op: Op) -> Iterator[str]:
    yield f"fvadd {op.x.long(stride=0)} {op.x.long(stride=0)} {op.y.long(stride=0)}/1000"


def test_it_gives_the_result_and_says_lines_and_cost() -> None:
    x = np.arange(8, dtype=np.float32)
    done = run(doubled, example("Double", [VECTOR], VECTOR), x)
    assert done.y.tolist() == (2 * x).tolist()
    assert str(done) == "fvadd $lm0 $lm0 $ln0/1000\ncost: 1 steps" and done.picture.text.startswith("<svg")


def test_operands_lie_behind_one_another_and_long_texts_are_cut() -> None:
    op = example("Max", ["256x16.A", "256x16.A"], "256x16.A")
    assert [operand.address for operand in op.inputs] == [0, 16]

    def lines(op: Op) -> Iterator[str]:
        yield from ["nop"] * 30

    shown = str(run(lines, op, *np.zeros((2, 256, 16), np.float32)))
    assert shown.split("\n")[-2:] == ["… 7 more lines", "cost: 30 steps"] and shown.count("\n") == 24


def test_a_line_that_reads_too_early_is_refused() -> None:
    def early(op: Op) -> Iterator[str]:
        yield f"lpassa {op.x.long(stride=0)} $lr0v"
        yield f"lpassa $lr0v {op.y.long(stride=0)}/1000"

    with pytest.raises(SimulatorError, match="line 2"):
        run(early, example("Copy", [VECTOR], VECTOR), np.zeros(8, np.float32))
    with pytest.raises(HariboteError, match="takes 1 arrays, received 2"):
        run(doubled, example("Double", [VECTOR], VECTOR), *np.zeros((2, 8), np.float32))


@pytest.mark.slow
def test_the_worked_maximum_of_rows_is_a_right_answer_to_its_task(tmp_path: Path) -> None:
    """The text tells people to copy it."""
    source = (ROOT / "notebooks/source/05_mncore_ops/03_rows.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"(?ms)^def max_rows\(op\):\n(.*?)\n\n\n", source)
    stub = (ROOT / "solutions/kernels/t5_21_max_rows.py").read_text(encoding="utf-8")
    body = re.sub(r"(?s)    ### BEGIN SOLUTION\n.*### END SOLUTION\n", lambda _: code + "\n", stub)
    path = tmp_path / "answer.py"
    path.write_text(body, encoding="utf-8")
    result = check("5.21", path=path, seed=1)
    assert result.passed and result.points == result.of, str(result)
