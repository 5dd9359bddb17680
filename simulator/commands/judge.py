"""`judge`: is an answer right, and what does it score."""

from __future__ import annotations

import argparse
from pathlib import Path

from simulator.console import FINE, NEGATIVE
from simulator.files import read
from simulator.judge.verdict import judge
from simulator.messages import say, tr


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    verdict = commands.add_parser("judge", help=tr("judge an answer to a test case"))
    verdict.add_argument("testcase", metavar="TESTCASE", type=Path)
    verdict.add_argument("answer", metavar="ANSWER", type=Path)
    verdict.set_defaults(command=_judge)


def _judge(options: argparse.Namespace) -> int:
    verdict = judge(read(options.testcase), read(options.answer), str(options.testcase), str(options.answer))
    say(verdict.message)
    return FINE if verdict.accepted else NEGATIVE
