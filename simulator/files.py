"""Reading and writing files, for the simulator and all that is built on it, with errors a user can act on."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from simulator.cache import cache_folder
from simulator.errors import SimulatorError, reason_of
from simulator.messages import tr

HANDLE = re.compile(r"/dev/std(?P<name>in|out|err)|/(?:dev|proc/self)/fd/(?P<number>[0-9]+)")
"""A path that names a file that this process has open."""
MOST_BYTES, CHUNK = 1 << 28, 1 << 20
"""Bytes that a file may have which is read whole; bytes read at a time."""


class FileError(SimulatorError):
    """A file cannot be written."""


def read(path: Path) -> str:
    """The text of a file in UTF-8, with the line ends and byte order mark of any system. Raises SimulatorError."""
    try:
        return decoded(read_bytes(path))
    except UnicodeDecodeError:
        raise SimulatorError(tr("{path} is not a text file", path), tr("a .vsm file in UTF-8")) from None


def decoded(content: bytes) -> str:
    """A text in UTF-8, with the line ends and byte order mark of any system. Raises UnicodeDecodeError."""
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """What is in a file, or what the writer of a pipe sends. Nothing is waited for that may never come.

    Args:
        most: bytes; a longer file is refused.

    Raises:
        SimulatorError: the file cannot be read or is too long, or it is a folder, a device or a pipe without a writer.
    """
    ours = HANDLE.fullmatch(str(path)) is not None
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | (0 if ours else getattr(os, "O_NONBLOCK", 0)))
        with open(handle, "rb", buffering=0) as file:
            content = bytearray(b"" if ours else _begun(path, handle))
            while len(content) <= most and (more := file.read(min(most + 1 - len(content), CHUNK))):
                content += more
    except OSError as error:
        raise SimulatorError(tr("cannot read {path}: {value}", path, reason_of(error)), tr("check the path")) from None
    if len(content) > most:
        raise SimulatorError(tr("cannot read {path}: it has more than {most:,} bytes", path, most), tr("another file"))
    return bytes(content)


def _begun(path: Path, handle: int) -> bytes:
    """The first byte of a pipe; nothing of a file. From then on, reading waits. Raises SimulatorError for the rest."""
    mode = os.fstat(handle).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
        raise SimulatorError(tr("cannot read {path}: it is a device, not a file", path), tr("the path of a file"))
    if not stat.S_ISFIFO(mode):
        return b""
    first = b""
    try:
        first = os.read(handle, 1)
        if not first:
            raise SimulatorError(
                tr("cannot read {path}: nobody writes to this pipe", path), tr("start its writer first")
            )
    except BlockingIOError:  # there is a writer, which has sent nothing yet
        pass
    os.set_blocking(handle, True)
    return first


def write_file(path: Path, content: str | bytes, durable: bool = True) -> None:
    """Write a file whole or not at all, as `writing` does. content: text becomes UTF-8. Raises FileError."""
    with writing(path, durable) as file:
        file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)


def write_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files of a folder, by name: all of them or none. What else is in the folder stays.

    They are written beside their places first, which takes all the room; what follows only renames them.

    Raises:
        FileError: the disk is full or the folder cannot be written; the files that were there before still are.
    """
    place = Path(os.path.realpath(folder))
    known = place.is_dir()
    temporary = (place if known else place.parent) / f".{uuid.uuid4().hex}.part"
    written = folder
    try:
        for name, content in contents.items():
            written = folder / name
            with _replacing(temporary / name, durable=True) as file:
                file.write(content)
        if not known:
            temporary.rename(place)
            return
        for name in contents:
            written = folder / name
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(temporary / name, place / name)
    except OSError as error:
        raise _explained(written, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def writing(path: Path, durable: bool = True) -> Iterator[BinaryIO]:
    """An open file; what the block writes is at `path` when it ends, and a reader sees the old content or the new one.

    Missing folders are made. A link is followed: what it leads to is replaced. What is no regular file (a device, a
    pipe) is written to as it is.

    Args:
        durable: wait until it is on the disk; not worth it for what can be computed again.

    Raises:
        FileError: the disk is full or the folder cannot be written; what was at `path` before is still there.
    """
    try:
        if _is_special(path):
            with open(_handle(path), "wb") as file:
                yield file
        else:
            with _replacing(Path(os.path.realpath(path)), durable) as file:
                yield file
    except OSError as error:
        raise _explained(path, error) from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock that is named by a file, made when needed, while in the block; others wait for it.

    Where a folder knows no locks, as some on the network, nobody waits. Raises OSError where the file cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        with suppress(OSError):
            _lock(file.fileno())
        yield  # closing the file gives the lock back


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)


def _is_special(path: Path) -> bool:
    if HANDLE.fullmatch(str(path)):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _handle(path: Path) -> int:
    """A descriptor to write with. A pipe must have its reader: none is waited for, since it may never come."""
    if ours := HANDLE.fullmatch(str(path)):
        sys.stdout.flush()  # what was printed comes first
        return os.dup(int(ours["number"] or ("in", "out", "err").index(ours["name"])))
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "set_blocking"):
        os.set_blocking(handle, True)
    return handle


@contextmanager
def _replacing(path: Path, durable: bool) -> Iterator[BinaryIO]:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        with suppress(OSError):
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))  # as it was
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _explained(path: Path, error: OSError) -> FileError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FileError(
            tr("cannot write {path}: the disk is full", path),
            tr("free some space, then run the same command again; nothing was lost"),
        )
    if error.errno == errno.ENXIO:
        return FileError(tr("cannot write {path}: nobody reads from this pipe", path), tr("start its reader first"))
    in_cache = path.is_relative_to(cache_folder())  # then nobody has chosen its folder
    return FileError(
        tr("cannot write {path}: {value}", path, reason_of(error)),
        tr("set HARIBOTE_CACHE to a folder") if in_cache else tr("choose a folder that you can write to"),
    )
