"""Options that several commands have, and what is asked for by them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from haribote.answers.ownership import solutions_wanted
from haribote.errors import HariboteError
from haribote.network import HIDDEN, LARGE, LEARNING_RATE, NETWORKS, SMALL, Network
from simulator.console import Parser
from simulator.messages import Text, shown, tr

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
T = TypeVar("T")


def command(commands: Commands, name: str, text: str) -> Parser:
    """A command of `haribote`, with a line that says what it does."""
    return commands.add_parser(name, help=text, description=text)


MOST_SIZE = 65_536  # of a batch or a layer
LONGEST_NAME = 40  # letters


def positive(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(tr("must be at least 1, received {number}", number))
    return number


def units(text: str) -> int:
    """The size of a batch or a layer, for argparse: what memory holds."""
    number = positive(text)
    if number > MOST_SIZE:
        raise argparse.ArgumentTypeError(tr("must be at most {most_size}, received {number}", MOST_SIZE, number))
    return number


def rate(text: str) -> float:
    """A learning rate: a finite number above 0, for argparse."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(tr("must be a finite number above 0, received {text}", text))
    return number


def shown_name(text: str) -> str:
    """A name to be shown, for argparse: of one line, and not longer than a title may be."""
    found = " ".join(text.split(" ")).strip()
    if len(found) > LONGEST_NAME:
        raise argparse.ArgumentTypeError(
            tr("must have at most {most} characters, received {count}", LONGEST_NAME, len(found))
        )
    if not found.isprintable():
        raise argparse.ArgumentTypeError(tr("must be one line of characters that can be seen, received {text!r}", text))
    return found


def network_name(text: str) -> str:
    """`small`, `large`, or the widths of one of them, for argparse."""
    known = {"784-16-10": LARGE.name, "16-16-10": SMALL.name} | {network: network for network in NETWORKS}
    if text not in known:
        raise argparse.ArgumentTypeError(tr("must be one of {names}, received {text}", ", ".join(known), text))
    return known[text]


positive.__name__ = units.__name__ = "int"  # argparse says it of what is no number at all
rate.__name__ = "float"


def size(text: str) -> tuple[str, int]:
    """`NAME=N`, for argparse."""
    name, _, number = text.rpartition("=")
    if not name:
        raise argparse.ArgumentTypeError(tr("must be NAME=N, received {text}", text))
    return name, positive(number)


def taken(kind: type[T], options: argparse.Namespace, **more: Any) -> T:
    """An object of a dataclass whose fields are the options of the same names, but for those in `more`."""
    names = {entry.name for entry in fields(kind)} - more.keys()  # type: ignore[arg-type]
    return kind(**{name: getattr(options, name) for name in names}, **more)


def network_options(parser: argparse.ArgumentParser) -> None:
    """`--hidden --no-bias --network --lr`."""
    text = tr("widths of the hidden layers ({hidden})", HIDDEN)
    parser.add_argument("--hidden", type=units, nargs="+", default=[HIDDEN], metavar="H", help=text)
    parser.add_argument("--no-bias", dest="bias", action="store_false", help=tr("layers without bias"))
    text = tr(
        "large: {pixels}-H-10, MNIST's pixels; small: {pixels2}-H-10, digits of 4x4 pixels (large)",
        LARGE.pixels,
        SMALL.pixels,
    )
    parser.add_argument("--network", choices=NETWORKS, default=LARGE.name, help=text)
    text = tr(
        "learning rate of the SGD update ({learning_rate}; small {learning_rate2})", LEARNING_RATE, SMALL.learning_rate
    )
    parser.add_argument("--lr", type=rate, default=None, help=text)


def network_of(options: argparse.Namespace) -> tuple[Network, float]:
    """The network that is asked for, and its learning rate: as given, else its own."""
    network = NETWORKS[options.network]
    return network, network.learning_rate if options.lr is None else options.lr


def kernels_option(parser: argparse.ArgumentParser) -> None:
    """`--solutions`."""
    text = tr("use the reference kernels instead of yours (the default where HARIBOTE_SOLUTIONS=1)")
    parser.add_argument("--solutions", action=_Solutions, default=solutions_wanted(), help=text)


class _Solutions(argparse.Action):
    """`--solutions`: what is asked for on the command line, not by the environment, also chooses the level."""

    def __init__(self, **given: Any) -> None:
        super().__init__(nargs=0, **given)

    def __call__(self, parser: argparse.ArgumentParser, options: argparse.Namespace, *_: object) -> None:
        options.solutions = options.asked = True


