"""A short training run on the learner's kernels, beside torch."""

from __future__ import annotations

import pytest

from tests.haribote.own.learner import STEP, lines, writes

pytestmark = pytest.mark.usefixtures("with_solutions")


@pytest.mark.slow
def test_a_short_run_beside_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    from haribote.data import dataset as data
    from haribote.lessons import short_run
    from haribote.own import working

    digits = data.load("synthetic")
    run = short_run.train_a_little(3, digits)
    assert run.agrees and run.nodes == 28 and "28 of 28 nodes" in str(run) and "<svg" in run._repr_html_()
    assert f"the course's: {STEP} of {STEP} kernels" in str(run)

    writes(monkeypatch, relu=lines("fvadd $lm0v $lm0v $ln0v", "fvadd $lm8v $lm8v $ln8v"))
    run = short_run.train_a_little(2, digits)
    assert run.agrees and "the kernel of task 5.12 does not pass, so the course's runs" in str(run)

    monkeypatch.setattr(working, "last_verdict", lambda task: "passed")  # as if no check had found it
    run = short_run.train_a_little(2, digits)
    assert not run.agrees and "some kernel computes something else" in str(run)
    assert f"yours where they pass: 1 of {STEP} kernels" in str(run)
