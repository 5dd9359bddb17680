"""The commands: `haribote export | compile | test | kernel | train | mine | infer | plan | board | cut | deploy |
share | view | gpt | data | demo | language`.

Exit status: 0 fine, 1 a negative verdict, 2 a mistake in the input (a message, no traceback).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haribote.answers.ownership import solutions_wanted
from haribote.commands import gpt
from haribote.commands.command import run_command
from haribote.errors import HariboteError
from haribote.network import BATCH, HIDDEN, LARGE, LEARNING_RATE, NETWORKS, SMALL, Network
from haribote.progress import listening
from haribote.training.backends import BACKENDS
from simulator.console import Parser, add_version, seed
from simulator.engine.machine import ENGINES
from simulator.language import LANGUAGES
from simulator.messages import say, tr
from simulator.shell import command_line
from simulator.terminal import RoleLine

if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[Parser]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    return run_command(_parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="haribote", description=tr("A graph compiler that trains MNIST on a simulated MN-Core 2."))
    add_version(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        _export,
        _compile,
        _test,
        _kernel,
        _train,
        _mine_command,
        _infer,
        _plan,
        _board,
        _cut,
        _deploy,
        _share,
        _view,
        gpt.add_commands,
        _data,
        _demo,
        _language,
    ):
        add(commands)
    return parser


def _command(commands: _Commands, name: str, text: str) -> argparse.ArgumentParser:
    return commands.add_parser(name, help=text, description=text)


MOST_SIZE = 65_536  # of a batch or a layer


def _positive(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(tr("must be at least 1, received {number}", number=number))
    return number


def _units(text: str) -> int:
    """The size of a batch or a layer, for argparse: what memory holds."""
    number = _positive(text)
    if number > MOST_SIZE:
        raise argparse.ArgumentTypeError(
            tr("must be at most {most_size}, received {number}", most_size=MOST_SIZE, number=number)
        )
    return number


def _rate(text: str) -> float:
    """A learning rate: a finite number above 0, for argparse."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(tr("must be a finite number above 0, received {text}", text=text))
    return number


def _network_options(parser: argparse.ArgumentParser) -> None:
    text = tr("widths of the hidden layers ({hidden})", hidden=HIDDEN)
    parser.add_argument("--hidden", type=_units, nargs="+", default=[HIDDEN], metavar="H", help=text)
    parser.add_argument("--no-bias", dest="bias", action="store_false", help=tr("layers without bias"))
    text = tr(
        "large: {pixels}-H-10, MNIST's pixels; small: {pixels2}-H-10, digits of 4x4 pixels (large)",
        pixels=LARGE.pixels,
        pixels2=SMALL.pixels,
    )
    parser.add_argument("--network", choices=NETWORKS, default=LARGE.name, help=text)
    text = tr(
        "learning rate of the SGD update ({learning_rate}; small {learning_rate2})",
        learning_rate=LEARNING_RATE,
        learning_rate2=SMALL.learning_rate,
    )
    parser.add_argument("--lr", type=_rate, default=None, help=text)


def _network(options: argparse.Namespace) -> tuple[Network, float]:
    """The network that is asked for, and its learning rate: as given, else its own."""
    network = NETWORKS[options.network]
    return network, network.learning_rate if options.lr is None else options.lr


def _kernels_option(parser: argparse.ArgumentParser) -> None:
    text = tr("use the reference kernels instead of yours (the default where HARIBOTE_SOLUTIONS=1)")
    parser.add_argument("--solutions", action=_Solutions, default=solutions_wanted(), help=text)


class _Solutions(argparse.Action):
    """`--solutions`: what is asked for on the command line, not by the environment, also chooses the level."""

    def __init__(self, **given: Any) -> None:
        super().__init__(nargs=0, **given)

    def __call__(self, parser: argparse.ArgumentParser, options: argparse.Namespace, *_: object) -> None:
        options.solutions = options.asked = True


def _level(options: argparse.Namespace, kernels: bool = False) -> int:
    """The level: as given, else -O2 with `--solutions`, for which nobody writes kernels, else -O0. kernels: what is
    asked for has to do with single kernels, so -O0 unless it is given.
    """
    if options.level is not None:
        return int(options.level)
    return 2 if getattr(options, "asked", False) and options.backend == "sim" and not kernels else 0


def _gemm_option(parser: argparse.ArgumentParser) -> None:
    from haribote.cpp.gemm import CHOICES

    text = tr(
        "cpp: how matrices are multiplied (emitted where you have written task 3.1, else packed); "
        "blas: by OpenBLAS, the optional extra `blas`"
    )
    parser.add_argument("--gemm", choices=CHOICES, default="", help=text)


