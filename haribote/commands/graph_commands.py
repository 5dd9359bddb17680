"""`haribote view | cut | deploy`: graphs of any origin. What a command needs is imported when it runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from haribote.commands.options import (
    Commands,
    command,
    gemm_option,
    onnx_options,
    precision_option,
)
from simulator.messages import say, tr


def add_view(commands: Commands) -> None:
    """`haribote view`."""
    parser = command(commands, "view", tr("show a graph in Netron, served on this machine only, or draw it as SVG"))
    parser.add_argument("file", type=Path, metavar="FILE", help=tr("an ONNX file"))
    parser.add_argument("--svg", type=Path, metavar="OUT", help=tr("write a drawing instead"))
    parser.add_argument(
        "--diff", type=Path, metavar="AFTER", help=tr("draw FILE and this graph side by side (with --svg)")
    )
    parser.add_argument("--port", type=int, default=0, help=tr("Netron's port on localhost (a free one)"))

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.view import draw_command, view_command

        if options.svg is not None:
            return draw_command(options.file, options.diff, options.svg)
        if options.diff is not None:
            parser.error(tr("--diff needs --svg OUT: Netron shows one graph at a time"))
        return view_command(options.file, options.port)

    parser.set_defaults(run=run)


def add_cut(commands: Commands) -> None:
    """`haribote cut`."""
    parser = command(commands, "cut", tr("what of a graph runs on the chip, what on the host, and what crosses"))
    onnx_options(parser)
    parser.add_argument("--svg", type=Path, metavar="FILE", help=tr("also draw it"))
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help=tr("also write each piece as an ONNX file"))
    text = tr("only what the chip refuses goes to the host, not what is cheaper there")
    parser.add_argument("--refused-only", action="store_true", help=text)
    precision_option(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.cut import cut_command

        by_cost, sizes = not options.refused_only, dict(options.size)
        say(cut_command(options.path, sizes, options.precision, by_cost, options.svg, options.output))
        return 0

    parser.set_defaults(run=run)


def add_deploy(commands: Commands) -> None:
    """`haribote deploy`."""
    parser = command(commands, "deploy", tr("write a folder with a C++ program that runs a graph without Python"))
    onnx_options(parser)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("runs/deploy"), metavar="DIR", help=tr("where to write")
    )
    text = tr("an input that is no parameter (x and labels of our graphs, all inputs of others)")
    parser.add_argument("--data", action="append", default=[], metavar="NAME", help=text)
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help=tr("take the parameters of a training"))
    text = tr("of pixels from 0 to 1, for pictures (MNIST's where the graph is ours, else 0 and 1)")
    parser.add_argument("--mean", type=float, metavar="M", help=text)
    parser.add_argument("--deviation", type=float, metavar="S", help=tr("the same"))
    gemm_option(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.deploy import deploy_command

        scaling, sizes = (options.mean, options.deviation), dict(options.size)
        say(
            deploy_command(options.path, options.output, options.data, sizes, scaling, options.checkpoint, options.gemm)
        )
        return 0

    parser.set_defaults(run=run)
