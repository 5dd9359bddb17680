"""Compile C++ and run it, both as processes of their own with a time limit: what task 3.1 is judged by.

The text comes from code that is not trusted, so `grade` confines both processes: it sets `confine` to a runner that
uses a fresh sandbox. By default they run as plain processes, which is right on the learner's own machine.
"""

from __future__ import annotations

import math
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grader.emitter.limits import PATIENCE
from haribote.cpp.build import compiler
from haribote.errors import HariboteError
from simulator.messages import Text, tr

FLAGS = ("-std=c++17", "-O1", "-w")
MOST_CHARACTERS = 1 << 20  # of the text
MOST_BYTES = 64 << 20  # of what a process may write to a file
_LATE = "CPU time limit exceeded"  # what the compiler says of a part of it that was ended
_NO_TIME = -getattr(signal, "SIGXCPU", 0) or None
LINES = Text("your lines")  # how the compiler's messages call the learner's part of the source

Floats = NDArray[np.float32]


class NativeError(HariboteError):
    """The compiler refuses the lines, or the program fails, takes too long or writes beside its output."""


class NativeStopped(NativeError):
    """The compiler or the program took too long."""


@dataclass(frozen=True)
class Finished:
    """A process that has ended. status: 0 fine, negative: ended by that signal. stopped: the limit it broke, or ""."""

    status: int
    output: bytes
    errors: str
    stopped: str = ""


Runner = Callable[[Sequence[str], Mapping[str, bytes], bytes, float, str], Finished]
"""(command, files in its working folder, standard input, seconds, the file that is wanted as output, "" for what it
prints): an executable file may be run as "./answer"."""


def run_plainly(
    command: Sequence[str], files: Mapping[str, bytes], stdin: bytes, seconds: float, wanted: str
) -> Finished:
    """A plain process in an empty folder, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="haribote-") as name:
        folder = Path(name)
        for file, content in files.items():
            (folder / file).write_bytes(content)
            (folder / file).chmod(0o700)
        environment = {**os.environ, "LC_ALL": "C", "TMPDIR": name}
        with (folder / ".printed").open("wb") as printed:
            process = subprocess.Popen(
                command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=printed, stderr=subprocess.PIPE,
                start_new_session=True, preexec_fn=_limiting(seconds) if sys.platform != "win32" else None,
            )  # fmt: skip
            try:
                _, errors = process.communicate(stdin, PATIENCE * seconds)
            except subprocess.TimeoutExpired:
                _end(process)
                return Finished(-9, b"", "", tr("took longer than {seconds:g} s", PATIENCE * seconds))
        if process.returncode == _NO_TIME:
            return Finished(-9, b"", "", tr("took longer than {seconds:g} s", seconds))
        result = folder / (wanted or ".printed")
        output = result.read_bytes() if process.returncode == 0 and result.is_file() else b""
        return Finished(process.returncode, output, errors.decode(errors="replace"))


def _limiting(seconds: float) -> Callable[[], None]:
    """What a process does to itself first: no file of it grows over MOST_BYTES, and it works for so many seconds."""

    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))

    return limit


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it has started, such as the parts of a compiler, which write to its folder."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


confine: ContextVar[Runner] = ContextVar("confine", default=run_plainly)
"""How the compiler and the program are run."""


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


def run_lines(lines: str, inputs: Mapping[str, Floats], shape: tuple[int, ...], seconds: float) -> Floats:
    """The output `y` of a C++ function with these lines as its body; it gets `const float*` of each input, and y.

    y holds NaN at first. seconds: of the processor, for the compiler and again for the program, so that a verdict does
    not depend on what else the machine does; by the clock it may be PATIENCE times as long.

    Raises:
        NativeError: the compiler refuses the lines, the program fails or takes too long, or it writes beside y.
        CompilerMissing: there is no C++ compiler.
    """
    y = np.full(shape, np.nan, np.float32)
    arrays = {name: _guarded(array) for name, array in [*inputs.items(), ("y", y)]}
    written = run_cpp(_source(lines, arrays), [array.tobytes() for array in arrays.values()], seconds)
    for (name, before), after in zip(arrays.items(), written, strict=True):
        received = np.frombuffer(after, np.float32)
        inside = slice(GUARD, len(received) - GUARD)
        if name == "y":
            y = received[inside].reshape(shape)
            received = received.copy()
            received[inside] = before[inside]
        if received.tobytes() != before.tobytes():
            where = tr("the C++ writes to {name}, or in front of or behind it", name)
            if name == "y":
                where = tr("the C++ writes in front of or behind y")
            raise NativeError(where, tr("check the bounds of the loops and the index expressions"))
    return y


def run_cpp(source: str, arrays: Sequence[bytes], seconds: float) -> list[bytes]:
    """Compile a program, give it the arrays on standard input, and split what it writes into pieces of the same sizes.

    Raises as `run_lines`.
    """
    if len(source) > MOST_CHARACTERS:
        raise NativeError(
            tr("the C++ has at most {most_characters} characters, received {source}", MOST_CHARACTERS, len(source)),
            tr("end the loop"),
        )
    command, runner = [*compiler(), *FLAGS, "answer.cpp", "-o", "answer"], confine.get()
    built = runner(command, {"answer.cpp": source.encode()}, b"", seconds, "answer")
    stopped = built.stopped or (tr("took longer than {seconds:g} s", seconds) if _LATE in built.errors else "")
    if stopped:
        raise NativeStopped(tr("the C++ compiler was stopped: {stopped}", stopped), tr("is there less to compile?"))
    if built.status:
        raise NativeError(explained(built.errors, source))
    done = runner(["./answer"], {"answer": built.output}, b"".join(arrays), seconds, "")
    if done.stopped:
        raise NativeStopped(tr("the C++ was stopped: {stopped}", done.stopped), tr("is there an endless loop?"))
    if done.status < 0:
        ended = tr("the C++ was ended by signal {value}", -done.status)
        if done.status == -11:
            ended = tr("the C++ was ended by signal {value}, it touched memory that is not there", -done.status)
        raise NativeError(ended, tr("check the bounds of the loops and the index expressions"))
    if done.status or len(done.output) != sum(map(len, arrays)):
        raise NativeError(tr("the C++ printed something, or ended before its last line"), tr("yield the loops alone"))
    ends = np.cumsum([len(array) for array in arrays]).tolist()
    return [done.output[end - len(array) : end] for end, array in zip(ends, arrays, strict=True)]


def explained(messages: str, source: str) -> str:
    """The compiler's first error, with the line of the answer's text that it is about."""
    found = _PLACE.search(messages)
    if found is None:
        return tr(
            "the C++ compiler says: {value}", messages.strip().splitlines()[0] if messages.strip() else tr("no reason")
        )
    part, number, text = found["part"], int(found["line"]), found["text"]
    if part != LINES:
        return tr("the C++ compiler says: {text}\n    behind the last line: is every brace closed?", text)
    lines = source.partition(f'#line 1 "{LINES}"\n')[2].splitlines()
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    return tr("the C++ compiler says: {text}\n    line {number} of what you yield: {line}", text, number, line)


_PLACE = re.compile(r"^(?P<part>[^:\n]+):(?P<line>\d{1,9}):\d+: (?:fatal )?error: (?P<text>.*)$", re.MULTILINE)


def _source(lines: str, arrays: Mapping[str, Floats]) -> str:
    names = list(arrays)
    whole = {name: f"memory_{name}" for name in names}
    return _FRAME % {
        "name": LINES,
        "lines": lines,
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
