"""Compile the engine once with the user's C++ compiler and keep the library in the user's cache folder.

The library's name holds a hash of the sources, the compiler's version, the flags and the processor, so a library is
never used for anything else; a file beside it holds a hash of the library itself, so a damaged one is never loaded.
Both are written under a temporary name and then renamed: two processes may build at once. Where the compiler fails, a
file of the same name says why, so that the next process does not try it again.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from simulator.cache import cache_folder
from simulator.cxx import NoCompiler, find_compiler
from simulator.engine.native import records
from simulator.errors import SimulatorError
from simulator.files import FileError, write_file
from simulator.messages import say, tr

FLAGS = (
    "-std=c++17",
    "-O3",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-fvisibility=hidden",
    "-pthread",
)
LINK_FLAGS = ("-shared", "-pthread")
NATIVE_FLAGS = ("-march=native", "-mcpu=native", "")
"""The first that the compiler accepts is added: the code is for this processor only."""
ENGINE = "engine"
TIME_LIMIT = 300  # seconds for one source file; each takes a few
AT_ONCE = 4  # source files
REMEMBERED = 24 * 3600  # seconds for which a compiler that failed is not tried again


class BuildError(SimulatorError):
    """The engine cannot be built here; the text says why and what to try."""


def load() -> ctypes.CDLL:
    """The engine's library, built first if need be. Raises BuildError."""
    path = compiled(records.SOURCES, ENGINE)
    try:
        return _load(path)
    except (OSError, AttributeError) as error:
        raise BuildError(tr("the native engine cannot be loaded: {error}", error), "engine='numpy'") from error


def compiled(sources: Path, name: str) -> Path:
    """The library of the C++ files of a folder, built first if need be. Raises BuildError."""
    compiler = _compiler()
    path = _path(compiler, sources, name)
    if not _is_whole(path):
        _refuse_known_failure(path)
        _compile(compiler, sources, path, told=name == ENGINE)
    return path


def is_built() -> bool:
    """True where the library is there, so that nobody would have to wait for it."""
    try:
        return _is_whole(_path(_compiler(), records.SOURCES, ENGINE))
    except BuildError:
        return False


def _path(compiler: list[str], sources: Path, name: str) -> Path:
    """Where the library is kept. Raises BuildError."""
    return cache_folder() / f"{name}-{_identity(compiler, sources)}{'.dylib' if sys.platform == 'darwin' else '.so'}"


def _compiler() -> list[str]:
    """The compiler's command. Raises BuildError."""
    try:
        return find_compiler()
    except NoCompiler as error:
        raise BuildError(
            tr("the native engine needs a C++ compiler: {error}", error),
            tr("install g++ or clang++, or set CXX; or engine='numpy'"),
        ) from error


def _identity(compiler: list[str], sources: Path) -> str:
    """A hash of everything that the library depends on. Raises BuildError."""
    try:
        version = subprocess.run([*compiler, "--version"], capture_output=True, check=False, timeout=TIME_LIMIT).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(
            tr("{compiler} --version does not work: {error}", compiler[0], error), "engine='numpy'"
        ) from error
    parts = [
        " ".join(compiler).encode(),
        version,
        repr((FLAGS, LINK_FLAGS, NATIVE_FLAGS)).encode(),
        _processor().encode(),
    ]
    parts += [source.read_bytes() for source in sorted(sources.glob("*.[ch]pp"))]
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:24]


def _processor() -> str:
    """The processor's instruction sets, as `-march=native` sees them: a cache folder may be shared by machines."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        return next(line for line in text.splitlines() if line.startswith(("flags", "Features")))
    except (OSError, StopIteration):
        return platform.machine() + platform.processor()


def _checksum(path: Path) -> Path:
    """The file with the hash of a library."""
    return path.with_suffix(".sha256")


def _is_whole(path: Path) -> bool:
    """True where a library is there, as it was written."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == _checksum(path).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False


def _failure(path: Path) -> Path:
    """The file that says why a library could not be built."""
    return path.with_suffix(".failed")


