"""Tests of others on our devices: each in a process with a limit, a verdict and a reason each, the counts as a table.

Verdicts: passed: whole on the device; constant: right, and nothing was left to run once the inputs that decide were
known; pieces: right, with some of it on the host; host: right, all of it on the host; refused, with the reason; wrong;
crashed; slow. `benchmarks.onnx_scoreboard` and `benchmarks.torch_scoreboard` say what their tests are.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from haribote.errors import HariboteError
from simulator.files import write_file

SECONDS, MEMORY = 20.0, 4 << 30
"""Limits of one test: of processor time, which another load of the machine does not change, and bytes."""
PATIENCE = 5
"""How many times its seconds a test may take by the clock."""
LONGEST = 160
"""Letters of a reason."""
VERDICTS = ("passed", "constant", "pieces", "host", "refused", "wrong", "crashed", "slow")
WHOLE, GOOD = VERDICTS[:2], VERDICTS[:4]
"""Right without the host, and right."""


@dataclass(frozen=True)
class Row:
    """What became of one test. why: the reason where it did not pass whole; seconds: of processor time."""

    name: str
    verdict: str
    why: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Test:
    """run gives the verdict and the reason; what it raises is a verdict too."""

    __test__ = False  # not pytest's
    name: str
    run: Callable[[], tuple[str, str]]


def row_of(test: Test, refusals: tuple[type[Exception], ...] = (HariboteError,)) -> Row:
    """One test, in this process. refusals: errors by which it is refused, others are crashes."""
    start = time.process_time()
    try:
        found, why = test.run()
    except refusals as error:
        found, why = "refused", str(error).splitlines()[0]
    except Exception as error:  # a crash is a result
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = (str(error).splitlines() or [""])[0][:LONGEST]
        found, why = "crashed", f"{type(error).__name__}: {what} ({Path(where.filename).name}:{where.lineno})"
    return Row(test.name, found, why[:LONGEST], round(time.process_time() - start, 2))


def rows(tests: Sequence[Test], seconds: float = SECONDS, jobs: int = 2) -> Iterator[Row]:
    """The rows of these tests, as they come; each in a process of its own."""
    context = multiprocessing.get_context("fork")  # what is imported is imported once
    waiting = list(tests)[::-1]
    running: dict[Connection, tuple[Test, Any, float]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            test = waiting.pop()
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_child, args=(test, seconds, sender))
            process.start()
            sender.close()
            running[receiver] = (test, process, time.monotonic() + PATIENCE * seconds)
        ready = wait(list(running), timeout=0.5)
        for receiver, (test, process, end) in list(running.items()):
            if receiver not in ready and time.monotonic() < end:
                continue
            yield _received(test, process, receiver if receiver in ready else None, seconds)
            process.kill()
            process.join()
            receiver.close()
            del running[receiver]


def _received(test: Test, process: Any, receiver: Connection | None, seconds: float) -> Row:
    slow = Row(test.name, "slow", f"above {seconds:g} s", seconds)
    if receiver is None:
        return slow
    try:
        row: Row = receiver.recv()
        return row
    except EOFError:
        process.join()
        if process.exitcode == -signal.SIGXCPU:
            return slow
        return Row(test.name, "crashed", f"the process ended with {process.exitcode}")


def _child(test: Test, seconds: float, sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    limit = ceil(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    sender.send(row_of(test))


def table(found: Sequence[Row], title: str) -> str:
    """The counts as Markdown, and what did not pass with its reason."""
    counts = Counter(row.verdict for row in found)
    shares = (sum(counts[name] for name in names) / max(len(found), 1) for names in (WHOLE, GOOD))
    cells = [title, str(len(found)), *(str(counts[name]) for name in VERDICTS), *(f"{share:.1%}" for share in shares)]
    lines = [
        f"| of | tests | {' | '.join(VERDICTS)} | whole on the device | right |",
        "|---" * len(cells) + "|",
        f"| {' | '.join(cells)} |",
        "",
        *(f"- `{row.name}` {row.verdict}: {row.why}" for row in found if row.verdict not in GOOD),
    ]
    return "\n".join(lines) + "\n"


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """The options that all scoreboards have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="", help="a part of the tests' names")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every so many of the tests")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help="the limit of one test")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many run at once")
    parser.add_argument("--json", action="store_true", help="one object a line instead of the table")
    parser.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="also write the table to this file, a new one or one that has a place for it",
    )
    return parser


def on_page(page: Path, text: str, place: str) -> str:
    """A page with this text in its place, between the marks of `marks`; a new page is nothing but that.

    Raises HariboteError for a page without such a place, which the text would replace.
    """
    begin, end = marks(place)
    old = page.read_text(encoding="utf-8") if page.exists() else f"{begin}\n{end}\n"
    if begin not in old or end not in old.split(begin, 1)[1]:
        raise HariboteError(
            f"{page} has no place for the table of {place}", f"write {begin} and {end} where it belongs, or a new page"
        )
    before, rest = old.split(begin, 1)
    return f"{before}{begin}\n{text}{end}{rest.split(end, 1)[1]}"


def marks(place: str) -> tuple[str, str]:
    """What stands before and behind a scoreboard on a page."""
    return f"<!-- the table of {place}, from the benchmark -->", "<!-- end of the table -->"


def told(tests: Sequence[Test], given: argparse.Namespace, title: str, place: str) -> int:
    """Run the tests and print what came out, as the options of `parser_of` ask; 1 where something is wrong, crashed or
    too slow, 2 where the page has no place for the table. place: of the table on a page, see `on_page`.
    """
    try:
        if given.page:
            on_page(given.page, "", place)  # before the work
    except HariboteError as error:
        print(error, file=sys.stderr)
        return 2
    title += f", every {given.every}." if given.every > 1 else ""
    found = []
    for row in rows(tests[:: given.every], given.seconds, given.jobs):
        found.append(row)
        if given.json:
            print(json.dumps(asdict(row)), flush=True)
        else:
            print(f"{row.verdict:8} {row.seconds:6.2f} s  {row.name}  {row.why}", file=sys.stderr, flush=True)
    found.sort(key=lambda row: row.name)
    if not given.json:
        print(table(found, title))
    if given.page:
        write_file(given.page, on_page(given.page, table(found, title), place).encode())
    return int(any(row.verdict in ("wrong", "crashed", "slow") for row in found))
