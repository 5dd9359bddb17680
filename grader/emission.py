"""Load an answer fresh from its file and let a kernel emit its text, every line with the source line it came from."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, GeneratorType, ModuleType, TracebackType
from typing import Any

from haribote.errors import HariboteError, NotWritten, UnsupportedShape
from haribote.kernel import Kernel, Op
from haribote.tasks import ROOT

MOST_LINES = 50_000


class AnswerError(HariboteError):
    """A mistake in the learner's code; the message begins with its file and line."""


class Refused(HariboteError):
    """A kernel raised UnsupportedShape where its contract promises a result."""


class TimeLimit(BaseException):
    """The answer took too long; no `except Exception` of an answer holds it back."""


@dataclass(frozen=True)
class Emission:
    """The assembly of one operator. sources[i]: line of the answer's file that gave line i + 1 of the text."""

    path: Path
    lines: tuple[str, ...]
    sources: tuple[int, ...]

    @property
    def text(self) -> str:
        """The lines as a program."""
        return "".join(f"{line}\n" for line in self.lines)

    def where(self, line: int) -> str:
        """`haribote/kernels/t5_12_relu.py:26` for a line of the text, counted from 1."""
        source = self.sources[min(max(line, 1), len(self.sources)) - 1] if self.sources else 1
        return f"{shown(self.path)}:{source}"


def shown(path: Path) -> str:
    """The path as a learner knows it: from the course's folder, where it lies in there."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def load(path: Path, seconds: float) -> ModuleType:
    """The module in this file as it is on disk now. Raises AnswerError with file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise AnswerError(f"{shown(path)}: cannot be read: {error.strerror}", "`grader reset TASK`") from error
    except UnicodeDecodeError as error:
        raise AnswerError(f"{shown(path)}: is not UTF-8 text (byte {error.start})", "save it as UTF-8") from error
    module = ModuleType(f"answer_{path.stem}")
    module.__file__ = str(path)
    with explained(path), time_limit(seconds):
        code: CodeType = compile(text, str(path), "exec")
        exec(code, module.__dict__)  # the learner's own code, on the learner's own machine
    return module


def emit(kernel: Kernel, op: Op, path: Path, seconds: float) -> Emission:
    """Run a kernel. Raises AnswerError, Refused, NotWritten."""
    lines: list[str] = []
    sources: list[int] = []
    with explained(path), time_limit(seconds):
        items = kernel.emit(op)
        for item in _checked(items, kernel, path):
            source = _line_of(items, path)
            for line in item.splitlines() or [""]:
                lines.append(line)
                sources.append(source)
    return Emission(path, tuple(lines), tuple(sources))


def _checked(items: Any, kernel: Kernel, path: Path) -> Iterator[str]:
    """The items of a kernel, if they are lines of text and not too many."""
    if items is None or not hasattr(items, "__iter__") or isinstance(items, str):
        raise AnswerError(
            f"{shown(path)}: the kernel of task {kernel.task} gave {type(items).__name__}, not lines of assembly",
            'yield every line: yield "nop"',
        )
    for number, item in enumerate(items):
        if not isinstance(item, str):
            where = f"{shown(path)}:{_line_of(items, path)}"
            raise AnswerError(f"{where}: a kernel yields text, received {type(item).__name__} {item!r}", 'yield f"…"')
        if number >= MOST_LINES:
            raise AnswerError(f"{shown(path)}:{_line_of(items, path)}: more than {MOST_LINES} lines", "end the loop")
        yield item


def _line_of(items: Any, path: Path) -> int:
    """The line in `path` at which a generator, or one that it delegates to, stands."""
    line = 1
    while isinstance(items, GeneratorType):
        frame = items.gi_frame
        if frame is not None and frame.f_code.co_filename == str(path):
            line = frame.f_lineno
        items = items.gi_yieldfrom
    return line


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn whatever an answer raises into one message with its file and line."""
    try:
        yield
    except (AnswerError, NotWritten):
        raise
    except UnsupportedShape as error:
        raise Refused(f"{_place(error.__traceback__, path)}: {error}") from error
    except SyntaxError as error:
        column = f":{error.offset}" if error.offset else ""
        raise AnswerError(f"{shown(path)}:{error.lineno}{column}: syntax error: {error.msg}") from error
    except TimeLimit as error:
        raise AnswerError(
            f"{_place(error.__traceback__, path)}: stopped, for it took longer than {error}",
            "is there an endless loop?",
        ) from error
    except KeyboardInterrupt:
        raise
    except HariboteError as error:
        raise AnswerError(f"{_place(error.__traceback__, path)}: {error}") from error
    except BaseException as error:  # SystemExit too: an answer does not end the grader
        raise AnswerError(f"{_place(error.__traceback__, path)}: {type(error).__name__}: {error}") from error


def _place(trace: TracebackType | None, path: Path) -> str:
    """The last line of the answer's file in a traceback, with its text."""
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"{shown(path)}:{line}" if line else shown(path)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimit in the code that runs inside once the time is over. Works in any thread, on any system."""
    end = time.monotonic() + seconds

    def local(frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        frame.f_trace_opcodes = True  # a loop within one line has no other events
        if time.monotonic() > end:
            raise TimeLimit(f"{seconds:g} s")
        return local

    before = sys.gettrace()
    sys.settrace(local)
    try:
        yield
    finally:
        sys.settrace(before)
