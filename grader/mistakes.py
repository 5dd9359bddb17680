"""A mistake for every cause that the feedback can name; the self-test makes each and looks what it is called."""

from __future__ import annotations

from dataclasses import dataclass

from grader.causes import (
    HARD_CODED,
    NEGATIVE,
    NEVER_WRITTEN,
    OFF_BY_ONE,
    PRECISION,
    READS_TOO_EARLY,
    REFUSED,
    STALE,
    STRAY,
    WRONG_COPIES,
    WRONG_ROWS,
)


@dataclass(frozen=True)
class Mistake:
    """What the solution of a task has, what stands there instead, and the cause that the feedback must name."""

    task: str
    old: str
    new: str
    cause: str


MISTAKES = (
    Mistake("5.12", "range(0, op.x.words, step)", "range(step, op.x.words, step)", NEVER_WRITTEN),
    Mistake("5.12", "{take(op.y, at)}", "$ln{at}v", HARD_CODED),
    Mistake("5.12", "frelu {take(op.x, at)} {take(op.x, at)}", "lpassa {take(op.x, at)}", NEGATIVE),
    Mistake("5.14", "$lr2v4", "$lr32v4", STALE),
    Mistake("5.12", "    step, take", '    raise UnsupportedShape("a", "b")\n    step, take', REFUSED),
    Mistake("5.3", '    yield "nop"\n', "", READS_TOO_EARLY),
    Mistake("5.3", "{op.y.double()}", "{op.y.flat('ll', [4, 8, 12, 0])}", OFF_BY_ONE),
    Mistake("5.23", "{2 * at}", "{2 * ((at + 48) % x.words)}", WRONG_ROWS),
    Mistake("5.24", "{single(0.4999999403953552)}", "{single(0.4999)}", PRECISION),
    Mistake("5.1", 'l2bmb $lc0 $lb0"', 'l2bmd $lc0 $lb0"', WRONG_COPIES),
    Mistake("5.12", "    ### END", '    yield f"zero {op.x.long(0)}"\n    ### END', STRAY),
)
