"""All that is shown: a step on the chip, a short run and what it learns, the race of the levels, and the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.answers.calls import watched
from haribote.data.dataset import Dataset, NormalisedImages
from haribote.data.pooling import at_side
from haribote.errors import HariboteError
from haribote.network import BATCH, CLASSES, HIDDEN, STEPS, Network
from haribote.own.ledger import Ledger, ledger
from haribote.own.working import your_kernels
from haribote.share.digit import Answer, Digit, answers, digits, shown
from haribote.share.race import Lane, lanes, traced
from haribote.share.recording import Recording, record_step, step_by, without_comments
from haribote.speed.profile import programs_of
from haribote.training.backends import Parameters
from haribote.training.checkpoint import CheckpointError, Run, load_checkpoint
from haribote.training.evaluation import evaluate
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend
from haribote.training.train import train_epoch
from simulator.isa.program import Program
from simulator.messages import tr
from simulator.view import View

SEED = 42
PIECES = 13
"""The short run has as many steps as an epoch of MNIST, in so many pieces; after each the network is asked."""


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for. folder: of a training run, for its checkpoint; asked: whether it was named.

    whose: "solutions", "fill", "mine", or "" for the learner's kernels and the host. digit: 784 pixels, as MNIST has
    them. view: the viewer's page too.
    """

    network: Network
    whose: str = ""
    digit: NDArray[np.uint8] | None = None
    folder: Path = Path("runs/sim")
    asked: bool = False
    name: str = ""
    view: bool = False


@dataclass(frozen=True)
class Trained:
    """A whole training run, from its checkpoint. accuracy: 0 to 1."""

    epochs: int
    accuracy: float


@dataclass(frozen=True)
class Story:
    """What the page, the picture and the film show. losses: of each step; accuracy: 0 to 1, after the short run.

    answers: from before the first step on; the last is of the checkpoint where there is one (`trained`). viewer: the
    page of the simulator's viewer on the longest program of the step, where it is wanted.
    """

    name: str
    network: Network
    data: str
    recording: Recording
    losses: tuple[float, ...]
    accuracy: float
    digit: Digit
    answers: tuple[Answer, ...]
    trained: Trained | None
    lanes: tuple[Lane, ...]
    ledger: Ledger
    viewer: str = ""

    @property
    def widths(self) -> str:
        """Of the network: `16-16-10`."""
        return f"{self.network.pixels}-{HIDDEN}-{CLASSES}"

    @property
    def owners(self) -> tuple[str, ...]:
        """Whose kernels run in the step, the learner's first."""
        found = {kernel.owner for kernel in self.recording.kernels}
        return tuple(sorted(found, key=lambda owner: (owner != "yours", owner)))

    @property
    def author(self) -> str:
        """Whose work is told of: the learner's where any of it is, else the course's answers."""
        return "yours" if any(entry.owner == "yours" for entry in self.ledger.entries) else "reference"


def tell(wanted: Wanted, data: Dataset) -> Story:
    """Compile, record a step, train, ask, race. data: of 28 x 28 pixels.

    Raises HariboteError where no kernel runs on the chip, CheckpointError where a run was asked for and its checkpoint
    cannot be used.
    """
    network = wanted.network
    asked = digits(wanted.digit, data, network)
    saved = _checkpoint(wanted)
    data = at_side(data, network.side)
    with watched() as calls:
        backend = _backend(wanted)
        if not programs_of(backend.compiled):
            raise HariboteError(
                tr("nothing of the step runs on the chip: no kernel of yours works"),
                tr("--fill for the course's kernels where yours are missing, or --solutions"),
            )
        recording, viewer = _recorded(backend, data, wanted.view)
        losses, said = _short_run(backend, data, asked)
        accuracy = evaluate(backend, NormalisedImages(data.test_images), data.test_labels)
    found = ledger(calls, backend.compiled)
    trained = None
    if saved is not None:
        run, parameters = saved
        backend.load(parameters)
        said.append(answers(backend, asked, len(run.losses)))
        trained = Trained(run.epoch, run.accuracies[-1])
    chosen = shown(asked, said[-1])
    race = lanes(traced(_model(network), BATCH, network.learning_rate), network, wanted.whose == "solutions")
    return Story(
        name=wanted.name,
        network=network,
        data=data.name,
        recording=recording,
        losses=tuple(losses),
        accuracy=accuracy,
        digit=asked[chosen],
        answers=tuple(each[chosen] for each in said),
        trained=trained,
        lanes=race,
        ledger=found,
        viewer=viewer,
    )


def network_of_run(folder: Path) -> str:
    """The name of the network that a run has trained; "" where there is no such run."""
    try:
        return load_checkpoint(folder / "checkpoint.npz")[0].network
    except CheckpointError:
        return ""


def _model(network: Network) -> Any:
    return mlp(network.pixels, HIDDEN, CLASSES, seed=SEED)


def _backend(wanted: Wanted) -> SimBackend:
    find = your_kernels().find if wanted.whose == "mine" else None
    return SimBackend(
        _model(wanted.network),
        wanted.network.learning_rate,
        BATCH,
        wanted.whose == "solutions",
        find=find,
        fill=wanted.whose == "fill",
    )


def _recorded(backend: SimBackend, data: Dataset, view: bool) -> tuple[Recording, str]:
    """The first step, recorded, and its page for the viewer; the parameters are afterwards what they were."""
    before, rows = backend.parameters(), np.arange(BATCH)
    inputs = {"x": NormalisedImages(data.train_images[:BATCH])[rows], "labels": data.train_labels[:BATCH]}
    recording = record_step(backend.compiled, backend.session, inputs)
    backend.load(before)
    if not view:
        return recording, ""
    pages: list[str] = []

    def run(program: Program) -> None:
        if program is recording.programs[recording.longest]:
            pages.append(View(without_comments(program), backend.machine).page)
        else:
            backend.machine.run(program)

    step_by(run, backend.session, inputs)
    backend.load(before)
    return recording, pages[0]


def _short_run(backend: SimBackend, data: Dataset, asked: list[Digit]) -> tuple[list[float], list[list[Answer]]]:
    """The losses of STEPS steps, and what the network says of the digits before and between."""
    run = Run([HIDDEN], BATCH, 0.0, SEED, data.name)
    losses: list[float] = []
    said = [answers(backend, asked, 0)]
    for rows in _pieces(len(data.train_labels)):
        images = NormalisedImages(data.train_images[rows])
        losses += [float(loss) for loss in train_epoch(backend, images, data.train_labels[rows], run, 1)]
        said.append(answers(backend, asked, len(losses)))
    return losses, said


def _pieces(count: int) -> Iterator[Any]:
    """Rows of the data for each piece of the run, in turn; from the start again where there are too few."""
    each = STEPS // PIECES * BATCH
    for piece in range(PIECES):
        yield np.arange(piece * each, (piece + 1) * each) % count


def _checkpoint(wanted: Wanted) -> tuple[Run, Parameters] | None:
    """The checkpoint of the run, where it is of this network; None where there is none and none was asked for."""
    try:
        run, parameters = load_checkpoint(wanted.folder / "checkpoint.npz")
    except CheckpointError:
        if wanted.asked:
            raise
        return None
    if (run.network, list(run.hidden), run.bias) == (wanted.network.name, [HIDDEN], True) and run.accuracies:
        return run, parameters
    if wanted.asked:
        raise CheckpointError(
            tr("{folder} has trained another network than {network}", wanted.folder, wanted.network.name),
            tr("--network {network}, or another --run DIR", run.network),
        )
    return None
