"""`haribote train`: epochs of an MLP, 784-H-10 or 16-H-10, on a backend, with checkpoints that survive a killed run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from tqdm import tqdm

from haribote.answers.calls import watched
from haribote.answers.ownership import exercise, solutions_wanted
from haribote.data.dataset import Dataset, NormalisedImages
from haribote.data.pooling import at_side
from haribote.errors import HariboteError
from haribote.network import BATCH, CLASSES, HIDDEN, LARGE, LEARNING_RATE, NETWORKS, STEPS, Network
from haribote.own.ledger import ledger
from haribote.own.mine import forget_ledger, keep_ledger
from haribote.own.working import your_kernels
from haribote.training.backends import Backend, Floats, Labels, TorchBackend
from haribote.training.checkpoint import CheckpointError, Run, load_checkpoint, save_checkpoint
from haribote.training.evaluation import accuracy as accuracy  # where it was
from haribote.training.evaluation import evaluate as evaluate
from haribote.training.sim_backend import SimBackend
from simulator.messages import Text, say, tr

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATA_NAMES = {"mnist": "MNIST", "synthetic": Text("digits from fonts")}


class Diverged(HariboteError):
    """The loss of a training step is infinite or no number: what follows is of no use."""


@dataclass(frozen=True)
class Options:
    """What the command line asks for. folder: where checkpoint and picture go.

    fill: the learner's kernels where they pass, the course's elsewhere. mine: the learner's parts alone, and at the end
    what is missing.
    """

    backend: str
    folder: Path
    epochs: int = 1
    hidden: tuple[int, ...] = (HIDDEN,)
    batch: int = BATCH
    learning_rate: float = LEARNING_RATE
    seed: int = 42
    solutions: bool = field(default_factory=solutions_wanted)
    require_chip: bool = False
    resume: bool = False
    engine: str = "native"
    bias: bool = True
    gemm: str = ""
    level: int = 0
    precision: str = "float"
    fill: bool = False
    mine: bool = False
    network: Network = LARGE

    @property
    def checkpoint(self) -> Path:
        """The checkpoint file of the run."""
        return self.folder / "checkpoint.npz"


def make_backend(options: Options) -> Backend:
    """The backend with freshly initialised parameters (torch's own initialisation from the seed)."""
    from haribote.training.models import mlp

    model = mlp(options.network.pixels, *options.hidden, CLASSES, bias=options.bias, seed=options.seed)
    if options.backend == "torch":
        return TorchBackend(model, options.learning_rate)
    if options.backend == "cpp":
        from haribote.training.cpp_backend import CppBackend

        return CppBackend(model, options.learning_rate, options.batch, options.gemm)
    return SimBackend(
        model,
        options.learning_rate,
        options.batch,
        options.solutions,
        options.require_chip,
        options.engine,
        level=options.level,
        precision=options.precision,
        fill=options.fill,
        find=your_kernels().find if options.mine else None,
    )


def train(options: Options, data: Dataset, say: Callable[[str], None] = say) -> Run:
    """Train to the asked number of epochs; after each one, a line, a checkpoint and the loss picture; then the ledger.

    Raises CheckpointError where `resume` finds no checkpoint or one of another run, DataError where the data does not
    fill one batch, Diverged where a loss is infinite or no number.
    """
    run = Run(
        list(options.hidden),
        options.batch,
        options.learning_rate,
        options.seed,
        data.name,
        options.bias,
        network=options.network.name,
    )
    data = at_side(data, options.network.side)
    with watched() as calls:
        backend = make_backend(options)
        say(backend.summary)
        if options.resume:
            run = _resume(options, run, backend)
            say(tr("resuming after epoch {epoch}", run.epoch))
        _epochs(options, run, backend, data, say)
    if verdict := target_verdict(options.network, run):
        say(verdict)
    if options.backend != "torch":
        found = ledger(calls, getattr(backend, "compiled", None), _of_the_course(options))
        keep_ledger(found, options.folder)
        for line in found.told(options.mine):
            say(line)
    return run


def _epochs(options: Options, run: Run, backend: Backend, data: Dataset, say: Callable[[str], None]) -> None:
    """The epochs that are left."""
    train_images, test_images = NormalisedImages(data.train_images), NormalisedImages(data.test_images)
    while run.epoch < options.epochs:
        start = time.perf_counter()
        with _Shown(backend, run, options.epochs, len(data.train_labels)) as steps:
            found = train_epoch(cast(Backend, steps), train_images, data.train_labels, run, options.epochs)
        losses = [float(loss) for loss in found]
        _refuse_divergence(losses, run)
        accuracy = evaluate(backend, test_images, data.test_labels)
        run.epoch += 1
        run.losses += losses
        run.accuracies.append(accuracy)
        forget_ledger(options.folder)
        save_checkpoint(options.checkpoint, run, backend.parameters())
        draw(run, options.folder / "loss.png")
        say(_line(run, losses, time.perf_counter() - start, backend))


def target_verdict(network: Network, run: Run) -> str:
    """Whether the run has reached what PyTorch reaches on this network, or how many epochs that takes.

    "" without target.
    """
    if network.target is None or not run.losses:
        return ""
    reached, target = f"{100 * run.accuracies[-1]:.2f}%", f"{100 * network.target:.0f}%"
    if len(run.losses) < STEPS:
        return tr(
            "the target, {target}, is for {steps} steps: --epochs {epochs}",
            target,
            STEPS,
            -(-STEPS * run.epoch // len(run.losses)),
        )
    if run.accuracies[-1] >= network.target:
        return tr(
            "target reached: accuracy {reached}, and PyTorch gets {target} or more in {steps} steps",
            reached,
            target,
            STEPS,
        )
    return tr(
        "target missed: accuracy {reached}, but PyTorch gets {target} or more in {steps} steps", reached, target, STEPS
    )


class _Shown:
    """A backend whose steps move a progress bar, in a terminal. images: how many there are in an epoch."""

    def __init__(self, backend: Backend, run: Run, epochs: int, images: int) -> None:
        self._backend = backend
        name = tr("epoch {value}/{epochs}", run.epoch + 1, epochs)
        self._bar = tqdm(
            total=images // run.batch, desc=name, unit=tr("step"), leave=False, mininterval=0.5, disable=None
        )

    def step(self, images: Floats, labels: Labels) -> float:
        """See `Backend.step`."""
        loss = self._backend.step(images, labels)
        self._bar.set_postfix_str(tr("loss {loss:.4f}", loss), refresh=False)
        self._bar.update()
        return loss

    def __getattr__(self, name: str) -> Any:
        """All else is the backend's."""
        return getattr(self._backend, name)

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()


@exercise("6.2")
def train_epoch(
    backend: Backend, images: Floats | NormalisedImages, labels: Labels, run: Run, epochs: int
) -> list[float]:
    """One epoch over images [n, pixels] (normalised) and labels [n]; the losses of its steps."""
    raise NotImplementedError


def draw(run: Run, path: Path) -> None:
    """Write the loss of every step and the accuracy of every epoch as a PNG."""
    import io

    from haribote.draw.fonts import lettered
    from simulator.files import write_file

    content = io.BytesIO()
    with lettered():
        loss_figure(run).savefig(content, format="png", dpi=120)
    write_file(path, content.getvalue())


def loss_figure(run: Run) -> Figure:
    """The same as a figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    steps = len(run.losses) // max(run.epoch, 1)
    loss, accuracy = tr("loss"), tr("accuracy")
    axes.plot(np.arange(1, len(run.losses) + 1) / steps, run.losses, color="tab:blue", linewidth=0.8, label=loss)
    axes.set(xlabel=tr("epoch"), ylabel=loss, ylim=(0, None))
    axes.set_title(tr("a training run of {run} on {data}", _network(run), DATA_NAMES.get(run.data, run.data)))
    right = axes.twinx()
    right.plot(range(1, run.epoch + 1), [100 * a for a in run.accuracies], "o-", color="tab:orange", label=accuracy)
    right.set(ylabel=tr("test accuracy in %"), ylim=(0, 100))
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def _refuse_divergence(losses: list[float], run: Run) -> None:
    bad = np.flatnonzero(~np.isfinite(losses))
    if len(bad):
        raise Diverged(
            tr(
                "training has diverged: the loss is {losses} in step {value} of epoch {value2}",
                losses[bad[0]],
                bad[0] + 1,
                run.epoch + 1,
            ),
            tr("a smaller --lr (it is {learning_rate:g}); nothing of this epoch was saved", run.learning_rate),
        )


def _of_the_course(options: Options) -> str:
    """The name of the network where its step is the one that has marks; "" for one of other sizes."""
    same = (options.hidden, options.batch, options.bias) == ((HIDDEN,), BATCH, True)
    return options.network.name if same else ""


def _network(run: Run) -> str:
    """The network in short: `784-16-10`."""
    widths = "-".join(map(str, (NETWORKS[run.network].pixels, *run.hidden, CLASSES)))
    return widths if run.bias else tr("{widths} without bias", widths)


def _resume(options: Options, run: Run, backend: Backend) -> Run:
    saved, parameters = load_checkpoint(options.checkpoint)
    if not saved.same_task(run):
        raise CheckpointError(
            tr(
                "{checkpoint} is of another run: {saved}, batch {batch}, learning rate "
                "{learning_rate}, seed {seed}, data {data}",
                checkpoint=options.checkpoint,
                saved=_network(saved),
                batch=saved.batch,
                learning_rate=saved.learning_rate,
                seed=saved.seed,
                data=saved.data,
            ),
            tr("the same options as then, or no --resume to start anew"),
        )
    backend.load(parameters)
    return saved


def _line(run: Run, losses: list[float], seconds: float, backend: Backend) -> str:
    line = tr(
        "epoch {epoch}  loss {losses:.4f}  accuracy {value:.2f}%  time {seconds:.1f}s",
        epoch=run.epoch,
        losses=np.mean(losses),
        value=100 * run.accuracies[-1],
        seconds=seconds,
    )
    if isinstance(backend, SimBackend):
        cost = backend.compiled.cost
        line += tr(
            "  on chip {chip_count} of {node_count} nodes", backend.compiled.chip_count, backend.compiled.node_count
        )
        line += tr(
            "  steps {steps} + {moves} MV  -O{level}  {figures} per train step",
            cost.steps,
            cost.moves,
            backend.level,
            cost.figures,
        )
    return line
