"""`haribote train | mine | infer | data | demo | share`: training, and what comes of it. What a command needs is
imported when it runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from haribote.commands.options import (
    Commands,
    check_backend,
    chip_options,
    command,
    fill_of,
    gemm_option,
    kernels_option,
    level_of,
    mine_of,
    mine_option,
    network_name,
    network_of,
    network_options,
    positive,
    shown_name,
    taken,
    units,
)
from haribote.network import BATCH, SMALL
from haribote.training.backends import BACKENDS
from simulator.console import seed
from simulator.engine.machine import ENGINES
from simulator.messages import say, tr


def add_train(commands: Commands) -> None:
    """`haribote train`."""
    parser = command(
        commands, "train", tr("train a network on MNIST, 784-H-10 or smaller, H one or more widths; a line per epoch")
    )
    parser.add_argument("--backend", choices=BACKENDS, required=True)
    parser.add_argument("--epochs", type=positive, default=1, metavar="N")
    network_options(parser)
    parser.add_argument("--batch", type=units, default=BATCH, metavar="N")
    parser.add_argument("--seed", type=seed, default=42)
    parser.add_argument("--require-chip", action="store_true", help=tr("fail unless every node runs on the chip"))
    parser.add_argument("--data", default="auto", metavar="auto|mnist|synthetic|PATH")
    parser.add_argument("--resume", action="store_true", help=tr("go on from the last finished epoch"))
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help=tr("checkpoint and picture (runs/BACKEND)"))
    parser.add_argument("--engine", choices=ENGINES, help=tr("of the simulator; both give the same results (native)"))
    text = tr(
        "sim: your kernels where they pass their check, the course's elsewhere, so that every node is on the chip"
    )
    parser.add_argument("--fill", action="store_true", help=text)
    mine_option(parser)
    gemm_option(parser)
    chip_options(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.data.dataset import load
        from haribote.training.train import Options, train

        check_backend(options)  # before anything is loaded
        fill, mine = fill_of(options), mine_of(options)
        network, rate = network_of(options)
        data = load(options.data)
        say(data.origin)
        folder = options.output or Path("runs") / options.backend
        wanted = taken(
            Options,
            options,
            folder=folder,
            hidden=tuple(options.hidden),
            learning_rate=rate,
            engine=options.engine or "native",
            level=level_of(options),
            fill=fill,
            mine=mine,
            network=network,
        )
        run = train(wanted, data)
        say(tr("checkpoint and loss picture in {folder} (after epoch {epoch})", folder, run.epoch))
        return 0

    parser.set_defaults(run=run)


def add_mine(commands: Commands) -> None:
    """`haribote mine`."""
    parser = command(
        commands, "mine", tr("your own compiler: its files in the order of the pipeline, and what each did")
    )
    text = tr("folder of the training run to speak of (runs/sim, here or in the course's folder, the later one)")
    parser.add_argument("--run", type=Path, metavar="DIR", help=text, dest="folder")

    def run(options: argparse.Namespace) -> int:
        from haribote.own.mine import last_run, mine_lines

        for line in mine_lines(options.folder or last_run()):
            say(line)
        return 0

    parser.set_defaults(run=run)


def add_infer(commands: Commands) -> None:
    """`haribote infer`."""
    parser = command(commands, "infer", tr("classify pictures of digits with a trained checkpoint"))
    parser.add_argument("images", type=Path, nargs="+", metavar="IMAGE")
    parser.add_argument("--backend", choices=BACKENDS, required=True)
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help=tr("default: runs/BACKEND/checkpoint.npz"))
    chip_options(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.infer import infer_command

        check_backend(options)
        return infer_command(
            options.images,
            options.backend,
            options.checkpoint,
            options.solutions,
            level_of(options),
            options.precision,
        )

    parser.set_defaults(run=run)


def add_data(commands: Commands) -> None:
    """`haribote data`."""
    parser = command(commands, "data", tr("fetch, verify and show the data set"))
    parser.add_argument("action", nargs="?", choices=("show", "fetch", "verify"), default="show")
    parser.add_argument("--data", default="auto", metavar="auto|mnist|synthetic|PATH")
    parser.add_argument("--picture", type=Path, metavar="FILE.png", help=tr("also write a picture of some digits"))

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.data_command import data_command

        return data_command(options.action, options.data, options.picture)

    parser.set_defaults(run=run)


def add_demo(commands: Commands) -> None:
    """`haribote demo`."""
    parser = command(
        commands, "demo", tr("train on the simulated chip with the reference kernels and say what to do next")
    )
    parser.add_argument("--data", default="auto", metavar="auto|mnist|synthetic|PATH")

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.demo import demo_command

        return demo_command(options.data)

    parser.set_defaults(run=run)


def add_share(commands: Commands) -> None:
    """`haribote share`."""
    text = tr("a page that plays by itself, a picture and a film of your compiler at work, to show to others")
    parser = command(commands, "share", text)
    parser.add_argument(
        "--name", type=shown_name, default="", metavar="NAME", help=tr("whose compiler it is (no name)")
    )
    text = tr("small or 784-16-10 (that of --run, else small)")
    parser.add_argument("--network", type=network_name, metavar="NETWORK", help=text)
    text = tr("a picture of a digit to be read (one of the data set)")
    parser.add_argument("--digit", type=Path, metavar="FILE", help=text)
    text = tr("folder of a training run, whose checkpoint reads the digit (runs/sim, where it has one)")
    parser.add_argument("--run", type=Path, metavar="DIR", dest="folder", help=text)
    parser.add_argument("--data", default="auto", metavar="auto|mnist|synthetic|PATH")
    text = tr("your kernels where they pass their check, the course's elsewhere, so that every node is on the chip")
    parser.add_argument("--fill", action="store_true", help=text)
    mine_option(parser)
    kernels_option(parser)
    text = tr("also a page of the viewer, with every word of every memory; several MB")
    parser.add_argument("--view", action="store_true", help=text)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("runs/share"), metavar="FOLDER", help=tr("where to write")
    )
    parser.set_defaults(backend="sim", level=0)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.share import share_command
        from haribote.share.story import Wanted

        fill, mine = fill_of(options), mine_of(options)
        whose = "mine" if mine else "fill" if fill else "solutions" if options.solutions else ""
        wanted = Wanted(SMALL, whose, name=options.name, view=options.view)
        network = options.network or ""
        return share_command(options.output, options.data, network, options.folder, options.digit, wanted)

    parser.set_defaults(run=run)
