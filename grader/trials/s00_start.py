"""Stage 00: the cases of its tasks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grader.emitter.values import Values
from grader.feedback.causes import OPERATION
from grader.trials import Array, Objection, Trial, Trials, Wrong, compare
from simulator.messages import tr


def accuracy(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 0.1: many rows, one row, all wrong, several largest logits."""
    for name, rows, kind in (
        (tr("256 rows"), 256, ""),
        (tr("one row"), 1, ""),
        (tr("negative logits, all wrong"), 7, "wrong"),
        (tr("two largest"), 9, "two"),
    ):
        logits = rng.standard_normal((rows, 10)).astype(np.float32)
        labels = rng.integers(0, 10, rows)
        if kind == "wrong":
            logits = -np.abs(logits) - 1
            labels = (np.array([row.tolist().index(max(row)) for row in logits]) + 1) % 10
        if kind == "two":
            logits[:, [2, 7]] = 9
            labels = rng.permutation(np.repeat([2, 7], rng.permutation([4, 5])))
        right = sum(row.tolist().index(max(row.tolist())) == label for row, label in zip(logits, labels, strict=True))
        yield _accuracy(name, {"logits": logits, "labels": labels}, right / rows)


def _accuracy(name: str, given: dict[str, Array], expected: float) -> Trial:
    """A case; one whose answer is 0 or 1 is right by chance too often to earn anything by itself."""

    smallest = np.argmin(given["logits"], axis=1) == given["labels"]
    words = tr("so many rows have their smallest score at the label: it is the largest that should be there")

    def judge(answer: Values) -> Objection:
        received, instead = np.array(answer["accuracy"]), [(OPERATION, words, np.array(smallest.mean()))]
        return compare(name, given, np.array(expected), received, what=tr("the accuracy"), instead=instead)

    return Trial(name, dict(given), judge, earns=bool(0 < expected < 1))


TRIALS: dict[str, Trials] = {"0.1": accuracy}
WRONG: dict[str, Wrong] = {
    "0.1": (
        ("return float(np.mean(", "return str(np.mean("),
        ("return float(", "labels[1:] = labels[0]\n    return float("),
        ("argmax(axis=1)", "argmax(axis=0)[0]"),
        ("argmax", "argmin"),
        ("np.mean", "np.sum"),
    ),
}
