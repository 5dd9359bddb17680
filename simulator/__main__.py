"""The simulator's commands: `python -m simulator run | check | judge | explain | profile | trace | compare | view |
schedule`.

Exit status: 0 fine, 1 a negative verdict, 2 a mistake in what was given (a message, never a traceback).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from simulator.assembly.assembler import assemble
from simulator.assembly.checks import check, check_text, fix_nops
from simulator.console import FINE, NEGATIVE, run_guarded
from simulator.engine.machine import Machine
from simulator.errors import AssemblyError, Diagnostic
from simulator.explain import line as explain
from simulator.explain import profile
from simulator.files import read, write_file
from simulator.judge import compare
from simulator.judge.verdict import judge
from simulator.schedule import command as schedule
from simulator.trace import chain as trace
from simulator.view import command as view

MODULES = (explain, profile, trace, compare, view, schedule)  # commands that are a module of their own


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""

    def command() -> int:
        options = _parser().parse_args(arguments)
        status: int = options.command(options)
        return status

    return run_guarded(command)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m simulator", description="A simulated MN-Core 2.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    run = commands.add_parser("run", help="assemble and run a .vsm file and print its dump lines")
    run.add_argument("file", metavar="FILE", type=Path)
    run.add_argument("-d", dest="dump", metavar="DUMP", type=Path, help="write the dump lines to this file")
    run.add_argument("--no-hazards", action="store_true", help="run in spite of missing waits, naming each")
    run.add_argument("--until", metavar="LINE", type=int, help="stop after this line of the file")
    run.set_defaults(command=_run)

    checks = commands.add_parser("check", help="list what is wrong with a .vsm file, or place its nops")
    checks.add_argument("file", metavar="FILE", type=Path)
    checks.add_argument("--fix-nops", action="store_true", help="print the program with the fewest nops inserted")
    checks.add_argument("--json", action="store_true", help="print the findings as JSON")
    checks.set_defaults(command=_check)

    verdict = commands.add_parser("judge", help="judge an answer to a test case")
    verdict.add_argument("testcase", metavar="TESTCASE", type=Path)
    verdict.add_argument("answer", metavar="ANSWER", type=Path)
    verdict.set_defaults(command=_judge)

    for module in MODULES:
        module.register(commands)
    return parser


def _run(options: argparse.Namespace) -> int:
    text, name = read(options.file), str(options.file)
    if options.no_hazards:
        program = assemble(text, name)
        findings = check(program)
    else:
        program, findings = check_text(text, name)
        if any(finding.severity == "error" for finding in findings):
            raise AssemblyError(name, findings)
    for finding in findings:
        print(finding.render(name), file=sys.stderr)
    result = Machine().run(program, until=options.until)
    text = "".join(f"{line}\n" for line in result.dump)
    if options.dump is None:
        sys.stdout.write(text)
    else:
        write_file(options.dump, text)
    return FINE


def _check(options: argparse.Namespace) -> int:
    text, name = read(options.file), str(options.file)
    if not options.fix_nops:
        return _report(check_text(text, name)[1], name, options.json)
    try:
        sys.stdout.write(fix_nops(assemble(text, name)))
    except AssemblyError as error:
        return _report(error.diagnostics, name, options.json)
    return FINE


def _report(findings: Sequence[Diagnostic], name: str, as_json: bool) -> int:
    if as_json:
        print(json.dumps([{"file": name, **asdict(finding)} for finding in findings], indent=2))
    else:
        for finding in findings:
            print(finding.render(name))
        if not findings:
            print(f"{name}: nothing found")
    return NEGATIVE if any(finding.severity == "error" for finding in findings) else FINE


def _judge(options: argparse.Namespace) -> int:
    verdict = judge(read(options.testcase), read(options.answer), str(options.testcase), str(options.answer))
    print(verdict.message)
    return FINE if verdict.accepted else NEGATIVE


if __name__ == "__main__":
    sys.exit(main())
