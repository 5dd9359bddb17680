"""The cases of the puzzles, tasks 4.8 to 4.22: random memories, of which some words are wanted elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from grader.emitter.values import Values
from grader.feedback.failure import Failure
from grader.judges.program import text_in
from grader.puzzles.judge import judge, named
from grader.puzzles.spec import Memories, Puzzle
from grader.puzzles.table import PUZZLES
from grader.trials import Trial, Trials, Wrong
from simulator.messages import Text

CASES = (Text("random memories"), Text("other random memories"))


def _trials(puzzle: Puzzle, rng: np.random.Generator) -> Iterator[Trial]:
    for name in CASES:
        before = puzzle.random(rng)
        inputs = partial(named, before)
        judged = partial(_judge, puzzle, name, before)
        yield Trial(name, {}, judged, inputs=inputs, lead=puzzle.before, tail=puzzle.after)


def _judge(puzzle: Puzzle, name: str, before: Memories, answer: Values) -> Failure | None:
    return judge(puzzle, name, before, text_in(answer))


TRIALS: dict[str, Trials] = {task: partial(_trials, puzzle) for task, puzzle in PUZZLES.items()}

WRONG: dict[str, Wrong] = {
    "4.8": (("/0110", ""), ("/0110", "/1001")),
    "4.9": (("$m1v2", "$m0v2"), ("ipassa $m1v2 $n0v", "lpassa $lm0v $ln0v")),
    "4.10": (("[0,2,0,2]", "[0,0,2,2]"), ("[0,2,0,2]", "[0,4,0,4]")),
    "4.11": (("[12,8,4,0]", "[0,4,8,12]"), ("$llm[12,8,4,0] $lln0v", "$lm[12,8,4,0] $ln0v")),
    "4.12": ((" ; lpassa $lm0v $ls0v", ""), (" ; lpassa $lm0v", " ; lpassa $lm8v")),  # no copy; two read addresses
    "4.13": (("l1bmp", "l1bmm"), ("$lb4", "$lb0")),
    "4.14": (("/ll1000", ""), ("$llb16", "$llb0")),
    "4.15": (("l2bmd", "l2bmb"), ("$lb32", "$lb0")),
    "4.16": (("l1bmd", "l1bmm@0"), ("$lm0v $lb0", "$lb0 $lm0v")),
    "4.17": (
        ("$aluf", "$lm8v"),  # two read addresses
        ('    yield "lpassa $lm8v $nowrite"\n', ""),  # a stale path
        ('"lpassa $lm8v $nowrite"\n', '"lpassa $lm8v $ls0v"\n    yield "nop"\n'),  # a line too many
    ),
    "4.18": (('    yield "nop"\n', ""), ("lpassa $ls0v $ln8v", "nop")),  # too early; no copy
    "4.19": (('    yield "msl $lm0v $nowrite"\n', ""), ("msl $aluf", "msr $aluf")),
    "4.20": (("/$imr1", ""), ("$subpeid", "$mabid"), ("ixor", "isub")),
    "4.21": (('    yield "dmwrite $lm0v $lx0"\n', ""), ("$ln0v", "$ln0v/1000")),
    "4.22": (("$lmt0v", "$lm0v"), ("$lmt0v", "$lmt0")),
}
