"""Archives of answers: the same bytes for the same answers, and no archive that can do harm."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from grader.cli import main
from grader.course import course_hash
from grader.submissions.leftout import left_out
from grader.submissions.submission import (
    MOST_ARCHIVE,
    Unreadable,
    file_hash,
    pack,
    printable,
    read_archive,
    read_submission,
    read_submissions,
)
from haribote.answers.tasks import MERGED, ROOT, find_task
from haribote.errors import HariboteError
from tests.grader.grade.runs import TASKS

TASK = find_task("5.12")


PLACE = f"haribote/{TASK.file}"


ANSWER = b"print('answer')\n"


NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A learner's folder with one task written."""
    root = tmp_path / "ada"
    for folder in ("kernels", "exercises"):
        shutil.copytree(ROOT / "solutions" / folder, root / "haribote" / folder, dirs_exist_ok=True)
        for path in (root / "haribote" / folder).glob("t*.py"):
            path.unlink()
    (root / PLACE).write_bytes(ANSWER)
    return root


def archive(entries: dict[str, bytes], manifest: dict[str, object] | bytes | None = None) -> bytes:
    """An archive with these files and a manifest that fits, or another one."""
    if manifest is None:
        manifest = fitting(entries)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("manifest.json", manifest if isinstance(manifest, bytes) else json.dumps(manifest))
        for name, content in entries.items():
            file.writestr(name, content)
    return buffer.getvalue()


def fitting(entries: dict[str, bytes]) -> dict[str, object]:
    told = [{"file": TASK.file, "sha256": file_hash(content)} for content in entries.values()]
    return {"format": 1, "id": "ada", "course": course_hash(), "tasks": {"5.12": told[0]} if told else {}}


def test_pack_and_read(course: Path) -> None:
    content = pack("ada", course)
    assert pack("ada", course, NOON) == pack("ada", course, NOON) != pack("ada", course, NOON + timedelta(seconds=1))
    assert read_archive(content) == ("ada", {"5.12": ANSWER})
    path = course.parent / "x.zip"
    path.write_bytes(content)
    from_archive, from_folder = read_submission(path), read_submission(course)
    assert from_archive.files == from_folder.files and from_archive.digest == from_folder.digest
    assert from_archive.id == from_folder.id == "ada"


def test_nothing_written(course: Path) -> None:
    (course / PLACE).unlink()
    with pytest.raises(HariboteError, match="no task is written yet"):
        pack("ada", course)


def test_ids_are_printable(course: Path) -> None:
    for bad in ("", " ", "a\nb", "x" * 100):
        with pytest.raises(HariboteError, match="1 to 80 printable"):
            pack(bad, course)


OLD = fitting({PLACE: ANSWER}) | {"course": "0" * 64}


