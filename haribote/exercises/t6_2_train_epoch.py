"""Task 6.2: the train loop.

It is taught in notebooks/06_training/01_train, section 3.
Check it with `grader check 6.2`; if you are stuck, `grader hint 6.2`.
"""

from __future__ import annotations

from haribote.errors import NotWritten
from haribote.training.backends import Backend, Floats, Labels
from haribote.training.checkpoint import Run


def train_epoch(backend: Backend, images: Floats, labels: Labels, run: Run, epochs: int) -> list[float]:
    """One epoch over images [n, 784] (normalised) and labels [n]; returns the losses of its steps, in order.

    `haribote.data.batch_order(n, seed=…, epoch=…, batch=…)` gives the row numbers of each batch in the epoch's order;
    seed, epoch and batch are those of `run`. `backend.step(images, labels)` does one step and returns its loss.
    epochs: how many there will be, for a progress bar.
    """
    # TODO: about 2 lines.
    raise NotWritten("task 6.2 (the train loop) is not written yet; check it with `grader check 6.2`")
