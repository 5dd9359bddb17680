"""`haribote gpt train` and `haribote gpt write`: a language model of one's own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from haribote.commands.options import Commands, command, taken
from haribote.gpt.options import (
    BACKENDS,
    BATCH,
    CONTEXT,
    EVERY,
    FILE,
    HEADS,
    LAYERS,
    RATE,
    SEED,
    STEPS,
    WIDTH,
    GptOptions,
)
from haribote.progress import listening
from simulator.console import seed
from simulator.messages import say, tr

FOLDER = Path("runs/gpt")
MOST_LENGTH = 1_000_000


def number(least: int, most: int) -> Callable[[str], int]:
    """A whole number within bounds, for argparse."""

    def whole(text: str) -> int:
        found = int(text)
        if not least <= found <= most:
            raise argparse.ArgumentTypeError(tr("must be from {least} to {most}, received {found}", least, most, found))
        return found

    whole.__name__ = "int"
    return whole


def real(least: float, most: float, above: bool) -> Callable[[str], float]:
    """A number within bounds, for argparse. above: the lower bound itself is not allowed."""

    def within(text: str) -> float:
        found = float(text)
        if not least <= found <= most or (above and found == least):
            raise argparse.ArgumentTypeError(
                tr("must be above {least} and at most {most}, received {found}", least, most, text)
                if above
                else tr("must be from {least} to {most}, received {found}", least, most, text)
            )
        return found

    within.__name__ = "float"
    return within


def add_commands(commands: Commands) -> None:
    """Adds `gpt` with its two actions."""
    text = tr("a language model of your own: train a small GPT on a text, and let it write")
    parser = command(commands, "gpt", text)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _train(actions)
    _write(actions)


def _train(actions: Commands) -> None:
    text = tr("train on a text, character by character; the loss of the chip beside PyTorch's")
    parser = command(actions, "train", text)
    parser.add_argument("--backend", choices=BACKENDS, default="sim", help=tr("what trains (sim)"))
    parser.add_argument("--text", type=Path, metavar="FILE", help=tr("a text of your own (stories made by a grammar)"))
    sizes: tuple[tuple[str, int, int, int, str], ...] = (
        ("--steps", 1, 10_000_000, STEPS, tr("steps in all ({steps})", STEPS)),
        ("--batch", 1, 1024, BATCH, tr("pieces of text in a step ({batch})", BATCH)),
        ("--layers", 1, 64, LAYERS, tr("layers ({layers})", LAYERS)),
        ("--width", 1, 4096, WIDTH, tr("width of a layer ({width})", WIDTH)),
        ("--heads", 1, 64, HEADS, tr("heads of attention ({heads})", HEADS)),
        ("--context", 2, 1024, CONTEXT, tr("characters that the model looks back at ({context})", CONTEXT)),
        ("--every", 1, 1_000_000, EVERY, tr("steps from one line and checkpoint to the next ({every})", EVERY)),
    )
    for name, least, most, default, told in sizes:
        parser.add_argument(name, type=number(least, most), default=default, metavar="N", help=told)
    text = tr("learning rate of Adam ({rate})", RATE)
    parser.add_argument("--lr", type=real(0, 10, above=True), default=RATE, metavar="R", help=text)
    parser.add_argument("--seed", type=seed, default=SEED, help=tr("of weights and batches ({seed})", SEED))
    parser.add_argument("--resume", action="store_true", help=tr("go on from the last checkpoint"))
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, metavar="DIR", help=tr("checkpoint (runs/gpt)"))

    def run(options: argparse.Namespace) -> int:
        from haribote.gpt.train import train

        wanted = taken(GptOptions, options, folder=options.output, rate=options.lr)
        with listening(lambda text: say(text, file=sys.stderr, flush=True)):
            found = train(wanted, lambda text: say(text, flush=True))
        say(tr("checkpoint in {path} (after step {steps})", wanted.checkpoint, found.steps))
        return 0

    parser.set_defaults(run=run)


def _write(actions: Commands) -> None:
    text = tr("write with a trained model: one character after another, by a cache of keys and values on the chip")
    parser = command(actions, "write", text)
    parser.add_argument("--backend", choices=BACKENDS, default="sim", help=tr("what writes (sim)"))
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help=tr("of a training (runs/gpt/gpt.npz)"))
    parser.add_argument("--prompt", default="", metavar="TEXT", help=tr("what the text begins with"))
    told = tr("characters to write (300)")
    parser.add_argument("--length", type=number(1, MOST_LENGTH), default=300, metavar="N", help=told)
    told = tr("0: always the likeliest character; higher: bolder (0.7)")
    parser.add_argument("--temperature", type=real(0, 100, above=False), default=0.7, metavar="T", help=told)
    parser.add_argument("--seed", type=seed, default=SEED, help=tr("of the choices ({seed})", SEED))

    def run(options: argparse.Namespace) -> int:
        from haribote.gpt.write import characters, make_writer, trained

        def tell(text: str) -> None:
            say(text, file=sys.stderr, flush=True)

        model = trained(options.checkpoint or FOLDER / FILE)
        model.alphabet.tokens(options.prompt)  # before anything is compiled
        with listening(tell):
            writer = make_writer(model, options.backend, tell)
        tell(writer.summary)
        print(options.prompt, end="", flush=True)
        for character in characters(writer, model, options.prompt, options.length, options.temperature, options.seed):
            print(character, end="", flush=True)
        print()
        return 0

    parser.set_defaults(run=run)
