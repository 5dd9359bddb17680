"""Every command that takes a model, given each bad one: a message, never a traceback, soon, in little memory."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.haribote.commands.bad_models import BAD, content

ROOT = Path(__file__).resolve().parents[3]
MEMORY, SECONDS = 2 << 30, 30
COMMANDS = {
    "cut": ["cut", "{file}"],
    "deploy": ["deploy", "{file}", "-o", "{out}"],
    "view": ["view", "{file}", "--svg", "{out}.svg"],
    "compile -O0": ["compile", "{folder}", "--backend", "sim", "-O0", "--solutions"],
    "compile cpp": ["compile", "{folder}", "--backend", "cpp"],
    "plan": ["plan", "{folder}"],
    "test": ["test", "{folder}", "--backend", "sim"],
}
TAKEN = {
    "opset 1", "a pool wider than its picture", "an old operator", "a reshape to too much", "strings", "branches",
    "updates of what is not there", "a division by 0", "float8", "a negative axis", "rows that are not there",
    "complex numbers", "a convolution of 0 groups", "a Range in steps of 0", "an axis of zero",
}  # fmt: skip
"""What `cut`, `deploy` or `view` can show all the same: ONNX's own checker takes these files."""
SERVER = """
import contextlib, io, json, resource, sys, traceback
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[1]), int(sys.argv[1])))
from haribote.commands.cli import main
for line in sys.stdin:
    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            status = main(json.loads(line))
    except BaseException as error:
        status = "".join(traceback.format_exception(error))
    print(json.dumps([status, text.getvalue()]), flush=True)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[subprocess.Popen[str]]:
    """A process with all commands that may not have more than MEMORY."""
    command = [sys.executable, "-c", SERVER, str(MEMORY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def said(server: subprocess.Popen[str], command: list[str]) -> tuple[Any, str]:
    """Exit status (or a traceback) of a command, and what it printed."""
    assert server.stdin is not None and server.stdout is not None
    print(json.dumps(command), file=server.stdin, flush=True)
    status, text = json.loads(server.stdout.readline())
    return status, text


@pytest.mark.some(2)
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
@pytest.mark.parametrize("name", BAD)
def test_a_bad_model_is_a_message(name: str, server: subprocess.Popen[str], tmp_path: Path) -> None:
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(content(name))
    for number, (what, words) in enumerate(COMMANDS.items()):
        out = tmp_path / f"out{number}"
        places = {"file": folder / "model.onnx", "folder": folder, "out": out}
        start = time.monotonic()
        status, text = said(server, [word.format(**places) for word in words])
        assert status == 2 or (status == 0 and name in TAKEN), (what, status, text)
        assert time.monotonic() - start < SECONDS, what
        assert not any(sign in text for sign in ("Traceback", "Assertion", "\x1b", "\x07")), (what, text)
        if status == 2:
            assert text.startswith(f"haribote {words[0]}: ") and "\n    try: " in text, (what, text)
            assert not out.exists() and not out.with_suffix(".svg").exists(), what


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_the_limit_of_memory_holds(server: subprocess.Popen[str]) -> None:
    """Otherwise the test above says nothing about memory."""
    code = f"import resource; resource.setrlimit(resource.RLIMIT_DATA, ({MEMORY}, {MEMORY})); bytearray({MEMORY})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "MemoryError" in done.stderr
    assert resource.prlimit(server.pid, resource.RLIMIT_DATA) == (MEMORY, MEMORY)
