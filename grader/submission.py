"""A learner's answers as one archive, and reading what came back from many learners without trusting any of it.

An archive is a zip with `manifest.json` (the learner's id, the hash of the course, the hash of every file) and the
files of the tasks that are written, nothing else. The same answers give the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from grader.course import LEARNERS, SHORT, course_hash
from grader.emitter.loading import MOST_BYTES
from grader.stubs import digest, read_manifest
from haribote.errors import HariboteError
from haribote.tasks import ROOT, all_tasks, is_written

MANIFEST = "manifest.json"
FORMAT = 1
MOST_ARCHIVE, MOST_MANIFEST, MOST_FILES, MOST_ID = 8 << 20, 1 << 18, 500, 80
MOST_TEXT = 4000  # characters of a text that a learner may have written
_EPOCH = (1980, 1, 1, 0, 0, 0)


class Unreadable(HariboteError):
    """A submission that cannot be read; it gets this as its verdict, and the others are graded."""


@dataclass(frozen=True)
class Submission:
    """One learner's answers. source: the archive or folder. files: the written answers by task. problem: or why not."""

    id: str
    source: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    problem: str = ""

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The hash of every file, by task."""
        return {task: file_hash(content) for task, content in self.files.items()}

    @cached_property
    def digest(self) -> str:
        """Of all files; equal for identical submissions, whoever made them."""
        parts = [f"{task} {known}\n" for task, known in sorted(self.hashes.items())]
        return hashlib.sha256("".join(parts).encode()).hexdigest()


def printable(text: Any) -> str:
    """A text that a learner may have written, without control characters, and not endless."""
    given = str(text)
    clean = "".join(char if char == "\n" or char.isprintable() else "·" for char in given[:MOST_TEXT])
    return clean if len(given) <= MOST_TEXT else clean + " …"


def counted(number: int, noun: str) -> str:
    """`1 answer`, `2 answers`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def file_hash(content: bytes) -> str:
    """The hash of an answer's file; line ends do not count."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def pack(learner: str, root: Path = ROOT) -> bytes:
    """The archive of all written answers in a course's folder. Raises HariboteError where there is none."""
    check_id(learner)
    paths = {task: root / "haribote" / task.file for task in all_tasks()}
    files = {task: path.read_bytes() for task, path in paths.items() if is_written(path)}
    if not files:
        raise HariboteError("no task is written yet, so there is nothing to submit", "`grader list`")
    entries = {task.id: {"file": task.file, "sha256": file_hash(content)} for task, content in files.items()}
    manifest = {"format": FORMAT, "id": learner, "course": course_hash(), "tasks": entries}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        _put(archive, MANIFEST, json.dumps(manifest, indent=1, sort_keys=True).encode() + b"\n")
        for task, content in files.items():
            _put(archive, f"haribote/{task.file}", content)
    return buffer.getvalue()


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type, info.external_attr, info.create_system = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3
    archive.writestr(info, content)


def check_id(learner: str) -> None:
    """Raise HariboteError for an id that is empty, too long or not printable."""
    if not learner.strip() or len(learner) > MOST_ID or not learner.isprintable():
        raise HariboteError(f"an id has 1 to {MOST_ID} printable characters, received {learner[:100]!r}", "--id NAME")


def read_submissions(paths: Iterable[Path], any_version: bool = False) -> list[Submission]:
    """All submissions in archives, courses' folders, and folders of both. Raises HariboteError where there is none."""
    found = []
    for path in paths:
        inside = [read_submission(item, any_version) for item in _items(path)]
        if not inside:
            raise HariboteError(f"{path}: there is no submission in it", "a folder of archives, or of courses' folders")
        found += inside
    return found


def _items(path: Path) -> Iterator[Path]:
    """A path itself, or what is in it where it is a folder of submissions."""
    if not path.exists():
        raise HariboteError(f"{path}: there is no such file or folder")
    if not path.is_dir() or _is_course(path):
        yield path
        return
    for item in sorted(path.iterdir()):
        if item.name.startswith("."):
            continue
        inside = sorted(item.iterdir()) if item.is_dir() and not item.is_symlink() and not _is_course(item) else []
        yield from inside or [item]  # one level more: some course sites give every learner's archive its own folder


def _is_course(path: Path) -> bool:
    return any((path / "haribote" / folder).is_dir() for folder in LEARNERS)


def read_submission(path: Path, any_version: bool = False) -> Submission:
    """What one archive or course's folder holds; where it cannot be read, a submission that says why."""
    learner = printable(path.name)[:MOST_ID].removesuffix(".zip").removesuffix(".haribote")
    try:
        if path.is_symlink():
            raise Unreadable("it is a symlink")
        if path.is_dir():
            return Submission(learner, str(path), _from_folder(path))
        learner, files = read_archive(_plain_file(path, MOST_ARCHIVE), any_version)
        return Submission(learner, printable(path), files)
    except HariboteError as error:
        return Submission(learner, printable(path), problem=printable(f"unreadable: {error}"))


