"""A learner's answers as one archive, and reading what came back from many learners without trusting any of it.

An archive is a zip with `manifest.json` (the learner's id, when it was made, the hash of the course, the hash of every
file) and the files of the tasks that are written, nothing else. The same answers at the same time give the same bytes.
"""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from grader.course import LEARNERS, SHORT, course_hash
from grader.emitter.loading import MOST_BYTES
from grader.stubs import digest, left_over, read_manifest
from grader.submissions.learners import (
    MOST_ID,
    Submission,
    answer_hash,
    checked_id,
    file_hash,
    id_in_name,
    in_order,
    one_line,
    printable,
)
from haribote.answers.ownership import CAUGHT_UP, is_caught_up, is_written_text
from haribote.answers.tasks import MERGED, ROOT, all_tasks
from haribote.errors import HariboteError
from simulator.errors import reason_of
from simulator.messages import tr

__all__ = [
    "MOST_ARCHIVE", "MOST_ID", "Submission", "Unreadable", "answer_hash", "file_hash", "pack", "printable",
    "read_archive", "read_submission", "read_submissions",
]  # fmt: skip

MANIFEST = "manifest.json"
FORMAT = 1
MOST_ARCHIVE, MOST_MANIFEST, MOST_FILES = 8 << 20, 1 << 18, 500
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"
_EPOCH = (1980, 1, 1, 0, 0, 0)


class Unreadable(HariboteError):
    """A submission that cannot be read; it gets this as its verdict, and the others are graded."""


def pack(learner: str, root: Path = ROOT, made: datetime | None = None) -> bytes:
    """The archive of the learner's own answers in a course's folder, made now or then. HariboteError without any."""
    learner = checked_id(learner)
    paths = {task: root / "haribote" / task.file for task in all_tasks()}
    files = {task: path.read_bytes() for task, path in paths.items() if path.is_file() and not is_caught_up(path)}
    files = {task: text for task, text in files.items() if is_written_text(text) or left_over(task, text)}
    if not files:
        raise HariboteError(tr("no task is written yet, so there is nothing to submit"), "`grader list`")
    entries = {task.id: {"file": task.file, "sha256": file_hash(content)} for task, content in files.items()}
    now = _time_told((made or datetime.now(timezone.utc)).timestamp())
    manifest = {"format": FORMAT, "id": learner, "made": now, "course": course_hash(), "tasks": entries}
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


def _time_told(seconds: float) -> str:
    """A time as text that sorts: UTC, to the microsecond."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime(_TIME)


def read_submissions(paths: Iterable[Path], any_version: bool = False) -> list[Submission]:
    """All submissions in archives, courses' folders, and folders of both, in the order of `in_order`.

    Raises HariboteError where there is none.
    """
    found = []
    for path in paths:
        inside = [replace(read_submission(item, any_version), origin=origin) for item, origin in _items(path)]
        if not inside:
            raise HariboteError(
                tr("{path}: there is no submission in it", one_line(path)), tr("a folder of archives or courses")
            )
        found += inside
    return in_order(found)


def _items(path: Path) -> Iterator[tuple[Path, str]]:
    """A path, or what is in it where it is a folder of submissions; with the folder that is one learner's own."""
    if not os.path.lexists(path):
        message = tr("{path}: there is no such file or folder", one_line(path))
        raise HariboteError(message, tr("the path of an archive, or of a folder of them"))
    if _is_course(path) or not os.path.isdir(path):
        yield path, ""
        return
    for item in _listed(path):
        # one level more: some course sites give every learner's archive its own folder
        inside = [] if os.path.islink(item) or _is_course(item) else _listed(item)
        yield from ((each, one_line(item)) for each in inside)
        if not inside:
            yield item, ""


def _listed(path: Path) -> list[Path]:
    """What is in a folder, but nothing that is hidden; empty where it is no folder, or cannot be read."""
    try:
        return sorted(item for item in path.iterdir() if not item.name.startswith((".", "__MACOSX")))
    except OSError:
        return []


def _is_course(path: Path) -> bool:
    return any(os.path.isdir(path / "haribote" / folder) for folder in LEARNERS)


def read_submission(path: Path, any_version: bool = False) -> Submission:
    """What one archive or course's folder holds; where it cannot be read, a submission that says why."""
    learner, source = id_in_name(path), one_line(path)
    try:
        if path.is_symlink():
            raise Unreadable(tr("it is a symlink"))
        if path.is_dir():
            files, made = _from_folder(path)
        else:
            learner, files, made = _read_archive(_plain_file(path, MOST_ARCHIVE), any_version)
        return Submission(learner, source, files, made=made, path=path)
    except HariboteError as error:
        return Submission(learner, source, problem=printable(tr("unreadable: {error}", error)), path=path)
    except Exception as error:  # whatever it is: it is this one submission that cannot be read
        said = f"{type(error).__name__}: {error}"
        return Submission(
            learner, source, problem=printable(tr("unreadable: it cannot be read ({said})", said)), path=path
        )


def _from_folder(root: Path) -> tuple[dict[str, bytes], str]:
    """The answers in a course's folder, but not the bare stubs; the time of the last change of one."""
    if not _is_course(root):
        raise Unreadable(tr("it is neither an archive nor a course's folder"), tr("`grader submit` makes an archive"))
    stubs = set(read_manifest().values())
    files, changed = {}, 0.0
    for task, file in _answers():
        path = root / "haribote" / file
        if not os.path.lexists(path):
            continue
        for parent in (path.parent, path.parent.parent):
            if parent.is_symlink():
                raise Unreadable(tr("{root} is a symlink", parent.relative_to(root)))
        content = _plain_file(path, MOST_BYTES)
        bare = digest(content.decode("utf-8-sig", "replace")) in stubs or CAUGHT_UP.encode() in content
        if not bare and (task not in MERGED or is_written_text(content)):
            files[task] = content
            changed = max(changed, path.stat().st_mtime)
    return _of_today(files), _time_told(changed) if files else ""


