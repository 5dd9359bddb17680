"""Whether the cases reject a mutant."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.selftest.rejecting import Rejecting
from haribote.answers.ownership import answer_file
from haribote.answers.tasks import find_task


@pytest.mark.slow
def test_outcomes(tmp_path: Path) -> None:
    task = find_task("2.1")
    source = answer_file(task, solutions=True).read_text(encoding="utf-8")
    rejecting = Rejecting(task, 7, tmp_path / "answer.py")
    assert rejecting.outcome(source) == "the same answers"
    swapped = source.replace('g.op("Mul", grad, g.op("Cast", positive, part="mask", to=to))',
                             'g.op("Mul", g.op("Cast", positive, part="mask", to=to), grad)')  # fmt: skip
    assert swapped != source and rejecting.outcome(swapped) == "the same answers"
    assert rejecting.outcome(source.replace('part="mask"', 'part="gate"')) == "passes"
    assert rejecting.outcome(source.replace('"Mul"', '"Add"')) == "rejected"
    assert rejecting.outcome(source.replace('"Mul"', '"Add')) == "rejected"
    assert rejecting.outcome(source.replace("x, y =", "while True: pass\n    x, y =")) == "rejected"
