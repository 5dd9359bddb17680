"""Some 250 command lines that are mistakes: a message with what to try, soon, in little memory, and no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.haribote.commands.front_doors import lines, make

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory, and /dev/zero, are Linux's")
ROOT = Path(__file__).resolve().parents[3]
MEMORY, SECONDS = 2 << 30, 30
LINES = list(lines())
TAKEN = {"judge", "check", "explain", "verify"}
"""Commands whose verdict on a file may be "no" (status 1) or that find nothing in it."""
SERVER = """
import contextlib, importlib, io, json, resource, sys, traceback
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[1]), int(sys.argv[1])))
MAINS = {"haribote": "haribote.commands.cli", "simulator": "simulator.__main__", "grader": "grader.cli"}
for line in sys.stdin:
    text, (program, *words) = io.StringIO(), json.loads(line)
    try:
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            status = importlib.import_module(MAINS[program]).main(words)
    except SystemExit as ended:
        status = ended.code
    except BaseException as error:
        status = "".join(traceback.format_exception(error))
    print(json.dumps([status, text.getvalue()]), flush=True)
"""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make(tmp_path_factory.mktemp("doors"))


@pytest.fixture(scope="module")
def server() -> Iterator[subprocess.Popen[str]]:
    """A process with all commands that may not have more than MEMORY."""
    command = [sys.executable, "-c", SERVER, str(MEMORY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def test_there_are_many() -> None:
    assert len(LINES) > 200 and len({tuple(line) for line in LINES}) == len(LINES)


@pytest.mark.some(4)
@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(line)[:50].encode("unicode_escape").decode())
def test_a_mistake_is_a_message(line: list[str], server: subprocess.Popen[str], places: dict[str, str]) -> None:
    assert server.stdin is not None and server.stdout is not None
    words = [line[0]]
    for word in line[1:]:
        for name, path in places.items():
            word = word.replace(f"{{{name}}}", path)
        words.append(word)
    start = time.monotonic()
    print(json.dumps(words), file=server.stdin, flush=True)
    status, text = json.loads(server.stdout.readline())
    assert status == 2 or (status in (0, 1) and TAKEN & set(line[:3])), (status, text)
    assert time.monotonic() - start < SECONDS
    assert not any(sign in text for sign in ("Traceback", "Assertion", "\x1b", "\x07", "Errno")), text
    assert text and len(text) < 9000, text
    if status == 2:
        assert "\n    try: " in text or "usage: " in text, text