def _answers() -> list[tuple[str, str]]:
    """The tasks with their files, those that were merged into others among them."""
    return [(task.id, task.file) for task in all_tasks()] + [(old, merged.file) for old, merged in MERGED.items()]


def _of_today(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The answer to a task that was merged into another one counts for that one, where there is no answer to it."""
    today = {task: content for task, content in files.items() if task not in MERGED}
    for old, merged in MERGED.items():
        if old in files:
            today.setdefault(merged.task, files[old])
    return today


def _plain_file(path: Path, most: int) -> bytes:
    """The content of a regular file that is no symlink and no larger than this."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable(tr("{name} is not a regular file", path.name))
            content = file.read(most + 1)
    except OSError as error:
        reason = tr("it is a symlink") if path.is_symlink() else reason_of(error)
        raise Unreadable(tr("{name} cannot be opened: {reason}", path.name, reason)) from error
    if len(content) > most:
        raise Unreadable(tr("{name} has more than {most} bytes", path.name, most))
    return content


def read_archive(content: bytes, any_version: bool = False) -> tuple[str, dict[str, bytes]]:
    """The learner's id and the answers by task. Raises Unreadable for anything that `pack` does not write."""
    return _read_archive(content, any_version)[:2]


def _read_archive(content: bytes, any_version: bool) -> tuple[str, dict[str, bytes], str]:
    """The same, and when it was made."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _checked(archive, any_version)
    except HariboteError:
        raise
    except zipfile.BadZipFile as error:
        raise Unreadable(tr("it is not a zip archive, or a damaged one"), tr("`grader submit` makes one")) from error
    except Exception as error:  # zipfile and its decompressors raise errors of many kinds
        said = f"{type(error).__name__}: {error}"
        raise Unreadable(tr("it is damaged ({said})", said), tr("`grader submit` makes a new one")) from error


def _checked(archive: zipfile.ZipFile, any_version: bool) -> tuple[str, dict[str, bytes], str]:
    infos = archive.infolist()
    _require(
        len(infos) <= MOST_FILES, tr("it holds {infos} files, at most {most_files} are read", len(infos), MOST_FILES)
    )
    names = [info.filename for info in infos]
    _require(len(set(names)) == len(names), tr("it holds two files of the same name"))
    known = {f"haribote/{file}": task for task, file in _answers()}
    for info in infos:
        _check_entry(info, known.keys() | {MANIFEST})
    _require(MANIFEST in names, tr("it has no {manifest}", MANIFEST))
    manifest = _manifest(_read(archive, MANIFEST, MOST_MANIFEST))
    files = {known[name]: _read(archive, name, MOST_BYTES) for name in names if name != MANIFEST}
    hashes = {task: file_hash(content) for task, content in files.items()}
    told = {task: entry.get("sha256") for task, entry in manifest["tasks"].items() if isinstance(entry, dict)}
    _require(
        hashes == told, tr("its files are not those that its manifest tells: they were changed after `grader submit`")
    )
    theirs, ours = manifest["course"][:SHORT], course_hash()[:SHORT]
    _require(
        any_version or manifest["course"] == course_hash(),
        tr("it was made with another version of the course ({theirs}, here {ours})", theirs, ours),
        tr("ask for a new one, made after an update of the course, or grade it all the same with --any-version"),
    )
    return checked_id(manifest["id"]), _of_today(files), manifest["made"]


def _check_entry(info: zipfile.ZipInfo, known: Iterable[str]) -> None:
    """Raise Unreadable for an entry that is no plain file of a known name, stored or deflated."""
    name, kind = info.filename, stat.S_IFMT(info.external_attr >> 16)
    plain = not name.startswith(("/", "\\")) and ".." not in name.replace("\\", "/").split("/") and ":" not in name
    _require(plain, tr("{name!r} would be outside of the course's folder", name[:80]))
    _require(kind in (0, stat.S_IFREG), tr("{name!r} is a symlink or a special file", name[:80]))
    _require(not info.flag_bits & 1, tr("it is encrypted"))
    _require(
        name in known and info.orig_filename == name,
        tr("{orig_filename!r} is no file of a task", info.orig_filename[:80]),
    )
    _require(
        info.compress_type in METHODS,
        tr("{name} is packed by method {compress_type}; only 0 and 8 are read", name, info.compress_type),
    )


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Unpack one file, but never more than this, whatever size it claims."""
    with archive.open(name) as file:
        content = file.read(most + 1)
    _require(len(content) <= most, tr("{name} unpacks to more than {most} bytes", name, most))
    return content


def _manifest(content: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable(tr("its {manifest} is no JSON", MANIFEST)) from error
    kinds = {"format": int, "id": str, "course": str, "tasks": dict, "made": str}
    if isinstance(manifest, dict):
        manifest.setdefault("made", "")
    fine = isinstance(manifest, dict) and all(isinstance(manifest.get(key), kind) for key, kind in kinds.items())
    _require(fine and manifest["format"] == FORMAT, tr("its {manifest} is not of format {format}", MANIFEST, FORMAT))
    _require(_is_time(manifest["made"]), tr("its {manifest} was made at no time that can be read", MANIFEST))
    result: dict[str, Any] = manifest
    return result


def _is_time(text: str) -> bool:
    """What `_time_told` writes, or nothing."""
    try:
        return not text or datetime.strptime(text, _TIME).strftime(_TIME) == text
    except ValueError:
        return False


def _require(holds: bool, message: str, try_: str = "") -> None:
    if not holds:
        raise Unreadable(message, try_)
