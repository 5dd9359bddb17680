"""Build C++ with the user's compiler. Libraries are cached by content: source, headers, compiler and machine."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import uuid
from functools import cache
from pathlib import Path

from haribote.errors import HariboteError
from simulator.cache import cache_folder
from simulator.cxx import NoCompiler, find_compiler
from simulator.errors import reason_of
from simulator.files import write_file
from simulator.messages import tr

HEADERS = Path(__file__).parent / "include"
FLAGS = ("-std=c++17", "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-Wno-unknown-pragmas")
NATIVE = "-march=native"  # all instructions of this machine; left out where the compiler does not know it
SHARED = ("-shared", "-fPIC")


class CompilerMissing(HariboteError):
    """There is no C++ compiler, or the one that CXX names does not work."""


class CompileError(HariboteError):
    """The compiler refused the source; the message shows the generated line."""


def compiler() -> list[str]:
    """The compiler's command, see `find_compiler`.

    Raises:
        CompilerMissing: there is none.
    """
    try:
        return find_compiler()
    except NoCompiler as error:
        raise CompilerMissing(
            tr("the C++ backend needs a C++ compiler: {error}", error),
            tr(
                "install one (`apt install g++`, `xcode-select --install`) or set CXX; --backend torch and sim need "
                "none"
            ),
        ) from error


def headers() -> dict[str, bytes]:
    """The template library: path below `include` to content."""
    return {path.relative_to(HEADERS).as_posix(): path.read_bytes() for path in sorted(HEADERS.rglob("*.hpp"))}


def build_library(source: str, libraries: tuple[str, ...] = ()) -> Path:
    """The shared library of the source, from the cache or built now. Several processes may ask for it at once.

    libraries: arguments of the compiler behind the source, as `blas.arguments` gives them.

    Raises:
        CompilerMissing, CompileError; FileError where the cache cannot be written.
    """
    command = compiler()
    flags, machine = _probe(tuple(command))
    key = hashlib.sha256(repr((source, headers(), command, flags, SHARED, libraries, machine)).encode()).hexdigest()[
        :24
    ]
    folder = cache_folder() / "cpp"
    library = folder / f"{key}.so"
    checksum = library.with_suffix(".sha256")
    if not _is_whole(library, checksum):
        write_file(folder / f"{key}.cpp", source.encode())
        compile_file(folder / f"{key}.cpp", library, SHARED, libraries)
        write_file(checksum, _hash(library))
    return library


def _is_whole(library: Path, checksum: Path) -> bool:
    """True where a library is there, as it was written: loading a damaged one may end the process."""
    try:
        return _hash(library) == checksum.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def compile_file(source: Path, target: Path, extra: tuple[str, ...] = (), libraries: tuple[str, ...] = ()) -> None:
    """Compile one file; `target` appears whole or not at all. extra, libraries: arguments before and behind the file.

    Raises:
        CompilerMissing, CompileError.
    """
    command = compiler()
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    flags, _ = _probe(tuple(command))
    try:
        arguments = [*flags, *extra, "-I", str(HEADERS), str(source), *libraries, "-o", str(temporary)]
        result = _run([*command, *arguments])
        if result.returncode:
            raise CompileError(explain(result.stderr, source))
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def explain(output: str, source: Path) -> str:
    """The compiler's first error, with the line of the source that leads to it."""
    lines = source.read_text().splitlines()
    error = re.search(r"^(?P<place>.+?:\d+)(:\d+)?: (fatal )?error: (?P<text>.*)$", output, re.MULTILINE)
    shown = [f"{error['place']}: {error['text']}"] if error else output.splitlines()[:20]
    parts = [tr("the C++ compiler refuses {source}", source), *(f"    {line}" for line in shown)]
    generated = re.search(rf"^{re.escape(str(source))}:(\d+)", output, re.MULTILINE)
    if generated and 0 < int(generated[1]) <= len(lines):
        number = int(generated[1])
        parts.append(tr("  the generated line {number}:\n    {line}", number, lines[number - 1].strip()))
    return "\n".join(parts)


@cache
def _probe(command: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The flags that the compiler takes, and a text that names compiler and machine: its predefined macros."""
    for flags in ((*FLAGS, NATIVE), FLAGS):
        result = _run([*command, *flags, "-dM", "-E", "-x", "c++", os.devnull])
        if result.returncode == 0:
            return flags, result.stdout
    raise CompilerMissing(
        tr("the C++ compiler {command} does not work: {said}", command[0], result.stderr.strip()[:500]),
        tr("CXX=g++ or CXX=clang++"),
    )


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}  # the messages are parsed
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, check=False)
    except OSError as error:
        message = tr("cannot run the C++ compiler {command}: {reason}", command[0], reason_of(error))
        raise CompilerMissing(message, "CXX=g++ or CXX=clang++") from error
