"""Compile C++ and run it, both as processes of their own with a time limit: what task 3.1 is about.

Nothing is kept between calls. In a sandbox this runs inside it, like the rest of the emitter.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grader.emitter.loading import AnswerError
from haribote.cpp.build import compiler

FLAGS = ("-std=c++17", "-O1", "-w")
MOST_BYTES = 1 << 20  # of the text, and of what a program may write beyond its outputs
LINES = "your lines"  # how the compiler's messages call the learner's part of the source

Floats = NDArray[np.float32]

_FRAME = """\
#include <cstdio>
#include <cstring>

static void learners(%(parameters)s) {
#line 1 "%(name)s"
%(lines)s
#line 1 "the frame"
}

%(arrays)s

int main() {
%(read)s
    learners(%(arguments)s);
%(write)s
    return 0;
}
"""
GUARD = 64
"""Floats before and behind every array, which the lines must leave alone."""


def run_lines(lines: Sequence[str], inputs: dict[str, Floats], shape: tuple[int, ...], seconds: float) -> Floats:
    """The output `y` of a C++ function with these lines as its body; it gets `const float*` of each input, and y.

    y holds NaN at first. seconds: for the compiler, and again for the program.

    Raises:
        AnswerError: the compiler refuses the lines, the program fails or takes too long, or it writes beside y.
        CompilerMissing: there is no C++ compiler.
    """
    y = np.full(shape, np.nan, np.float32)
    arrays = {name: _guarded(array) for name, array in [*inputs.items(), ("y", y)]}
    written = run_cpp(_source(lines, arrays), [array.tobytes() for array in arrays.values()], seconds, _place)
    for (name, before), after in zip(arrays.items(), written, strict=True):
        received = np.frombuffer(after, np.float32)
        inside = slice(GUARD, len(received) - GUARD)
        if name == "y":
            y = received[inside].reshape(shape)
            received = received.copy()
            received[inside] = before[inside]
        if received.tobytes() != before.tobytes():
            where = "in front of or behind y" if name == "y" else f"to {name}, or in front of or behind it"
            raise AnswerError(f"the C++ writes {where}", "check the bounds of the loops and the index expressions")
    return y


def run_cpp(source: str, arrays: Sequence[bytes], seconds: float, place: re.Pattern[str] | None = None) -> list[bytes]:
    """Compile a program, give it the arrays on standard input, and split what it writes into pieces of the same sizes.

    place: finds line and text of an error in the compiler's messages. Raises as `run_lines`.
    """
    if len(source) > MOST_BYTES:
        raise AnswerError(f"the C++ has at most {MOST_BYTES} characters, received {len(source)}", "end the loop")
    with tempfile.TemporaryDirectory(prefix="haribote-") as name:
        folder = Path(name)
        (folder / "answer.cpp").write_text(source, encoding="utf-8")
        command = [*compiler(), *FLAGS, "answer.cpp", "-o", "answer"]
        messages = _run(command, folder, b"", seconds, "the C++ compiler")
        if messages is not None:
            raise AnswerError(explained(messages, source, place or _place))
        failure = _run([str(folder / "answer")], folder, b"".join(arrays), seconds, "the C++")
        if failure is not None:
            raise AnswerError(failure or "the C++ ended with an error", "check the bounds of the loops")
        written = (folder / "output").read_bytes()
    if len(written) != sum(map(len, arrays)):
        raise AnswerError(
            "the C++ printed something, or ended before its last line", "yield the loops and nothing else"
        )
    ends = np.cumsum([len(array) for array in arrays]).tolist()
    return [written[end - len(array) : end] for end, array in zip(ends, arrays, strict=True)]


def explained(messages: str, source: str, place: re.Pattern[str]) -> str:
    """The compiler's first error, with the line of the answer's text that it is about."""
    found = place.search(messages)
    if found is None:
        return f"the C++ compiler says: {messages.strip().splitlines()[0] if messages.strip() else 'no reason'}"
    part, number, text = found["part"], int(found["line"]), found["text"]
    if part != LINES:
        return f"the C++ compiler says: {text}\n    behind the last line: is every brace closed?"
    lines = source.split(f'#line 1 "{LINES}"\n')[1].splitlines()
    line = lines[number - 1].strip() if number <= len(lines) else ""
    return f"the C++ compiler says: {text}\n    line {number} of what you yield: {line}"


_place = re.compile(r"^(?P<part>[^:\n]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<text>.*)$", re.MULTILINE)


def _source(lines: Sequence[str], arrays: dict[str, Floats]) -> str:
    names = list(arrays)
    whole = {name: f"memory_{name}" for name in names}
    return _FRAME % {
        "name": LINES,
        "lines": "\n".join(lines),
        "parameters": ", ".join(f"{'float' if name == 'y' else 'const float'}* {name}" for name in names),
        "arguments": ", ".join(f"{whole[name]} + {GUARD}" for name in names),
        "arrays": "\n".join(f"static float {whole[name]}[{arrays[name].size}];" for name in names),
        "read": "\n".join(_transfer("fread", whole[name], "stdin") for name in names),
        "write": "\n".join(_transfer("fwrite", whole[name], "stdout") for name in names),
    }


def _transfer(function: str, array: str, stream: str) -> str:
    return f"    if (std::{function}({array}, 1, sizeof {array}, {stream}) != sizeof {array}) return 3;"


def _guarded(array: Floats) -> Floats:
    """The array's elements between two guards of a number that no case uses."""
    guard = np.full(GUARD, -12345.678, np.float32)
    return np.concatenate([guard, array.ravel(), guard])


def _run(command: list[str], folder: Path, stdin: bytes, seconds: float, what: str) -> str | None:
    """None where the command ends well, else why it does not. Its standard output goes to the file `output`."""
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(folder)}
    with (folder / "output").open("wb") as output:
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, input=stdin, stdout=output, stderr=subprocess.PIPE,
                timeout=seconds, check=False, preexec_fn=_limited if sys.platform != "win32" else None,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise AnswerError(f"{what} took longer than {seconds:g} s", "is there an endless loop?") from error
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f"{what} was ended by signal {-done.returncode} (11: it touched memory that is not there)"
    return done.stderr.decode(errors="replace")


def _limited() -> None:
    """No file of the process grows over 64 MiB."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 26, 1 << 26))
