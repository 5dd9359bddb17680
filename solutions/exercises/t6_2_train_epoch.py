"""Task 6.2: the train loop (batches in the epoch's order, one step each)."""

from __future__ import annotations

from haribote.data import batch_order
from haribote.training.backends import Backend, Floats, Labels
from haribote.training.checkpoint import Run


def train_epoch(backend: Backend, images: Floats, labels: Labels, run: Run, epochs: int) -> list[float]:
    """One epoch over images [n, 784] (normalised) and labels [n]; returns the losses of its steps, in order.

    `haribote.data.batch_order(n, seed=…, epoch=…, batch=…)` gives the row numbers of each batch in the epoch's order;
    seed, epoch and batch are those of `run`. `backend.step(images, labels)` does one step and returns its loss.
    epochs: how many there will be, for a progress bar.
    """
    ### BEGIN SOLUTION
    order = batch_order(len(labels), seed=run.seed, epoch=run.epoch, batch=run.batch)
    return [backend.step(images[rows], labels[rows]) for rows in order]
    ### END SOLUTION