def _level_option(parser: argparse.ArgumentParser) -> None:
    from haribote.compiler import LEVELS

    text = tr(
        "sim: -O0 takes every value to DRAM and back between two operators; -O1 leaves it where it is wanted next; "
        "-O2 chooses layouts and writes the kernels itself (0; with --solutions 2)"
    )
    parser.add_argument("-O", dest="level", type=int, choices=LEVELS, default=None, metavar="LEVEL", help=text)


def _precision_option(parser: argparse.ArgumentParser) -> None:
    text = tr(
        "sim, -O2: how products are computed; half: of halves where layouts allow it, else of pseudo-singles, with "
        "single sums; mixed: the same, but float for those that the loss or an output sees (float)"
    )
    parser.add_argument("--precision", choices=("float", "mixed", "half"), default="float", help=text)


def _precision(options: argparse.Namespace) -> str:
    """The precision that is asked for. Raises HariboteError where the backend has no choice."""
    precision: str = options.precision
    if precision != "float" and options.backend != "sim":
        raise HariboteError(
            tr("--precision {precision} is for --backend sim", precision=precision), "--backend sim -O2"
        )
    return precision


def _fill(options: argparse.Namespace) -> bool:
    """Whether `--fill` is asked for. Raises HariboteError where no kernels are taken from the learner's files."""
    if options.fill and options.backend != "sim":
        raise HariboteError(
            tr("--fill with --backend {backend}, which runs no kernels", backend=options.backend), "--backend sim"
        )
    if options.fill and getattr(options, "asked", False):
        raise HariboteError(
            tr("--fill takes your kernels where they pass, --solutions takes none of them"), tr("one of them")
        )
    if options.fill and _level(options) == 2:
        raise HariboteError(tr("--fill at -O2, where the compiler writes all kernels itself"), "-O0 or -O1")
    return bool(options.fill)


def _mine_option(parser: argparse.ArgumentParser) -> None:
    text = tr(
        "your parts of the compiler alone (at -O2 the course's kernels where yours are missing), and at the end what is"
        " missing; kernels that fail are left out"
    )
    parser.add_argument("--mine", action="store_true", help=text)


def _mine(options: argparse.Namespace) -> bool:
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
            tr(
                "--precision {precision} takes products that the compiler writes, --mine your kernels",
                precision=precision,
            ),
            tr("one of them"),
        )
    return bool(options.mine)


def _export(commands: _Commands) -> None:
    parser = _command(commands, "export", tr("trace a training step to model.onnx, with inputs and reference outputs"))
    _network_options(parser)
    parser.add_argument(
        "--batch", type=_units, default=BATCH, metavar="N", help=tr("batch size ({batch})", batch=BATCH)
    )
    parser.add_argument("--model", metavar="FILE.py:NAME", help=tr("a model of your own instead"))
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("runs/export"), metavar="DIR", help=tr("where to write")
    )

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.export import export

        network, rate = _network(options)
        if options.model and network is not LARGE:
            raise HariboteError(
                tr("--model and --network {name}: a model of your own is the network", name=network.name),
                tr("one of them"),
            )
        case = export(options.output, options.model, options.hidden, options.batch, rate, options.bias, network)
        say(
            tr(
                "{value}: {node} nodes, {inputs} inputs and {outputs} reference outputs beside it",
                value=options.output / "model.onnx",
                node=len(case.model.graph.node),
                inputs=len(case.inputs),
                outputs=len(case.outputs),
            )
        )
        say(
            tr(
                "next: {value}",
                value=command_line("haribote", "compile", options.output, "--backend", "sim", "--solutions"),
            )
        )
        return 0

    parser.set_defaults(run=run)