def symlink(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        info = zipfile.ZipInfo(name)
        info.external_attr = 0o120777 << 16
        file.writestr(info, "/etc/passwd")
        file.writestr("manifest.json", json.dumps(fitting({})))
    return buffer.getvalue()


def bomb(size: int) -> bytes:
    """One file that unpacks to so many bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        file.writestr("manifest.json", json.dumps(fitting({PLACE: b""})))
        with file.open(PLACE, "w", force_zip64=True) as target:
            for _ in range(size >> 20):
                target.write(bytes(1 << 20))
    return buffer.getvalue()


def packed_bomb(size: int) -> bytes:
    """The same in a moment: one packed megabyte again and again, of which nobody gets to see the end."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    content = bytearray(archive({}, json.dumps(fitting({PLACE: b""})).encode()))
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a") as file:
        file.writestr(PLACE, block * (size >> 20) + packer.flush())
    content = bytearray(buffer.getvalue())
    at = content.rindex(b"PK\x01\x02")
    content[at + 10] = zipfile.ZIP_DEFLATED  # it was put in as it is
    return bytes(content)


def small_claim() -> bytes:
    """A bomb that claims to be small."""
    content = bytearray(bomb(64 << 20))
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = (10).to_bytes(4, "little")
    return bytes(content)


def twice() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("manifest.json", json.dumps(fitting({PLACE: ANSWER})))
        file.writestr(PLACE, ANSWER)
        file.writestr(PLACE, b"another")
    return buffer.getvalue()


def encrypted() -> bytes:
    content = bytearray(archive({PLACE: ANSWER}))
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "not a zip": (lambda: b"hello", "not a zip archive"),
    "empty": (lambda: b"", "not a zip archive"),
    "cut": (lambda: archive({PLACE: ANSWER})[:-30], "not a zip archive"),
    "absolute": (lambda: archive({"/etc/passwd": b""}), "outside of the course's folder"),
    "above": (lambda: archive({"haribote/../../x.py": b""}), "outside of the course's folder"),
    "drive": (lambda: archive({"C:x.py": b""}), "outside of the course's folder"),
    "symlink": (lambda: symlink(PLACE), "symlink"),
    "unknown file": (lambda: archive({"haribote/training/train.py": b""}), "no file of a task"),
    "twice": (twice, "two files of the same name"),
    "encrypted": (encrypted, "encrypted"),
    "wrong hash": (lambda: archive({PLACE: ANSWER}, fitting({PLACE: b"other"})), "not those that its manifest tells"),
    "no manifest entry": (lambda: archive({PLACE: ANSWER}, fitting({})), "not those that its manifest tells"),
    "another version": (lambda: archive({PLACE: ANSWER}, OLD), "--any-version"),
    "no json": (lambda: archive({}, b"[" * 100_000), "no JSON"),
    "wrong kinds": (lambda: archive({}, {"format": 1, "id": 3, "course": "", "tasks": []}), "not of format 1"),
    "another format": (lambda: archive({}, fitting({}) | {"format": 2}), "not of format 1"),
    "an id that is a page": (lambda: archive({}, fitting({}) | {"id": "\x1b[2Jx"}), "printable"),
    "64 MB in a small archive": (lambda: bomb(64 << 20), "unpacks to more than"),
    "a bomb that claims to be small": (small_claim, "unpacks to more than|damaged|not a zip archive"),
    "many files": (lambda: archive({f"x{number}": b"" for number in range(600)}), "at most 500"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archives_are_unreadable(name: str, tmp_path: Path) -> None:
    make, message = HOSTILE[name]
    path = tmp_path / "x.zip"
    path.write_bytes(make())
    submission = read_submission(path)
    assert submission.problem.startswith("unreadable: ") and not submission.files
    with pytest.raises(Unreadable, match=message):
        raise Unreadable(submission.problem)


def test_an_archive_that_unpacks_to_ten_gigabytes(tmp_path: Path) -> None:
    content = packed_bomb(10 << 30)
    assert len(content) > MOST_ARCHIVE  # so it is not even opened
    (tmp_path / "x.zip").write_bytes(content)
    assert "more than" in read_submission(tmp_path / "x.zip").problem
    with pytest.raises(Unreadable, match="unpacks to more than"):  # nor would it be unpacked
        read_archive(content)


def test_another_version_can_be_asked_for(tmp_path: Path) -> None:
    content = archive({PLACE: ANSWER}, OLD)
    assert read_archive(content, any_version=True) == ("ada", {"5.12": ANSWER})


@pytest.mark.skipif(os.name == "nt", reason="symlinks and pipes are POSIX's")
def test_folders_are_read_without_following_anything(course: Path) -> None:
    path = course / PLACE
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert "symlink" in read_submission(course).problem
    path.unlink()
    os.mkfifo(path)
    assert "not a regular file" in read_submission(course).problem
    path.unlink()
    path.write_bytes(bytes(3 << 20))
    assert "more than" in read_submission(course).problem
    shutil.rmtree(course / "haribote" / "kernels")
    (course / "haribote" / "kernels").symlink_to(ROOT / "solutions" / "kernels")
    assert "symlink" in read_submission(course).problem


def test_folders_of_submissions(course: Path, tmp_path: Path) -> None:
    room = tmp_path / "room"
    (room / "one").mkdir(parents=True)
    (room / "one" / "bob.haribote.zip").write_bytes(pack("bob", course))
    (room / "notes.txt").write_text("hello")
    shutil.copytree(course, room / "ada")
    found = {submission.id: submission for submission in read_submissions([room])}
    assert set(found) == {"ada", "bob", "notes.txt"}
    assert found["ada"].files == found["bob"].files and "not a zip" in found["notes.txt"].problem
    (tmp_path / "nothing").mkdir()
    with pytest.raises(HariboteError, match="no submission in it"):
        read_submissions([tmp_path / "nothing"])


def test_texts_are_printable() -> None:
    assert printable("a\x1b[2J\nb\u202e\x00é") == "a·[2J\nb··é"
    assert len(printable("x" * 10**6)) < 5000


def test_submit_from_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ada" / "haribote" / TASKS[0].file
    path.parent.mkdir(parents=True)
    shutil.copy(ROOT / "solutions" / TASKS[0].file, path)
    monkeypatch.setattr("grader.grade.command.pack", lambda name: pack(name, tmp_path / "ada"))
    monkeypatch.setattr("grader.grade.command.left_out", lambda: left_out(tmp_path / "ada"))
    monkeypatch.chdir(tmp_path)
    assert main(["submit", "--id", "ada l."]) == 0
    shown = capsys.readouterr().out
    assert "ada_l..haribote.zip: 1 of" in shown and "not written: 4.8, " in shown and "will not be graded" not in shown
    assert (tmp_path / "ada_l..haribote.zip").is_file()


def test_an_answer_to_a_task_that_was_merged_counts_for_the_one_it_is_part_of(course: Path) -> None:
    """In a folder, and in an archive of the time when it was a task of its own."""
    (old, merged), *_ = MERGED.items()
    path = course / "haribote" / merged.file
    path.write_bytes(ANSWER)
    assert read_submission(course).files == {"5.12": ANSWER, merged.task: ANSWER}
    entries = {PLACE: ANSWER, f"haribote/{merged.file}": b"print('old')\n"}
    tasks = {
        task: {"sha256": file_hash(content)} for task, content in zip(("5.12", old), entries.values(), strict=True)
    }
    manifest = {"format": 1, "id": "ada", "course": "0" * 64, "made": "", "tasks": tasks}
    content = archive(entries, manifest)
    assert read_archive(content, any_version=True)[1] == {"5.12": ANSWER, merged.task: b"print('old')\n"}
    (course / "haribote" / find_task(merged.task).file).write_bytes(b"print('new')\n")
    assert read_submission(course).files[merged.task] == b"print('new')\n"
    path.write_bytes(b"raise NotWritten('a bare stub of that time')\n")
    (course / "haribote" / find_task(merged.task).file).unlink()
    assert read_submission(course).files == {"5.12": ANSWER}
