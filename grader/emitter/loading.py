"""Load an answer fresh from its file, and turn whatever it raises into one message with its file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import CodeType, GeneratorType, ModuleType, TracebackType
from typing import Any

from grader.emitter.limits import Budget, TimeLimit
from haribote.answers.ownership import refuse_withheld, withheld
from haribote.answers.tasks import ROOT, Task
from haribote.errors import HariboteError, NotWritten, UnsupportedShape

MOST_BYTES = 2**20  # of an answer's file


class AnswerError(HariboteError):
    """A mistake in the learner's code; the message begins with its file and line, `where`."""

    def __init__(self, message: str, try_: str = "", where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message, try_)
        self.where = where


class Refused(AnswerError):
    """A kernel raised UnsupportedShape where its contract promises a result."""


def shown(path: Path) -> str:
    """The path as a learner knows it: from the course's folder, where it lies in there."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def load(path: Path, budget: Budget) -> ModuleType:
    """The module in this file as it is on disk now. Raises AnswerError with file and line."""
    where = shown(path)
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")  # editors on Windows put a byte order mark in front
    except OSError as error:
        raise AnswerError(f"cannot be read: {error.strerror}", "`grader reset TASK`", where) from error
    except UnicodeDecodeError as error:
        raise AnswerError(f"is not UTF-8 text (byte {error.start})", "save it as UTF-8", where) from error
    if len(content) > MOST_BYTES:
        raise AnswerError(f"an answer has at most {MOST_BYTES} bytes, this has {len(content)}", "", where)
    module = ModuleType(f"answer_{path.stem}")
    module.__file__ = str(path)
    with explained(path, budget.seconds), budget.spending():
        code: CodeType = compile(text, str(path), "exec")
        exec(code, module.__dict__)  # the learner's own code, on the learner's own machine or in a sandbox
    return module


def function_in(module: ModuleType, task: Task, path: Path, budget: Budget) -> Callable[..., Any]:
    """The function of a task that is no kernel, its mistakes explained and its time limited. Raises AnswerError."""
    function = getattr(module, task.name, None)
    if not callable(function):
        raise AnswerError(f"has no function {task.name}", f"def {task.name}(…): as in the stub", shown(path))
    return guarded(function, task, path, budget)


def guarded(function: Callable[..., Any], task: Task, path: Path, budget: Budget) -> Callable[..., Any]:
    """The function, its mistakes explained, its time limited, the product's own answer withheld from it.

    Where it is a generator, `Items` stands in for it. Where it stands in for the product's, the answer must not call it
    by that name: it would call itself.
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        refuse_withheld(task.id, task.product.replace(":", "."))
        with withheld(task.id), explained(path, budget.seconds), budget.spending():
            result = function(*args, **kwargs)
        return Items(result, task, path, budget) if isinstance(result, GeneratorType) else result

    return call


class Items(Iterator[Any]):
    """A learner's generator, guarded at every step. line: of the answer's file at which it stands."""

    def __init__(self, items: Any, task: Task, path: Path, budget: Budget) -> None:
        self._items, self._task, self.path, self._budget = items, task, path, budget

    def __next__(self) -> Any:
        with withheld(self._task.id), explained(self.path, self._budget.seconds), self._budget.spending():
            try:
                return next(self._items)
            except StopIteration:
                pass
        raise StopIteration

    @property
    def line(self) -> int:
        """The line of the answer's file that has just been executed."""
        return line_of(self._items, self.path)


def line_of(items: Any, path: Path) -> int:
    """The line in `path` at which a generator, or one that it delegates to, stands; 1 where that is unknown."""
    line = 1
    while isinstance(items, GeneratorType):
        frame = items.gi_frame
        if frame is not None and frame.f_code.co_filename == str(path):
            line = frame.f_lineno
        items = items.gi_yieldfrom
    return line


@contextmanager
def explained(path: Path, seconds: float) -> Iterator[None]:
    """Turn whatever an answer raises into one message with its file and line. seconds: the time limit, to be told."""
    try:
        yield
    except AnswerError:
        raise
    except NotWritten as error:
        if _raised_in(path, error.__traceback__):
            raise
        advice = "an answer is checked beside bare stubs of the other tasks: copy what it needs into its own file"
        raise AnswerError(error.message, advice, _place(error.__traceback__, path)) from error
    except UnsupportedShape as error:
        raise Refused(str(error), "", _place(error.__traceback__, path)) from error
    except SyntaxError as error:
        column = f":{error.offset}" if error.offset else ""
        raise AnswerError(f"syntax error: {error.msg}", "", f"{shown(path)}:{error.lineno}{column}") from error
    except TimeLimit as error:
        message = f"stopped, for it took longer than {seconds:g} s, all cases together"
        raise AnswerError(message, "is there an endless loop?", _place(error.__traceback__, path)) from error
    except KeyboardInterrupt:
        raise
    except HariboteError as error:
        raise AnswerError(str(error), "", _place(error.__traceback__, path)) from error
    except BaseException as error:  # SystemExit too: an answer does not end the grader
        raise AnswerError(told(error), "", _place(error.__traceback__, path)) from error


def told(error: BaseException) -> str:
    """The error in a line; an answer may raise one that cannot be told."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def _raised_in(path: Path, trace: TracebackType | None) -> bool:
    """Whether it was this file, not one that it imports, that raised an error."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename == str(path)


def _place(trace: TracebackType | None, path: Path) -> str:
    """The last line of the answer's file in a traceback."""
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"{shown(path)}:{line}" if line else shown(path)