def _compile(commands: _Commands) -> None:
    from haribote.compiler import CPP_STAGES, STAGES

    parser = _command(commands, "compile", tr("compile an exported step to step.vsm or step.cpp"))
    parser.add_argument("folder", type=Path, metavar="DIR", help=tr("a folder that `haribote export` wrote"))
    parser.add_argument("--backend", choices=("cpp", "sim"), required=True)
    parser.add_argument("--runner", action="store_true", help=tr("cpp: also build a program that needs no Python"))
    parser.add_argument("--stop-after", metavar="STAGE", choices=tuple(dict.fromkeys([*STAGES, *CPP_STAGES])),
                        help=tr("write the graph after this stage instead; sim: {stages}; "
    "cpp: {cpp_stages}", stages=', '.join(STAGES), cpp_stages=', '.join(CPP_STAGES)))  # fmt: skip
    parser.add_argument(
        "--report",
        action="store_true",
        help=tr("say what every stage changed: nodes before and after; sim: and CPU seconds of each"),
    )
    parser.add_argument("--print-after", metavar="STAGE", action="append", default=[],
                        help=tr("also print the graph after this stage, one line per node"))  # fmt: skip
    text = tr("sim, -O2: check the graph at each stage, and that no line of the program touches what is not its own")
    parser.add_argument("--check", action="store_true", help=text)
    text = tr("sim, -O2: take the first good plan, without looking for a better one or for the shortest schedule")
    parser.add_argument("--quick", action="store_true", help=text)
    _gemm_option(parser)
    _kernels_option(parser)
    _mine_option(parser)
    _level_option(parser)
    _precision_option(parser)

    def run(options: argparse.Namespace) -> int:
        precision, mine = _precision(options), _mine(options)
        if options.quick and options.backend != "sim":
            raise HariboteError(
                tr("--quick with --backend {backend}, which has no plan", backend=options.backend), "--backend sim -O2"
            )
        if options.check:
            from haribote.core import checker

            checker.ask()
        if options.report or options.print_after:
            from haribote.commands.pass_report import report_passes

            report_passes(options.folder, options.backend, options.print_after)
        if options.backend == "cpp":
            from haribote.answers.calls import watched
            from haribote.cpp.program import compile_folder as compile_to_cpp
            from haribote.own.ledger import ledger

            with watched() as calls:
                said = compile_to_cpp(options.folder, options.stop_after, options.gemm, options.runner)
            say(said)
            for line in () if options.stop_after else ledger(calls).told(mine):
                say(line)
        else:
            from haribote.commands.export import compile_folder

            level = _level(options, bool(options.stop_after))
            with listening(lambda text: say(RoleLine(text, "faint"), file=sys.stderr, flush=True)) as watch:
                told = compile_folder(
                    options.folder, options.stop_after, options.solutions, level, precision, mine, options.quick
                )
            if options.report:
                say(watch.report(), end="")
            say(told)
        return 0

    parser.set_defaults(run=run)


