"""Stage 06: what the emitter does for its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from grader.emitter.forms import Form, Function
from grader.emitter.loading import AnswerError
from grader.emitter.numbers import numbers
from grader.emitter.values import Array, Value, Values
from haribote.network import HIDDEN, PIXELS
from simulator.messages import tr

if TYPE_CHECKING:
    from haribote.data.dataset import NormalisedImages


def reserve(function: Function, given: Values) -> dict[str, Value]:
    """Given: end in long words, the shape of a tensor, or the shapes of several, each behind the one before. Answer:
    address and end of each room (reserved).
    """
    end, reserved = given["end"], list[int]()
    shapes = given["shapes"] if "shapes" in given else [given["shape"]]
    assert isinstance(shapes, list)
    for shape in shapes:
        assert isinstance(shape, list)
        address, end = _whole(function(end, tuple(shape)))
        reserved += (address, end)
    return {"reserved": np.array(reserved)}


def _whole(found: Any) -> tuple[int, int]:
    """An address and an end. Raises AnswerError for anything else."""
    whole = isinstance(found, tuple | list) and all(isinstance(number, int | np.integer) for number in found)
    if not whole or len(found) != 2:
        what = tr(
            "reserve must return two whole numbers, the address and the new end, received {found}", str(found)[:80]
        )
        raise AnswerError(what, "return address, end")
    return int(found[0]), int(found[1])


class _Recorder:
    """A backend that notes the batches it is given; the loss of a step is an eighth of the sum of its labels.

    images: of all rows, whose labels are their numbers.
    """

    def __init__(self, images: Array | NormalisedImages) -> None:
        self.images, self.labels = images, list[int]()

    def step(self, images: Array, labels: Array) -> float:
        """One step; images and labels must belong together."""
        if not np.array_equal(images, self.images[labels]):
            raise ValueError(tr("images and labels of a step are not of the same rows"))
        self.labels += labels.tolist()
        return float(labels.sum()) / 8


def train_epoch(function: Function, given: Values) -> dict[str, Value]:
    """Given: rows, batch, seed, epoch, and whether the images are those of a data set (pictures). Answer: the labels in
    the order of the steps, and the losses returned.

    The label of every row is its number.
    """
    from haribote.data.dataset import NormalisedImages
    from haribote.training.checkpoint import Run

    rows, batch, seed, epoch = (int(given[name]) for name in ("rows", "batch", "seed", "epoch"))  # type: ignore[arg-type]
    labels = np.arange(rows, dtype=np.int64)
    pixels = np.repeat(labels[:, None], PIXELS, axis=1)
    images = NormalisedImages(pixels.astype(np.uint8)) if given["pictures"] else pixels.astype(np.float32)
    run = Run([HIDDEN], batch, 0.1, seed, "test")
    run.epoch = epoch
    backend = _Recorder(images)
    losses = function(backend, images, labels, run, epoch + 2)
    if run.epoch != epoch:
        raise AnswerError(tr("`{key}` has been changed; it must stay as it is", key="run.epoch"))
    return {"labels": np.array(backend.labels, np.int64), "losses": numbers([] if losses is None else losses)}


FORMS: dict[str, Form] = {"6.1": reserve, "6.2": train_epoch}
