"""`check`: what is wrong with a program, or the program with the fewest nops."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from simulator.assembly.assembler import assemble
from simulator.assembly.checks import check_text, fix_nops
from simulator.console import FINE, NEGATIVE
from simulator.errors import AssemblyError, Diagnostic
from simulator.files import read
from simulator.messages import say, tr


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    checks = commands.add_parser("check", help=tr("list what is wrong with a .vsm file, or place its nops"))
    checks.add_argument("file", metavar="FILE", type=Path)
    checks.add_argument("--fix-nops", action="store_true", help=tr("print the program with the fewest nops inserted"))
    checks.add_argument("--json", action="store_true", help=tr("print the findings as JSON"))
    checks.set_defaults(command=_check)


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
            say(finding.render(name))
        if not findings:
            say(tr("{name}: nothing found", name))
    return NEGATIVE if any(finding.severity == "error" for finding in findings) else FINE
