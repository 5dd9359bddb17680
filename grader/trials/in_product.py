"""The last case of tasks whose answer is a small part of the product: what calls it must come to the same result.

The course's answer runs in the judge, whose memory is limited: so runs need no PyTorch.
"""

from __future__ import annotations

from functools import cache
from itertools import zip_longest
from typing import Any

import numpy as np

from grader.emitter.in_product import KEY, RUNS
from grader.emitter.values import Value, Values
from grader.trials import Objection, Trial, compare, first_of
from grader.trials.fusion_graphs import mlp_step
from haribote.answers.ownership import product_only
from haribote.answers.tasks import Task
from haribote.passes import decompose
from simulator.messages import Text, tr

NAME = Text("in the product")
NEAR = 1e-4  # sums in another order

PROGRAM = """\
mvp/n64 $d0 $lc0@.0
l2bmb $lc0 $lb0
nop/2
l1bmm $lb0 $lm0v
nop/2
fvmul $lm0v $lm0v $ln0v
iinc $lr0v $lr8v
nop
iinc $lr8v $lr16v
mvp/n64 $lc64@.0 $d64
"""


@cache
def _given(task: str) -> Values:
    """What the run of a task is given, the same for every seed."""
    rng = np.random.default_rng(1)
    if task == "0.1":
        values: dict[str, Value] = {
            "images": rng.standard_normal((5000, 16)).astype(np.float32),
            "weights": rng.standard_normal((16, 10)).astype(np.float32),
            "labels": rng.integers(0, 10, 5000),
        }
    elif task == "4.1":
        values = {
            "layout": "((16:2), (2:1, 4_PE:1, 2_W:1))",
            "values": rng.standard_normal((16, 16)).astype(np.float32),
        }
    else:
        values = {"text": PROGRAM, "model": decompose.run(mlp_step()).SerializeToString(deterministic=True)}
    return values | {KEY: True}


@cache
def _expected(task: str) -> Values:
    with product_only():
        return RUNS[task](_given(task))


def in_product(task: Task) -> Trial:
    """The case of a task in RUNS."""

    def judge(answer: Values) -> Objection:
        return first_of(_compared(what, right, answer.get(what)) for what, right in _expected(task.id).items())

    return Trial(NAME, _given(task.id), judge, earns=False)


def _compared(what: str, right: Value, found: Any) -> Objection:
    """Where numbers, a text or a list begin to be others."""
    if isinstance(right, float | np.ndarray):
        return compare(NAME, {}, np.asarray(right), np.asarray(found), NEAR, what=f"`{what}`")
    if found == right:
        return None
    if isinstance(right, list) and isinstance(found, list):
        pairs = zip_longest(found, right)
        number, (found, right) = next((n, pair) for n, pair in enumerate(pairs) if pair[0] != pair[1])
        what = f"{what}[{number}]"
    return tr("with this answer `{what}` is `{found}`, with the course's it is `{right}`", what, found, right)