def _refuse_known_failure(path: Path) -> None:
    """Raise BuildError where building this library has failed lately."""
    note = _failure(path)
    try:
        if time.time() - note.stat().st_mtime < REMEMBERED:
            why = note.read_text(encoding="utf-8", errors="replace")
            raise BuildError(f"{why}\n    to try again: delete {note}")
    except OSError:
        return


def _compile(compiler: list[str], sources: Path, path: Path, told: bool) -> None:
    """Build the library at `path`; told: and say how long it takes. Raises BuildError with the compiler's first
    messages.
    """
    start = time.monotonic()
    name = Path(compiler[0]).name
    if told:
        say(
            tr("building the simulator's native engine with {name}, once: some 10 s if idle", name),
            file=sys.stderr,
            flush=True,
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix="building-") as folder:
            built = Path(folder) / path.name
            try:
                _run_compiler(compiler, sorted(sources.glob("*.cpp")), built)
            except BuildError as error:
                write_file(_failure(path), str(error))
                raise
            checksum = _checksum(built)
            checksum.write_text(hashlib.sha256(built.read_bytes()).hexdigest(), encoding="ascii")
            os.replace(checksum, _checksum(path))
            os.replace(built, path)
        _failure(path).unlink(missing_ok=True)
    except (OSError, FileError) as error:
        raise BuildError(
            tr("the native engine cannot be kept in {parent}: {error}", path.parent, getattr(error, "strerror", error)),
            tr("set HARIBOTE_CACHE to a folder"),
        ) from error
    if told:
        say(tr("built in {value:.0f} s: {path}", time.monotonic() - start, path), file=sys.stderr, flush=True)


def _run_compiler(compiler: list[str], sources: Sequence[Path], output: Path) -> None:
    """Compile the sources side by side and link them. Raises BuildError."""
    command = [*compiler, *FLAGS, *_processor_flags(compiler, output.parent)]
    objects = [output.with_name(f"{source.stem}.o") for source in sources]

    def compile_one(source: Path, compiled: Path) -> None:
        _run([*command, "-c", str(source), "-o", str(compiled)])

    with ThreadPoolExecutor(min(os.cpu_count() or 1, AT_ONCE)) as pool:
        list(pool.map(compile_one, sources, objects))
    _run([*compiler, *LINK_FLAGS, *map(str, objects), "-o", str(output)])


def _processor_flags(compiler: list[str], folder: Path) -> list[str]:
    """The first of NATIVE_FLAGS that the compiler takes for an empty file."""
    empty = folder / "empty.cpp"
    empty.write_text("", encoding="ascii")
    for flag in filter(None, NATIVE_FLAGS):
        with contextlib.suppress(BuildError):
            _run([*compiler, flag, "-c", str(empty), "-o", str(folder / "empty.o")])
            return [flag]
    return []


def _run(command: list[str]) -> None:
    """Run the compiler. Raises BuildError."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, timeout=TIME_LIMIT
        )
    except subprocess.TimeoutExpired as error:
        raise BuildError(
            tr("{command} took more than {time_limit} s", command[0], TIME_LIMIT), "engine='numpy'"
        ) from error
    if done.returncode or not Path(command[-1]).exists():
        first = "\n".join(done.stderr.splitlines()[:5])
        raise BuildError(
            tr("the native engine did not compile: {command}\n{first}", shlex.join(command), first), "engine='numpy'"
        )


def _load(path: Path) -> ctypes.CDLL:
    """Load a library and check that it knows the same records."""
    library = ctypes.CDLL(str(path))
    library.haribote_run.argtypes = [
        ctypes.POINTER(records.Pointers),
        ctypes.POINTER(records.Records),
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
    ]
    library.haribote_run.restype = None
    sizes = (ctypes.c_int * len(records.ALL))()
    library.haribote_record_sizes(sizes)
    if list(sizes) != [ctypes.sizeof(record) for record in records.ALL.values()]:
        raise BuildError(tr("the native engine's records differ from records.hpp"), "engine='numpy'")
    return library
