"""Load an answer fresh from its file, and turn whatever it raises into one message with its file and line."""

from __future__ import annotations

import builtins
import inspect
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from traceback import walk_tb
from types import CodeType, GeneratorType, ModuleType, TracebackType
from typing import Any, TypeVar

from grader.emitter.kept import Kept
from grader.emitter.limits import Budget, TimeLimit
from haribote.answers.ownership import refuse_withheld, withheld
from haribote.answers.tasks import Task, path_shown
from haribote.errors import HariboteError, NotWritten, UnsupportedShape
from simulator.messages import Text, tr

T = TypeVar("T")

MOST_BYTES = 2**20  # of an answer's file
REFUSED = "refused"
"""In an answer: what UnsupportedShape or UnsupportedOp said."""


class AnswerError(HariboteError):
    """A mistake in the learner's code; the message begins with its file and line, `where`."""

    def __init__(self, message: str, try_: str = "", where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message, try_)
        self.where = where


def required(found: object, kind: type[T] | tuple[type[T], ...], must: str, fix: str = "") -> T:
    """What an answer returned, which is of this kind; else raises AnswerError with `must` and the type received."""
    if not isinstance(found, kind):
        raise AnswerError(tr("{must}, received {name}", must, type(found).__name__), fix)
    return found


class Refused(AnswerError):
    """A kernel raised UnsupportedShape where its contract promises a result."""


