"""`haribote gpt train`: the loss of the chip beside PyTorch's, and checkpoints that survive a stopped run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from haribote.errors import HariboteError
from haribote.gpt.checkpoint import Run, load, save
from haribote.gpt.model import Shape, initial
from haribote.gpt.options import GptOptions
from haribote.gpt.text import Corpus, corpus
from haribote.gpt.trainers import ChipTrainer, State, TorchTrainer, Trainer
from haribote.training.checkpoint import CheckpointError
from haribote.training.train import Diverged
from simulator.messages import say, tr


def shape_of(options: GptOptions, vocabulary: int) -> Shape:
    """The sizes that are asked for. Raises HariboteError where the heads do not divide the width."""
    if options.width % options.heads:
        raise HariboteError(
            tr("a width of {width} in {heads} heads: each must get the same part of it", options.width, options.heads),
            tr("a number of heads that divides the width"),
        )  # fmt: skip
    return Shape(vocabulary, options.layers, options.width, options.heads, options.context)


def train(options: GptOptions, say: Callable[[str], None] = say) -> Run:
    """Train to the asked number of steps; now and then a line and a checkpoint.

    Raises CheckpointError where `resume` finds no checkpoint or one of another run, TextError for a text that is too
    short, Diverged where a loss is infinite or no number.
    """
    learned = corpus(options.text, options.context)
    shape = shape_of(options, len(learned.alphabet))
    run = Run(shape, learned.alphabet.characters, learned.digest, options.batch, options.rate, options.seed)
    states: dict[str, State] = {}
    if options.resume:
        run, states = _resumed(options, run)
    say(tr("text: {origin}", learned.origin))
    trainers: dict[str, Trainer] = {
        "torch": TorchTrainer(initial(shape, options.seed), options.rate, states.get("torch"), run.steps)
    }
    if options.backend == "sim":
        say(tr("compiling the training step for the chip, once; later it is found in the cache"))
        trainers["sim"] = ChipTrainer(
            initial(shape, options.seed), options.rate, options.batch, states.get("sim"), run.steps
        )
    say(trainers[options.backend].summary)
    if options.resume:
        say(tr("resuming after step {steps}", run.steps))
    _steps(options, run, learned, trainers, say)
    return run


def _steps(
    options: GptOptions, run: Run, learned: Corpus, trainers: dict[str, Trainer], say: Callable[[str], None]
) -> None:
    """The steps that are left. told: the step of the last line."""
    start, before, told = time.perf_counter(), run.steps, run.steps
    for name in trainers:
        run.losses.setdefault(name, [])
    while run.steps < options.steps:
        tokens, following = learned.batch(run.seed, run.steps, run.batch, run.shape.context)
        found = {name: trainer.step(tokens, following) for name, trainer in trainers.items()}
        for name, loss in found.items():
            if not np.isfinite(loss):
                raise Diverged(
                    tr("training has diverged: the loss is {loss} in step {step}", loss, run.steps + 1),
                    tr("a smaller --lr (it is {rate:g}); the last checkpoint is as it was", run.rate),
                )
            run.losses[name].append(loss)
        if run.steps % options.every == 0 or run.steps == options.steps or run.steps == 1:
            each = (time.perf_counter() - start) / (run.steps - before)
            say(_line(run, {name: float(np.mean(run.losses[name][told:])) for name in trainers}, each))
            told = run.steps
        if run.steps % options.every == 0 or run.steps == options.steps:
            save(options.checkpoint, run, {name: trainer.state() for name, trainer in trainers.items()})


def _line(run: Run, losses: dict[str, float], seconds: float) -> str:
    """losses: the means since the line before."""
    both = "  ".join(
        tr("loss on the chip {loss:.6f}", loss) if name == "sim" else tr("in PyTorch {loss:.6f}", loss)
        for name, loss in sorted(losses.items())
    )
    return tr("step {step}  {both}  {seconds:.3f} s per step", run.steps, both, seconds)


def _resumed(options: GptOptions, run: Run) -> tuple[Run, dict[str, State]]:
    """The run that the checkpoint holds. Raises CheckpointError where it is another one."""
    saved, states = load(options.checkpoint)
    ours, theirs = run.task(), saved.task()
    if differing := [key for key in ours if ours[key] != theirs[key]]:
        other = ", ".join(_words(differing, asdict(run.shape), asdict(saved.shape)))
        raise CheckpointError(
            tr("{checkpoint} is of another run: another {differing}", options.checkpoint, other),
            tr("the same options as then, or no --resume to start anew"),
        )
    if options.backend not in states:
        raise CheckpointError(
            tr("{checkpoint} was not trained by {backend}", options.checkpoint, options.backend),
            tr("the same --backend as then, or no --resume to start anew"),
        )
    return saved, states


def _words(differing: list[str], ours: dict[str, int], theirs: dict[str, int]) -> list[str]:
    """What differs, by the names of options: of a shape, which of its sizes."""
    of_shape = [f"{key} ({ours[key]}, {theirs[key]})" for key in ours if ours[key] != theirs[key]]
    return [word for key in differing for word in (of_shape if key == "shape" else [key])]