def _from_folder(root: Path) -> dict[str, bytes]:
    """The answers in a course's folder, but not the bare stubs."""
    stubs = set(read_manifest().values())
    files = {}
    for task in all_tasks():
        path = root / "haribote" / task.file
        if not os.path.lexists(path):
            continue
        for parent in (path.parent, path.parent.parent):
            if parent.is_symlink():
                raise Unreadable(f"{parent.relative_to(root)} is a symlink")
        content = _plain_file(path, MOST_BYTES)
        if digest(content.decode("utf-8-sig", "replace")) not in stubs:
            files[task.id] = content
    return files


def _plain_file(path: Path, most: int) -> bytes:
    """The content of a regular file that is no symlink and no larger than this."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable(f"{path.name} is not a regular file")
            content = file.read(most + 1)
    except OSError as error:
        reason = "it is a symlink" if path.is_symlink() else error.strerror
        raise Unreadable(f"{path.name} cannot be opened: {reason}") from error
    if len(content) > most:
        raise Unreadable(f"{path.name} has more than {most} bytes")
    return content


def read_archive(content: bytes, any_version: bool = False) -> tuple[str, dict[str, bytes]]:
    """The learner's id and the answers by task. Raises Unreadable for anything that `pack` does not write."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _checked(archive, any_version)
    except HariboteError:
        raise
    except zipfile.BadZipFile as error:
        raise Unreadable("it is not a zip archive, or a damaged one", "`grader submit` makes one") from error
    except (OSError, ValueError, EOFError, NotImplementedError, RuntimeError, LookupError, zlib.error) as error:
        raise Unreadable(f"it is damaged: {error}", "`grader submit` makes a new one") from error


def _checked(archive: zipfile.ZipFile, any_version: bool) -> tuple[str, dict[str, bytes]]:
    infos = archive.infolist()
    names = [info.filename for info in infos]
    _require(len(infos) <= MOST_FILES, f"it holds {len(infos)} files, at most {MOST_FILES} are read")
    _require(len(set(names)) == len(names), "it holds two files of the same name")
    known = {f"haribote/{task.file}": task.id for task in all_tasks()}
    for info in infos:
        name, kind = info.filename, stat.S_IFMT(info.external_attr >> 16)
        plain = not name.startswith(("/", "\\")) and ".." not in name.replace("\\", "/").split("/") and ":" not in name
        _require(plain, f"{name[:80]!r} would be outside of the course's folder")
        _require(kind in (0, stat.S_IFREG), f"{name[:80]!r} is a symlink or a special file")
        _require(not info.flag_bits & 1, "it is encrypted")
        _require(name == MANIFEST or name in known, f"{name[:80]!r} is no file of a task")
    _require(MANIFEST in names, f"it has no {MANIFEST}")
    manifest = _manifest(_read(archive, MANIFEST, MOST_MANIFEST))
    files = {known[name]: _read(archive, name, MOST_BYTES) for name in names if name != MANIFEST}
    hashes = {task: file_hash(content) for task, content in files.items()}
    told = {task: entry.get("sha256") for task, entry in manifest["tasks"].items() if isinstance(entry, dict)}
    _require(hashes == told, "its files are not those that its manifest tells: they were changed after `grader submit`")
    theirs, ours = manifest["course"][:SHORT], course_hash()[:SHORT]
    _require(
        any_version or manifest["course"] == course_hash(),
        f"it was made with another version of the course ({theirs}, here {ours})",
        "ask for a new one, made after an update of the course, or grade it all the same with --any-version",
    )
    return manifest["id"], files


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Unpack one file, but never more than this, whatever size it claims."""
    with archive.open(name) as file:
        content = file.read(most + 1)
    _require(len(content) <= most, f"{name} unpacks to more than {most} bytes")
    return content


def _manifest(content: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"its {MANIFEST} is no JSON") from error
    kinds = {"format": int, "id": str, "course": str, "tasks": dict}
    fine = isinstance(manifest, dict) and all(isinstance(manifest.get(key), kind) for key, kind in kinds.items())
    _require(fine and manifest["format"] == FORMAT, f"its {MANIFEST} is not of format {FORMAT}")
    check_id(manifest["id"])
    result: dict[str, Any] = manifest
    return result


def _require(holds: bool, message: str, try_: str = "") -> None:
    if not holds:
        raise Unreadable(message, try_)
