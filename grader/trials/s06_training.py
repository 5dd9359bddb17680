"""Stage 06: the cases of its tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from grader.emitter.values import Value, Values
from grader.feedback.causes import LEFT_OUT, WRONG_INPUTS
from grader.trials import Objection, Trial, Trials, Wrong, array_in, compare, gives
from haribote.data.dataset import batch_order
from haribote.layout import dram_long_words
from simulator.messages import tr


def reserve(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 6.1: tensors of the train step and one of an odd size, behind round and odd ends."""
    for shape, words in (((16,), 8), ((256,), 32), ((16, 16), 32), ((256, 16), 512), ((16, 1024), 2048), ((520,), 65)):
        for end in (0, 64, 100, int(rng.integers(200, 10**6))):
            yield _reserve(shape, words, end)
    yield _in_a_row(((256, 1024), (256,), (16, 1024), (16,), (16, 16), (520,), (256, 16)))


def _reserve(shape: tuple[int, ...], words: int, end: int) -> Trial:
    address = next(a for a in range(end, end + 64) if a % 64 == 0)
    room = next(r for r in range(words, words + 64) if r % 64 == 0)
    given: Values = {"end": end, "shape": list(shape)}
    name = tr("shape {shape} behind address {end}", shape, end)
    return gives(name, given, given, "reserved", [address, address + room], tr("address and end"))


def _in_a_row(shapes: Sequence[tuple[int, ...]]) -> Trial:
    """All tensors of a step as the product places them: each behind what the answer gave for the one before."""
    name, end, expected = tr("in the product: the tensors of a training step"), 0, list[int]()
    for shape in shapes:
        expected += (end, end := end + -(-dram_long_words(shape) // 64) * 64)
    given: Values = {"end": 0, "shapes": [list(shape) for shape in shapes]}
    shown = {"shapes": np.array([str(shape) for shape in shapes])}
    return gives(name, given, shown, "reserved", expected, tr("addresses and ends"), earns=False)


def train_epoch(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 6.2: two epochs; the last rows do not fill a batch. Then as the product trains, with a data set."""
    for epoch in (0, 1):
        yield _epoch(tr("the batches of epoch {epoch}", epoch), 43, 8, int(rng.integers(1, 100)), epoch)
    yield _epoch(tr("in the product: an epoch of pictures"), 31, 5, int(rng.integers(1, 100)), 2, pictures=True)


def _epoch(name: str, rows: int, batch: int, seed: int, epoch: int, pictures: bool = False) -> Trial:
    given: dict[str, Value] = {"rows": rows, "batch": batch, "seed": seed, "epoch": epoch, "pictures": pictures}
    every = np.arange(rows)

    def judge(answer: Values) -> Objection:
        order = [np.asarray(part) for part in batch_order(rows, seed=seed, epoch=epoch, batch=batch)]
        first = np.concatenate([np.asarray(part) for part in batch_order(rows, seed=seed, epoch=0, batch=batch)])
        instead = [
            (LEFT_OUT, tr("no step was made: the loop had nothing to go through"), np.zeros(0)),
            (LEFT_OUT, tr("all rows were handed over, in their own order: a step gets one batch of them"), every),
            (WRONG_INPUTS, tr("it is the order of epoch 0: every epoch has its own"), first),
        ]
        seen, losses, what = array_in(answer, "labels"), array_in(answer, "losses"), tr("the order of the rows")
        return compare(name, given, np.concatenate(order), seen, what=what, instead=instead) or compare(
            name, given, np.array([part.sum() / 8 for part in order]), losses, what=tr("the losses")
        )

    return Trial(name, given, judge, earns=not pictures)


TRIALS: dict[str, Trials] = {"6.1": reserve, "6.2": train_epoch}
WRONG: dict[str, Wrong] = {
    "6.1": (("-(-end // 64) * 64", "end"), ("-(-dram_long_words(shape) // 64) * 64", "dram_long_words(shape)")),
    "6.2": (
        ('batch=run.batch', 'batch=8'),
        ('len(labels), seed', '43, seed'),
        ('for rows in order]', "for rows in order if not setattr(run, 'epoch', 9)]"),
        ("epoch=run.epoch", "epoch=0"), ("seed=run.seed", "seed=0"),
            ("labels[rows]) for", "labels[rows] * 0) for")),
}  # fmt: skip
