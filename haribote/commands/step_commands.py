"""`haribote export | compile | test | kernel | plan | board`: a training step and its kernels. What a command needs is
imported when it runs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from haribote.commands.options import (
    Commands,
    check_backend,
    chip_options,
    command,
    gemm_option,
    kernels_option,
    level_of,
    level_option,
    mine_of,
    mine_option,
    network_of,
    network_options,
    precision_option,
    units,
)
from haribote.errors import HariboteError
from haribote.network import BATCH, LARGE
from haribote.progress import listening
from simulator.messages import say, tr
from simulator.shell import command_line
from simulator.terminal import RoleLine


def add_export(commands: Commands) -> None:
    """`haribote export`."""
    parser = command(commands, "export", tr("trace a training step to model.onnx, with inputs and reference outputs"))
    network_options(parser)
    parser.add_argument("--batch", type=units, default=BATCH, metavar="N", help=tr("batch size ({batch})", BATCH))
    parser.add_argument("--model", metavar="FILE.py:NAME", help=tr("a model of your own instead"))
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("runs/export"), metavar="DIR", help=tr("where to write")
    )

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.export import export

        network, rate = network_of(options)
        if options.model and network is not LARGE:
            raise HariboteError(
                tr("--model and --network {name}: a model of your own is the network", network.name), tr("one of them")
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
        say(tr("next: {value}", command_line("haribote", "compile", options.output, "--backend", "sim", "--solutions")))
        return 0

    parser.set_defaults(run=run)


def add_compile(commands: Commands) -> None:
    """`haribote compile`."""
    from haribote.compiler import CPP_STAGES, STAGES

    parser = command(commands, "compile", tr("compile an exported step to step.vsm or step.cpp"))
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
    gemm_option(parser)
    kernels_option(parser)
    mine_option(parser)
    level_option(parser)
    precision_option(parser)

    def run(options: argparse.Namespace) -> int:
        check_backend(options)
        mine = mine_of(options)
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

            level = level_of(options, bool(options.stop_after))
            with listening(lambda text: say(RoleLine(text, "faint"), file=sys.stderr, flush=True)) as watch:
                told = compile_folder(
                    options.folder, options.stop_after, options.solutions, level, options.precision, mine, options.quick
                )
            if options.report:
                say(watch.report(), end="")
            say(told)
        return 0

    parser.set_defaults(run=run)


def add_test(commands: Commands) -> None:
    """`haribote test`."""
    parser = command(commands, "test", tr("run exported cases on a backend and compare with the reference outputs"))
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--backend", choices=("cpp", "sim"), required=True)
    parser.add_argument(
        "--unit", action="store_true", help=tr("one case per node; for sim after padding and decomposition")
    )
    gemm_option(parser)
    chip_options(parser)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.run_cases import compare_folders

        check_backend(options)
        passed = compare_folders(
            options.folders,
            options.backend,
            options.unit,
            options.solutions,
            options.gemm,
            level=level_of(options, options.unit),
            precision=options.precision,
        )
        return 0 if passed else 1

    parser.set_defaults(run=run)


def add_kernel(commands: Commands) -> None:
    """`haribote kernel`."""
    parser = command(commands, "kernel", tr("print one kernel's assembly at the addresses of the problem set"))
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=tr("kernels, by name or by task, such as relu or 5.12; see --list")
    )
    parser.add_argument("--list", action="store_true", help=tr("list the kernels with layouts, par and cost"))
    parser.add_argument("--testcase", type=Path, metavar="FILE", help=tr("answer the problem of a judge's test case"))
    parser.add_argument("--judge", action="store_true", help=tr("write each answer to runs/judge and judge it"))
    text = tr("write a page to step through each kernel, on operands with values, and show it in a browser")
    parser.add_argument("--view", action="store_true", help=text)
    parser.add_argument("--no-open", action="store_true", help=tr("with --view: only write the page"))
    kernels_option(parser)

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


def add_plan(commands: Commands) -> None:
    """`haribote plan`."""
    parser = command(commands, "plan", tr("how a step runs on the chip: what is where, what moves, what it costs"))
    parser.add_argument("folder", type=Path, metavar="DIR", help=tr("a folder that `haribote export` wrote"))
    parser.add_argument("--svg", type=Path, metavar="FILE", help=tr("also draw it"))
    chip_options(parser)
    parser.set_defaults(level=2)

    def run(options: argparse.Namespace) -> int:
        from haribote.commands.plan import plan_command

        say(plan_command(options.folder, options.level, options.svg, options.solutions, options.precision))
        return 0

    parser.set_defaults(run=run)


def add_board(commands: Commands) -> None:
    """`haribote board`."""
    parser = command(
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
