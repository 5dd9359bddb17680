"""MNIST itself: its four files, their digests, reading them, and fetching them from public mirrors."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import io
import os
import threading
import time
import urllib.request
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haribote.errors import HariboteError
from simulator.errors import reason_of
from simulator.files import FileError, write_file
from simulator.messages import Text, tr


class DataError(HariboteError):
    """A data file is missing, truncated or altered, or cannot be fetched."""


@dataclass(frozen=True, slots=True)
class File:
    """One IDX file: a header, then one byte per value. `sha256` is that of the decompressed file."""

    name: str
    header: int
    shape: tuple[int, ...]
    sha256: str

    @property
    def size(self) -> int:
        """Bytes of the decompressed file."""
        return self.header + int(np.prod(self.shape))


TRAIN_IMAGES = File(
    "train-images-idx3-ubyte", 16, (60000, 28, 28), "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"
)
TRAIN_LABELS = File(
    "train-labels-idx1-ubyte", 8, (60000,), "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"
)
TEST_IMAGES = File(
    "t10k-images-idx3-ubyte", 16, (10000, 28, 28), "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"
)
TEST_LABELS = File(
    "t10k-labels-idx1-ubyte", 8, (10000,), "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"
)
FILES = (TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS)

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://raw.githubusercontent.com/fgnt/mnist/master/",
)
ROUNDS = 2  # how often each mirror is asked for a file
STALL_SECONDS = 5.0  # a connection that gives nothing for so long is dropped
LARGEST_DOWNLOAD = 32 << 20  # bytes; the largest real file has 9.9 MB


def locate(folder: Path, file: File) -> Path | None:
    """Where `file` is in `folder`, plain or as .gz; None if it is not there."""
    return next((path for path in (folder / file.name, folder / f"{file.name}.gz") if path.is_file()), None)


def find_folder(folder: Path) -> Path | None:
    """`folder`, or the place below it where other tools put MNIST, if it has any of the four files."""
    candidates = (folder, folder / "mnist", folder / "MNIST" / "raw")
    return next((place for place in candidates if any(locate(place, file) for file in FILES)), None)


def content_of(data: bytes, file: File, where: str) -> bytes:
    """The decompressed content of `data`, plain or gzip, after the check of its digest.

    Raises:
        DataError: it is truncated or altered; the message names `where`.
    """
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
                data = stream.read(file.size + 1)  # no more than that: a bomb must not fill the memory
        except EOFError:
            raise _refused(where, tr("is truncated: its gzip stream ends early")) from None
        except (OSError, zlib.error) as error:
            raise _refused(where, tr("is altered: it cannot be decompressed ({error})", error)) from None
    if len(data) < file.size:
        raise _refused(where, tr("is truncated: it has {data:,} of {size:,} bytes", len(data), file.size))
    digest = hashlib.sha256(data).hexdigest()
    if digest != file.sha256:
        raise _refused(
            where, tr("is altered: its SHA-256 is {digest}…, MNIST's is {sha}…", digest[:16], file.sha256[:16])
        )
    return data


def read(folder: Path, file: File) -> NDArray[np.uint8]:
    """The values of one file of `folder`, uint8, of shape `file.shape`.

    Raises:
        DataError: the file is missing, unreadable, truncated or altered.
    """
    path = locate(folder, file)
    if path is None:
        raise DataError(
            tr("{folder} has no {name} (nor {name}.gz)", folder, file.name), tr("put all four files of MNIST there")
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(
            tr("cannot read {path}: {value}", path, reason_of(error)), tr("make the file readable")
        ) from error
    return np.frombuffer(content_of(data, file, str(path)), np.uint8, offset=file.header).reshape(file.shape)


@dataclass(slots=True)
class _Transfer:
    """What the downloading thread and the one that waits for it tell each other."""

    mirrors: Sequence[str]
    received: int = 0
    error: HariboteError | FileError | None = None
    finished: threading.Event = field(default_factory=threading.Event)
    abandoned: threading.Event = field(default_factory=threading.Event)


def fetch(
    folder: Path,
    *,
    mirrors: Sequence[str] | None = None,
    answer_within: float = 20.0,
    finish_within: float = 900.0,
    say: Callable[[str], None] = lambda text: None,
) -> None:
    """Download into `folder` those of the four files that are missing or damaged there; good ones stay.

    HARIBOTE_MIRROR, the address of a folder with the four .gz files, is asked before the public mirrors.

    Args:
        answer_within: seconds after which we give up if no mirror has sent a single byte, name look-up included.
        finish_within: seconds after which we give up in any case. What is complete by then stays.
        say: told of each file.

    Raises:
        DataError: no mirror gave a good file in time.
        FileError: the disk is full, or the folder cannot be written.
    """
    own = os.environ.get("HARIBOTE_MIRROR")
    transfer = _Transfer(mirrors if mirrors is not None else ((own,) if own else ()) + MIRRORS)
    start = time.monotonic()
    # A thread, because a name look-up has no time-out; a daemon, so that a hanging one does not delay the end.
    threading.Thread(target=_fetch_files, args=(folder, transfer, say), daemon=True).start()
    while not transfer.finished.wait(0.05):
        waited = time.monotonic() - start
        if waited > (finish_within if transfer.received else answer_within):
            transfer.abandoned.set()
            what = tr("the download is too slow") if transfer.received else tr("no mirror of MNIST answered")
            raise DataError(tr("{what} (waited {waited:.0f} s)", what, waited), _OFFLINE_HINT)
    if transfer.error is not None:
        raise transfer.error


_OFFLINE_HINT = Text(
    "check the network, or name a folder that has the four files: --data FOLDER or HARIBOTE_DATA=FOLDER"
)


def _fetch_files(folder: Path, transfer: _Transfer, say: Callable[[str], None]) -> None:
    try:
        for file in FILES:
            if not _is_good(folder, file):
                write_file(folder / f"{file.name}.gz", _fetch_file(file, transfer, say))
    except (HariboteError, FileError) as error:
        transfer.error = error
    finally:
        transfer.finished.set()


def _is_good(folder: Path, file: File) -> bool:
    try:
        read(folder, file)
    except DataError:
        return False
    return True


def _fetch_file(file: File, transfer: _Transfer, say: Callable[[str], None]) -> bytes:
    """The gzip content of one file from the first mirror that gives a good one."""
    say(tr("downloading a file of MNIST: {name}.gz", file.name))
    problems: dict[str, str] = {}
    for _ in range(ROUNDS):
        for mirror in transfer.mirrors:
            url = f"{mirror.rstrip('/')}/{file.name}.gz"
            try:
                data = _receive(url, transfer)
                content_of(data, file, url)
                return data
            except DataError as error:
                problems[mirror] = error.message
            except (OSError, http.client.HTTPException, ValueError) as error:
                problems[mirror] = f"{url}: {error}"
            if transfer.abandoned.is_set():
                raise DataError(tr("the download was given up"))
    raise DataError("\n    ".join([tr("no mirror gave a good {name}:", file.name), *problems.values()]), _OFFLINE_HINT)


def _receive(url: str, transfer: _Transfer) -> bytes:
    data = bytearray()
    with urllib.request.urlopen(url, timeout=STALL_SECONDS) as response:
        while chunk := response.read1(1 << 16):
            data += chunk
            transfer.received += len(chunk)
            if transfer.abandoned.is_set() or len(data) > LARGEST_DOWNLOAD:
                break
    return bytes(data)


def _refused(where: str, what: str) -> DataError:
    return DataError(
        tr("{where} {what}; it is not used", where, what), tr("delete it and fetch it again: haribote data fetch")
    )
