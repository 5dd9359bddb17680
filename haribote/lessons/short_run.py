"""Short training runs for the notebooks: what a learner has written trains MNIST a little, beside PyTorch.

`train_a_little()` is one cell's worth; the course's kernels stand in where the learner has none. `Watched` lets any
train loop show its loss while it runs.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from haribote.data.dataset import Dataset, NormalisedImages, batch_order, load
from haribote.errors import HariboteError
from haribote.network import BATCH, LEARNING_RATE, WIDTHS
from haribote.training.backends import Backend, Floats, Labels, Parameters, TorchBackend
from haribote.training.sim_backend import SimBackend
from simulator import SimulatorError
from simulator.errors import advised
from simulator.messages import say, shown, tr

if TYPE_CHECKING:
    from haribote.draw import Picture

STEPS = 20
AGREES = 1e-4
"""Two losses that differ by less are those of the same computation, rounded in another order."""


@dataclass(frozen=True, eq=False)
class ShortRun:
    """Losses of the same steps on the machine and in PyTorch. nodes, of: operators on the chip, and how many could be.

    data: the name of the data set. whose: lines that say whose kernels ran.
    """

    chip: tuple[float, ...]
    torch: tuple[float, ...]
    nodes: int
    of: int
    data: str
    whose: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """The largest difference of the losses; inf where the chip's is no number."""
        difference = np.abs(np.subtract(self.chip, self.torch)).max()
        return float(difference) if np.isfinite(difference) else float("inf")

    @property
    def agrees(self) -> bool:
        """Whether the chip computes what PyTorch does."""
        return self.difference < AGREES

    @property
    def picture(self) -> Picture:
        """Both losses."""
        from haribote import draw

        return draw.loss({"chip": list(self.chip), "torch": list(self.torch)})

    def __str__(self) -> str:
        lines = [
            tr(
                "{chip} steps on {data} with {nodes} of {of} nodes on the chip: loss {chip2:.4f} to {chip3:.4f}",
                chip=len(self.chip),
                data=self.data,
                nodes=self.nodes,
                of=self.of,
                chip2=self.chip[0],
                chip3=self.chip[-1],
            ),
            *self.whose,
        ]
        if self.agrees:
            lines.append(tr("PyTorch's losses are the same but for rounding ({difference:.1g})", self.difference))
        else:
            what = tr(
                "PyTorch's losses differ by up to {difference:.2g}: some kernel computes something else",
                self.difference,
            )
            lines.append(advised(what, tr("`grader check` on the tasks that you wrote last")))
        return "\n".join(map(shown, lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>{self.picture._repr_html_()}"


def your_chip(learning_rate: float = LEARNING_RATE, level: int = 0) -> SimBackend:
    """The network 784-16-10 on a machine of its own: the learner's kernels where they pass, the course's elsewhere.

    level: 0 or 1, see `compiler.LEVELS`.
    """
    from haribote.answers.ownership import solutions_wanted
    from haribote.training.models import mlp

    return SimBackend(mlp(*WIDTHS), learning_rate, BATCH, solutions_wanted(), level=level, fill=True)


def train_a_little(steps: int = STEPS, data: Dataset | None = None) -> ShortRun:
    """Train 784-16-10 for `steps` batches of 256 with the learner's kernels where they pass, and the same in PyTorch.

    Raises HariboteError where the machine cannot run what a kernel emitted.
    """
    from haribote.training.models import mlp

    data = data or load(say=say)
    chip = your_chip()
    torch = TorchBackend(mlp(*WIDTHS), LEARNING_RATE)
    images, labels = NormalisedImages(data.train_images), data.train_labels
    order = batch_order(len(labels), seed=42, epoch=0, batch=BATCH)[:steps]
    losses: list[tuple[float, float]] = []
    with tqdm(order, desc=tr("training"), unit=tr("step"), mininterval=0.3, file=sys.stdout) as bar:
        for rows in bar:
            batch = images[rows], labels[rows]
            losses.append((_step(chip, *batch), torch.step(*batch)))
            bar.set_postfix_str(tr("loss {loss:.4f}", losses[-1][0]), refresh=False)
    on_chip, on_host = zip(*losses, strict=True)
    compiled = chip.compiled
    return ShortRun(on_chip, on_host, compiled.chip_count, compiled.node_count, data.name, chip.whose)


def _step(backend: Backend, images: Floats, labels: Labels) -> float:
    try:
        return backend.step(images, labels)
    except SimulatorError as error:
        raise HariboteError(
            tr("the machine cannot run the step: {error}", error), tr("`grader check` on your last task")
        ) from error


class Watched:
    """A backend that tells somebody the loss of every step: `Watched(backend, live.add)`."""

    def __init__(self, backend: Backend, tell: Callable[[int, float], object]) -> None:
        self._backend, self._tell, self._count = backend, tell, 0
        self.summary = backend.summary

    def step(self, images: Floats, labels: Labels) -> float:
        """See `Backend.step`."""
        loss = _step(self._backend, images, labels)
        self._count += 1
        self._tell(self._count, loss)
        return loss

    def logits(self, images: Floats) -> Floats:
        """See `Backend.logits`."""
        return self._backend.logits(images)

    def parameters(self) -> Parameters:
        """See `Backend.parameters`."""
        return self._backend.parameters()

    def load(self, parameters: Parameters) -> None:
        """See `Backend.load`."""
        self._backend.load(parameters)