def _test(commands: _Commands) -> None:
    parser = _command(commands, "test", tr("run exported cases on a backend and compare with the reference outputs"))
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--backend", choices=("cpp", "sim"), required=True)
    parser.add_argument(
        "--unit", action="store_true", help=tr("one case per node; for sim after padding and decomposition")
    )
    _gemm_option(parser)
    _kernels_option(parser)
    _level_option(parser)
    _precision_option(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.run_cases import compare_folders

        passed = compare_folders(
            options.folders,
            options.backend,
            options.unit,
            options.solutions,
            options.gemm,
            level=_level(options, options.unit),
            precision=_precision(options),
        )
        return 0 if passed else 1

    parser.set_defaults(run=run)


def _kernel(commands: _Commands) -> None:
    parser = _command(commands, "kernel", tr("print one kernel's assembly at the addresses of the problem set"))
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=tr("kernels, by name or by task, such as relu or 5.12; see --list")
    )
    parser.add_argument("--list", action="store_true", help=tr("list the kernels with layouts, par and cost"))
    parser.add_argument("--testcase", type=Path, metavar="FILE", help=tr("answer the problem of a judge's test case"))
    parser.add_argument("--judge", action="store_true", help=tr("write each answer to runs/judge and judge it"))
    text = tr("write a page to step through each kernel, on operands with values, and show it in a browser")
    parser.add_argument("--view", action="store_true", help=text)
    parser.add_argument("--no-open", action="store_true", help=tr("with --view: only write the page"))
    _kernels_option(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.problems.problem import list_kernels, print_kernels

        if options.view:
            from haribote.problems.viewing import view_kernels

            return view_kernels(options.names, options.testcase, options.solutions, not options.no_open)
        if options.judge:
            from haribote.problems.judging import judge_kernels

            return judge_kernels(options.names, options.solutions)
        if options.list:
            say(list_kernels(options.solutions))
        else:
            print(print_kernels(options.names, options.testcase, options.solutions), end="")
        return 0

    parser.set_defaults(run=run)


def _train(commands: _Commands) -> None:
    parser = _command(
        commands, "train", tr("train a network on MNIST, 784-H-10 or smaller, H one or more widths; a line per epoch")
    )
    parser.add_argument("--backend", choices=BACKENDS, required=True)
    parser.add_argument("--epochs", type=_positive, default=1, metavar="N")
    _network_options(parser)
    parser.add_argument("--batch", type=_units, default=BATCH, metavar="N")
    parser.add_argument("--seed", type=seed, default=42)
    parser.add_argument("--require-chip", action="store_true", help=tr("fail unless every node runs on the chip"))
    parser.add_argument("--data", default="auto", metavar="auto|mnist|synthetic|PATH")
    parser.add_argument("--resume", action="store_true", help=tr("go on from the last finished epoch"))
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help=tr("checkpoint and picture (runs/BACKEND)"))
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="native",
        help=tr("of the simulator; both give the same results (native)"),
    )
    text = tr(
        "sim: your kernels where they pass their check, the course's elsewhere, so that every node is on the chip"
    )
    parser.add_argument("--fill", action="store_true", help=text)
    _mine_option(parser)
    _gemm_option(parser)
    _kernels_option(parser)
    _level_option(parser)
    _precision_option(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.data.dataset import load
        from haribote.training.train import Options, train

        fill, mine = _fill(options), _mine(options)  # before anything is loaded
        network, rate = _network(options)
        data = load(options.data)
        say(data.origin)
        folder = options.output or Path("runs") / options.backend
        wanted = Options(
            backend=options.backend,
            folder=folder,
            epochs=options.epochs,
            hidden=tuple(options.hidden),
            bias=options.bias,
            batch=options.batch,
            learning_rate=rate,
            seed=options.seed,
            solutions=options.solutions,
            require_chip=options.require_chip,
            resume=options.resume,
            engine=options.engine,
            gemm=options.gemm,
            level=_level(options),
            precision=_precision(options),
            fill=fill,
            mine=mine,
            network=network,
        )
        run = train(wanted, data)
        say(tr("checkpoint and loss picture in {folder} (after epoch {epoch})", folder=folder, epoch=run.epoch))
        return 0

    parser.set_defaults(run=run)


def _mine_command(commands: _Commands) -> None:
    parser = _command(
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


def _infer(commands: _Commands) -> None:
    parser = _command(commands, "infer", tr("classify pictures of digits with a trained checkpoint"))
    parser.add_argument("images", type=Path, nargs="+", metavar="IMAGE")
    parser.add_argument("--backend", choices=BACKENDS, required=True)
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="default: runs/BACKEND/checkpoint.npz")
    _kernels_option(parser)
    _level_option(parser)
    _precision_option(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.infer import infer_command

        return infer_command(
            options.images, options.backend, options.checkpoint, options.solutions, _level(options), _precision(options)
        )

    parser.set_defaults(run=run)


def _view(commands: _Commands) -> None:
    parser = _command(commands, "view", tr("show a graph in Netron, served on this machine only, or draw it as SVG"))
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


def _plan(commands: _Commands) -> None:
    parser = _command(commands, "plan", tr("how a step runs on the chip: what is where, what moves, what it costs"))
    parser.add_argument("folder", type=Path, metavar="DIR", help=tr("a folder that `haribote export` wrote"))
    parser.add_argument("--svg", type=Path, metavar="FILE", help=tr("also draw it"))
    _kernels_option(parser)
    _level_option(parser)
    _precision_option(parser)
    parser.set_defaults(level=2)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.plan import plan_command

        say(plan_command(options.folder, options.level, options.svg, options.solutions, options.precision))
        return 0

    parser.set_defaults(run=run)


def _size(text: str) -> tuple[str, int]:
    """`NAME=N`, for argparse."""
    name, _, number = text.rpartition("=")
    if not name:
        raise argparse.ArgumentTypeError(tr("must be NAME=N, received {text}", text=text))
    return name, _positive(number)


def _onnx_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="FILE|DIR", help=tr("an ONNX file, or a folder that `export` wrote"))
    text = tr("the size of an axis that the file leaves open; as often as there are such axes")
    parser.add_argument("--size", type=_size, action="append", default=[], metavar="NAME=N", help=text)


def _board(commands: _Commands) -> None:
    parser = _command(
        commands, "board", tr("what the training step of the course costs: at each level, by hand, with yours")
    )
    parser.add_argument(
        "files", type=Path, nargs="*", metavar="FILE", help=tr("programs of your own for a whole step, .vsm")
    )

    def run(options: argparse.Namespace) -> int:
        from haribote.levels.board import on_board

        say(on_board(options.files))
        return 0

    parser.set_defaults(run=run)


def _cut(commands: _Commands) -> None:
    parser = _command(commands, "cut", tr("what of a graph runs on the chip, what on the host, and what crosses"))
    _onnx_options(parser)
    parser.add_argument("--svg", type=Path, metavar="FILE", help=tr("also draw it"))
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help=tr("also write each piece as an ONNX file"))
    text = tr("only what the chip refuses goes to the host, not what is cheaper there")
    parser.add_argument("--refused-only", action="store_true", help=text)
    _precision_option(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.cut import cut_command

        by_cost, sizes = not options.refused_only, dict(options.size)
        say(cut_command(options.path, sizes, options.precision, by_cost, options.svg, options.output))
        return 0

    parser.set_defaults(run=run)


def _deploy(commands: _Commands) -> None:
    parser = _command(commands, "deploy", tr("write a folder with a C++ program that runs a graph without Python"))
    _onnx_options(parser)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("runs/deploy"), metavar="DIR", help=tr("where to write")
    )
    text = tr("an input that is no parameter (x and labels of our graphs, all inputs of others)")
    parser.add_argument("--data", action="append", default=[], metavar="NAME", help=text)
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help=tr("take the parameters of a training"))
    text = tr("of pixels from 0 to 1, for pictures (MNIST's where the graph is ours, else 0 and 1)")
    parser.add_argument("--mean", type=float, metavar="M", help=text)
    parser.add_argument("--deviation", type=float, metavar="S", help=tr("the same"))
    _gemm_option(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.deploy import deploy_command

        scaling, sizes = (options.mean, options.deviation), dict(options.size)
        say(
            deploy_command(options.path, options.output, options.data, sizes, scaling, options.checkpoint, options.gemm)
        )
        return 0

    parser.set_defaults(run=run)


def _share(commands: _Commands) -> None:
    from haribote.commands.share import name, network_name

    text = tr("a page that plays by itself, a picture and a film of your compiler at work, to show to others")
    parser = _command(commands, "share", text)
    parser.add_argument("--name", type=name, default="", metavar="NAME", help=tr("whose compiler it is (no name)"))
    text = tr("small or 784-16-10 (that of --run, else small)")
    parser.add_argument("--network", type=network_name, metavar="NETWORK", help=text)
    text = tr("a picture of a digit to be read (one of the data set)")
    parser.add_argument("--digit", type=Path, metavar="FILE", help=text)
    text = tr("folder of a training run, whose checkpoint reads the digit (runs/sim, where it has one)")
    parser.add_argument("--run", type=Path, metavar="DIR", dest="folder", help=text)
    parser.add_argument("--data", default="auto", metavar="auto|mnist|synthetic|PATH")
    text = tr("your kernels where they pass their check, the course's elsewhere, so that every node is on the chip")
    parser.add_argument("--fill", action="store_true", help=text)
    _mine_option(parser)
    _kernels_option(parser)
    text = tr("also a page of the viewer, with every word of every memory; several MB")
    parser.add_argument("--view", action="store_true", help=text)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("runs/share"), metavar="FOLDER", help=tr("where to write")
    )
    parser.set_defaults(backend="sim", level=0)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.share import share_command
        from haribote.share.story import Wanted

        fill, mine = _fill(options), _mine(options)
        whose = "mine" if mine else "fill" if fill else "solutions" if options.solutions else ""
        wanted = Wanted(SMALL, whose, name=options.name, view=options.view)
        network = options.network or ""
        return share_command(options.output, options.data, network, options.folder, options.digit, wanted)

    parser.set_defaults(run=run)


def _data(commands: _Commands) -> None:
    parser = _command(commands, "data", tr("fetch, verify and show the data set"))
    parser.add_argument("action", nargs="?", choices=("show", "fetch", "verify"), default="show")
    parser.add_argument("--data", default="auto", metavar="auto|mnist|synthetic|PATH")
    parser.add_argument("--picture", type=Path, metavar="FILE.png", help=tr("also write a picture of some digits"))

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.data_command import data_command

        return data_command(options.action, options.data, options.picture)

    parser.set_defaults(run=run)


def _demo(commands: _Commands) -> None:
    parser = _command(
        commands, "demo", tr("train on the simulated chip with the reference kernels and say what to do next")
    )
    parser.add_argument("--data", default="auto", metavar="auto|mnist|synthetic|PATH")

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.demo import demo_command

        return demo_command(options.data)

    parser.set_defaults(run=run)


def _language(commands: _Commands) -> None:
    parser = _command(commands, "language", tr("the language of all tools, kept for you: en or ja"))
    parser.add_argument("language", nargs="?", choices=LANGUAGES, metavar="en|ja")

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.language_command import language_command

        say(language_command(options.language))
        return 0

    parser.set_defaults(run=run)


if __name__ == "__main__":
    sys.exit(main())