SIM, CPP = "sim", "cpp"
ONLY_FOR: Mapping[str, tuple[tuple[str, ...], Text]] = {
    "level": ((SIM,), Text("has no levels")),
    "precision": ((SIM,), Text("has one way to compute products")),
    "fill": ((SIM,), Text("runs no kernels")),
    "quick": ((SIM,), Text("has no plan")),
    "check": ((SIM,), Text("has no plan")),
    "require_chip": ((SIM,), Text("runs nothing on the chip")),
    "engine": ((SIM,), Text("does not run the simulator")),
    "runner": ((CPP,), Text("needs Python")),
    "gemm": ((CPP,), Text("does not choose how matrices are multiplied")),
    "mine": ((SIM, CPP), Text("calls no part of the compiler")),
}
"""Options that not all backends have: which have them, and why the others have not."""


def check_backend(options: argparse.Namespace) -> None:
    """Raises HariboteError for an option that its backend would not look at."""
    for name, (backends, why) in ONLY_FOR.items():
        given = getattr(options, name, None)
        if options.backend in backends or given in ("", "float") or given is None or given is False:
            continue  # its own, or not asked for
        spelled = f"-O{given}" if name == "level" else f"--{name.replace('_', '-')}"
        message = tr("{spelled} with --backend {backend}, which {why}", spelled, options.backend, shown(why))
        raise HariboteError(message, f"--backend {backends[0]}")


def level_option(parser: argparse.ArgumentParser) -> None:
    """`-O`."""
    from haribote.compiler import LEVELS

    text = tr(
        "sim: -O0 takes every value to DRAM and back between two operators; -O1 leaves it where it is wanted next; "
        "-O2 chooses layouts and writes the kernels itself (0; with --solutions 2)"
    )
    parser.add_argument("-O", dest="level", type=int, choices=LEVELS, default=None, metavar="LEVEL", help=text)


def level_of(options: argparse.Namespace, kernels: bool = False) -> int:
    """The level: as given, else -O2 with `--solutions`, for which nobody writes kernels, else -O0. kernels: what is
    asked for has to do with single kernels, so -O0 unless it is given.
    """
    if options.level is not None:
        return int(options.level)
    return 2 if getattr(options, "asked", False) and options.backend == "sim" and not kernels else 0


def gemm_option(parser: argparse.ArgumentParser) -> None:
    """`--gemm`."""
    from haribote.cpp.gemm import CHOICES

    text = tr(
        "cpp: how matrices are multiplied (emitted where you have written task 3.1, else packed); "
        "blas: by OpenBLAS, the optional extra `blas`"
    )
    parser.add_argument("--gemm", choices=CHOICES, default="", help=text)


def precision_option(parser: argparse.ArgumentParser) -> None:
    """`--precision`."""
    text = tr(
        "sim, -O2: how products are computed; half: of halves where layouts allow it, else of pseudo-singles, with "
        "single sums; mixed: the same, but float for those that the loss or an output sees (float)"
    )
    parser.add_argument("--precision", choices=("float", "mixed", "half"), default="float", help=text)


def chip_options(parser: argparse.ArgumentParser) -> None:
    """`--solutions -O --precision`: how the chip is programmed."""
    kernels_option(parser)
    level_option(parser)
    precision_option(parser)


def fill_of(options: argparse.Namespace) -> bool:
    """Whether `--fill` is asked for. Raises HariboteError where no kernels are taken from the learner's files."""
    if options.fill and getattr(options, "asked", False):
        raise HariboteError(
            tr("--fill takes your kernels where they pass, --solutions takes none of them"), tr("one of them")
        )
    if options.fill and level_of(options) == 2:
        raise HariboteError(tr("--fill at -O2, where the compiler writes all kernels itself"), "-O0 or -O1")
    return bool(options.fill)


def mine_option(parser: argparse.ArgumentParser) -> None:
    """`--mine`."""
    text = tr(
        "your parts of the compiler alone (at -O2 the course's kernels where yours are missing), and at the end what is"
        " missing; kernels that fail are left out"
    )
    parser.add_argument("--mine", action="store_true", help=text)


def mine_of(options: argparse.Namespace) -> bool:
    """Whether `--mine` is asked for. Raises HariboteError beside what takes parts from elsewhere."""
    if options.mine and getattr(options, "fill", False):
        raise HariboteError(
            tr("--mine takes your kernels alone, --fill the course's where yours are missing"), tr("one of them")
        )
    if options.mine and (options.solutions or solutions_wanted()):
        raise HariboteError(
            tr("--mine takes your parts, --solutions (or HARIBOTE_SOLUTIONS=1) none of them"), tr("one of them")
        )
    precision = getattr(options, "precision", "float")
    if options.mine and precision != "float":
        raise HariboteError(
            tr("--precision {precision} takes products that the compiler writes, --mine your kernels", precision),
            tr("one of them"),
        )
    return bool(options.mine)


def onnx_options(parser: argparse.ArgumentParser) -> None:
    """An ONNX file or folder, and `--size`."""
    parser.add_argument("path", type=Path, metavar="FILE|DIR", help=tr("an ONNX file, or a folder that `export` wrote"))
    text = tr("the size of an axis that the file leaves open; as often as there are such axes")
    parser.add_argument("--size", type=size, action="append", default=[], metavar="NAME=N", help=text)