def load(path: Path, content: bytes, budget: Budget) -> ModuleType:
    """The module with this content, told as this file. Raises AnswerError with file and line."""
    module = ModuleType(f"answer_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where Python's dataclasses look
    if len(content) > MOST_BYTES:
        raise AnswerError(
            tr("an answer has at most {most_bytes} bytes, this has {content}", MOST_BYTES, len(content)),
            "",
            path_shown(path),
        )
    with explained(path, budget.seconds), budget.spending():
        exec(compiled(content, path), module.__dict__)  # the learner's own code, in a process of its own
    return module


def compiled(content: bytes, path: Path) -> CodeType:
    """The code of a file, which is told and shown as this one. Raises AnswerError, SyntaxError."""
    try:
        text = content.decode("utf-8-sig")  # editors on Windows put a byte order mark in front
    except UnicodeDecodeError as error:
        raise AnswerError(
            tr("is not UTF-8 text (byte {start})", error.start), tr("save it as UTF-8"), path_shown(path)
        ) from error
    linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
    return compile(text, str(path), "exec")


def function_in(module: ModuleType, task: Task, path: Path, budget: Budget) -> Callable[..., Any]:
    """The function of a task that is no kernel, its mistakes explained and its time limited. Raises AnswerError."""
    function = getattr(module, task.name, None)
    if not callable(function):
        near = get_close_matches(task.name, [name for name, value in vars(module).items() if callable(value)], 1)
        instead = tr("; is it {near}?", near[0]) if near else ""
        raise AnswerError(
            tr("has no function {name}{instead}", task.name, instead),
            tr("def {name}(…): as in the stub", task.name),
            path_shown(path),
        )
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
            kept = Kept(args, kwargs)
            result = function(*args, **kwargs)
        if changed := kept.changed(function):
            what = tr("`{key}` has been changed; it must stay as it is", changed)
            raise AnswerError(what, tr("begin with a copy of it"), place_of(function, path))
        if result is None and _promises(function):
            what = tr("{name} returned nothing (None)", task.name)
            raise AnswerError(
                what, tr("`return` what it has found: see the contract above it"), place_of(function, path)
            )
        return Items(result, task, path, budget) if isinstance(result, GeneratorType) else result

    return call


def _promises(function: Callable[..., Any]) -> bool:
    """Whether the stub's annotation says that there is a result."""
    wanted = getattr(function, "__annotations__", {}).get("return")
    return wanted is not None and "None" not in str(wanted)


def place_of(function: Callable[..., Any], path: Path) -> str:
    """Where a function of an answer stands."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{path_shown(path)}:{code.co_firstlineno}" if code and code.co_filename == str(path) else path_shown(path)


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
        advice = tr("an answer is checked beside bare stubs of the other tasks: copy what it needs into its own file")
        raise AnswerError(error.message, advice, _place(error.__traceback__, path)) from error
    except UnsupportedShape as error:
        raise Refused(str(error), "", _place(error.__traceback__, path)) from error
    except SyntaxError as error:
        ours = error.filename == str(path) and error.lineno is not None  # else of what it evaluates or imports
        place = f"{path_shown(path)}:{error.lineno}" if ours else _place(error.__traceback__, path)
        place += f":{error.offset}" if ours and error.offset else ""
        advice = tr("read that line and the end of the one above it: brackets, colons, quotes, blanks in front")
        raise AnswerError(tr("syntax error: {msg}", error.msg if ours else error), advice, place) from error
    except TimeLimit as error:
        message = tr("stopped, for it took longer than {seconds:g} s, all cases together", seconds)
        raise AnswerError(message, tr("is there an endless loop?"), _place(error.__traceback__, path)) from error
    except KeyboardInterrupt:
        raise
    except HariboteError as error:
        raise AnswerError(str(error), "", _place(error.__traceback__, path)) from error
    except BaseException as error:  # SystemExit too: an answer does not end the grader
        raise AnswerError(told(error), _advice(error), _place(error.__traceback__, path)) from error


def _advice(error: BaseException) -> str:
    """What to try about an error of Python's; "" for one that is rare."""
    if isinstance(error, NameError) and error.name:
        near = get_close_matches(error.name, [*_names_at(error), *dir(builtins)], 1)
        return (
            tr("did you mean {near}?", near[0]) if near else tr("give {name} a value first, or import it", error.name)
        )
    if isinstance(error, ModuleNotFoundError) and error.name and "is not there" not in str(error):
        known = get_close_matches(error.name, ["numpy", "onnx", "torch"], 1)
        near = known or get_close_matches(error.name, sys.stdlib_module_names, 1)
        return tr("did you mean {near}?", near[0]) if near else tr("what an answer needs must stand in its own file")
    if isinstance(error, (TypeError, AttributeError)) and "NoneType" in str(error):
        return tr("a function that this line calls, or a value that it reads, is None: is a `return` missing?")
    for kind, advice in _ADVICE.items():
        if isinstance(error, kind):
            return advice
    return ""


_ADVICE: dict[type[BaseException], str] = {
    ModuleNotFoundError: Text("write what you need of it into your own file"),
    SystemExit: Text("an answer ends with `return`, or with its last line, never with exit()"),
    KeyError: Text("print the keys that there are, before this line"),
    IndexError: Text("print the index and the length, before this line"),
    ZeroDivisionError: Text("print the divisor, before this line"),
    AttributeError: Text("print type(…) of what stands before the dot"),
    TypeError: Text("compare the arguments with the contract: how many, in which order, of which type"),
    ValueError: Text("print the shapes and the values that meet in this line"),
    RecursionError: Text("see where the function calls itself, and what ends that"),
    MemoryError: Text("print the sizes of what this line makes"),
}


def _names_at(error: BaseException) -> list[str]:
    """The names that were known where an error was raised."""
    frames = list(walk_tb(error.__traceback__))
    return [*frames[-1][0].f_locals, *frames[-1][0].f_globals] if frames else []


def told(error: BaseException) -> str:
    """The error in a line; an answer may raise one that cannot be told."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def _raised_in(path: Path, trace: TracebackType | None) -> bool:
    """Whether it was this file, not one that it imports, that raised an error."""
    frames = list(walk_tb(trace))
    return bool(frames) and frames[-1][0].f_code.co_filename == str(path)


def _place(trace: TracebackType | None, path: Path) -> str:
    """The last line of the answer's file in a traceback."""
    lines = [line for frame, line in walk_tb(trace) if line and frame.f_code.co_filename == str(path)]
    return f"{path_shown(path)}:{lines[-1]}" if lines else path_shown(path)
