"""Programs as answers: their limits, and what the machine must not replay."""

from __future__ import annotations

import pytest

from grader.judges.program import MOST_STEPS, failure_in, text_in
from haribote.errors import HariboteError


def test_programs_have_limits() -> None:
    failure = failure_in("case", "nop/60000\n" * 3)
    assert failure and str(MOST_STEPS) in failure.explanation
    with pytest.raises(HariboteError, match="more than"):
        text_in({"text": "nop\n" * 60_000})
    with pytest.raises(HariboteError, match="lines of assembly"):
        text_in({"text": 3})


def test_a_forwarding_path_that_is_read_late_is_no_answer() -> None:
    failure = failure_in("case", "lpassa $lm0v $nowrite\nfvadd $lm0v $lm0v $ln8v\nlpassa $aluf $ln0v\n")
    assert failure and failure.cause == "stale value" and failure.line == 3
    assert failure_in("case", "lpassa $lm0v $nowrite\nlpassa $aluf $ln0v\n") is None
