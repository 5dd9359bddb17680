"""A folder of submissions as it may come back: one bad one never stops the others, and each learner counts once."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.course import course_hash
from grader.grade.coordinator import not_started, run, work_key, work_list
from grader.grade.executors import Crew
from grader.grade.journal import Journal
from grader.grade.overview import overview
from grader.grade.page import as_page
from grader.grade.report import as_csv, as_json, as_text, report_of
from grader.grade.work import Work
from grader.submissions.learners import Submission, file_hash, in_order, looks, one_line, printable
from grader.submissions.submission import pack, read_submission, read_submissions
from haribote.answers.tasks import find_task
from haribote.errors import HariboteError

TASK = find_task("5.12")
PLACE = f"haribote/{TASK.file}"
ANSWER = b"print('answer')\n"
NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)
posix = pytest.mark.skipif(os.name == "nt", reason="names and files of POSIX")


def manifest(**changes: Any) -> bytes:
    tasks = {"5.12": {"file": TASK.file, "sha256": file_hash(ANSWER)}}
    return json.dumps({"format": 1, "id": "eve", "course": course_hash(), "tasks": tasks} | changes).encode()


def archive(method: int = zipfile.ZIP_DEFLATED, comment: bytes = b"", name: str = PLACE, **changes: Any) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        file.writestr("manifest.json", manifest(**changes))
        file.writestr(name, ANSWER)
        file.comment = comment
    return buffer.getvalue()


def patched(content: bytes, signature: bytes, at: int, value: bytes) -> bytes:
    """With other bytes at a place of the last header with this signature."""
    start = content.rindex(signature) + at
    return content[:start] + value + content[start + len(value) :]


def broken_lzma() -> bytes:
    content = archive(zipfile.ZIP_LZMA)
    return content.replace(b"]\x00\x00", b"\xff\xff\xff")


def far_away() -> bytes:
    """The directory says that an entry begins above 2^63."""
    extra = struct.pack("<HHQ", 1, 8, 2**63 + 5)
    content = archive()
    at = content.rindex(b"PK\x01\x02")
    size = len(PLACE)
    header = bytearray(content[at : at + 46 + size])
    header[42:46] = b"\xff\xff\xff\xff"
    header[30:32] = struct.pack("<H", len(extra))
    tail = bytearray(content[at + 46 + size :])
    start = tail.index(b"PK\x05\x06")
    tail[start + 12 : start + 16] = struct.pack("<I", struct.unpack_from("<I", tail, start + 12)[0] + len(extra))
    return content[:at] + bytes(header) + extra + bytes(tail)


def end_far_away() -> bytes:
    """The end of the archive says that its directory begins above 2^63."""
    content = archive()
    at = content.rindex(b"PK\x05\x06")
    zip64 = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 2, 2, 2**63 + 1, 2**63 + 2)
    return content[:at] + zip64 + struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1) + content[at:]


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "lzma": (lambda: archive(zipfile.ZIP_LZMA), "by method 14; only 0 and 8"),
    "a broken lzma entry": (broken_lzma, "by method 14"),
    "bzip2": (lambda: archive(zipfile.ZIP_BZIP2), "by method 12"),
    "an unknown method": (lambda: patched(archive(), b"PK\x01\x02", 10, b"\x63\x00"), "by method 99"),
    "zip64 above 2^63": (far_away, "damaged"),
    "a directory above 2^63": (end_far_away, "damaged"),
    "a wrong checksum": (lambda: patched(archive(), b"PK\x01\x02", 16, b"abcd"), "damaged"),
    "damaged deflate": (lambda: patched(archive(), b"PK\x03\x04", 30 + len(PLACE), b"\xff\xff\xff"), "damaged"),
    "another name inside": (lambda: patched(archive(), b"PK\x03\x04", 30, b"X"), "damaged"),
    "encrypted": (lambda: patched(archive(), b"PK\x01\x02", 8, b"\x01"), "encrypted"),
    "a NUL in a name": (lambda: archive(name=f"{PLACE}!.txt").replace(b"!.txt", b"\0.txt"), "no file of a task"),
    "control characters": (lambda: archive(name="haribote/\x1b[2J\n.py"), "no file of a task"),
    "a folder": (lambda: archive(name="haribote/kernels/"), "special file"),
    "a deep path": (lambda: archive(name="a/" * 5000 + "x.py"), "no file of a task"),
    "a surrogate in the id": (lambda: archive(id="\ud800"), "printable"),
    "an id of blanks": (lambda: archive(id="\u3000 "), "printable"),
    "a time that is none": (lambda: archive(made="yesterday"), "no time"),
    "a time that sorts wrong": (lambda: archive(made="2026-1-2T3:4:5.0Z"), "no time"),
    "a time of another kind": (lambda: archive(made=3), "not of format 1"),
    "ten thousand files": (lambda: many(10_000), "at most 500"),
    "text": (lambda: b"hello", "not a zip"),
    "nothing": (lambda: b"", "not a zip"),
    "cut": (lambda: archive()[:-40], "not a zip"),
    "only an end": (lambda: archive()[-22:], "not a zip|no manifest|damaged"),
}  # fmt: skip


def many(number: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for each in range(number):
            file.writestr(f"x{each}", b"")
    return buffer.getvalue()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_bad_archive_says_why(name: str, tmp_path: Path) -> None:
    make, message = HOSTILE[name]
    (tmp_path / "eve.zip").write_bytes(make())
    found = read_submission(tmp_path / "eve.zip")
    assert found.problem.startswith("unreadable: ") and not found.files and found.problem.isascii()
    with pytest.raises(HariboteError, match=message):
        raise HariboteError(found.problem)


def test_stored_and_deflated_archives_are_read(tmp_path: Path) -> None:
    for number, content in enumerate((archive(zipfile.ZIP_STORED), archive(), archive(comment=b"x" * 65535))):
        (tmp_path / f"{number}.zip").write_bytes(content)
        assert read_submission(tmp_path / f"{number}.zip").files == {"5.12": ANSWER}


def graded(folder: Path, submissions: list[Submission], limit: float = 900, seconds: float = 1.0) -> Journal:
    """Grade with a stand-in that finds all answers right."""

    def right(work: Work) -> dict[str, Any]:
        return not_started(TASK) | {"state": "passed", "points": 10, "seconds": seconds}

    from concurrent.futures import ThreadPoolExecutor

    with Journal(folder) as journal:
        crew = Crew(lambda: ThreadPoolExecutor(1), 1, "a thread")
        run(work_list(submissions, [TASK, find_task("0.1")], 1), journal, crew, grade=right, limit=limit)
    return journal


@posix
@pytest.mark.filterwarnings("ignore")
def test_one_good_archive_among_all_that_can_go_wrong(tmp_path: Path, capsysbinary: Any) -> None:
    room = tmp_path / "room"
    room.mkdir()
    for number, (make, _) in enumerate(HOSTILE.values()):
        (room / f"{number}.zip").write_bytes(make())
    strange = (b"\xff\xfe.zip", b"a\nb\x1b[2J.zip", b"\xe2\x80\xae.zip", b"x" * 250 + b".zip")
    for name in strange:
        Path(os.fsdecode(os.fsencode(room) + b"/" + name)).write_bytes(b"no archive")
    course = Path(os.fsdecode(os.fsencode(room) + b"/\xfflearner"))
    (course / "haribote" / "kernels").mkdir(parents=True)
    (course / PLACE).write_bytes(ANSWER)
    (room / "dir.zip" / "deep" / "er").mkdir(parents=True)
    (room / "empty").mkdir()
    (room / "closed").mkdir(mode=0)
    (room / "link.zip").symlink_to("/etc/passwd")
    (room / "round").symlink_to("round")
    os.mkfifo(room / "pipe.zip")
    (room / "secret.zip").write_bytes(archive())
    (room / "secret.zip").chmod(0)
    (room / "good.zip").write_bytes(pack("good", course))
    found = read_submissions([room])
    good = [submission for submission in found if submission.id == "good"]
    assert len(good) == 1 and good[0].files == {"5.12": ANSWER} and not good[0].problem
    assert len(found) >= len(HOSTILE) + len(strange) + 7
    named = next(s for s in found if s.id == "\\xfflearner")
    assert named.files == {"5.12": ANSWER}
    journal = graded(tmp_path / "out", found)
    report = report_of(found, journal, 1)
    texts = [as_csv(report), as_json(report), as_page(report), as_text(report), overview([room], tmp_path / "out")]
    for text in texts:
        text.encode("utf-8")
        assert "\x1b" not in text and "\u202e" not in text and "Traceback" not in text
    assert json.loads(texts[1])["submissions"][found.index(good[0])]["points"] == 10
    (room / "closed").chmod(stat.S_IRWXU)


@pytest.mark.parametrize(
    "one, two",
    [("ada", "ada "), ("ada", "\u00a0ada"), ("é", "e\u0301"), ("Ada", "ada"), ("ada l", "ada  l"), ("ａｄａ", "ada"),
     ("s2026017", "S2026017")],
)  # fmt: skip
def test_ids_that_look_alike_are_one(one: str, two: str) -> None:
    assert looks(one) == looks(two)
    old, new = (
        Submission(i, f"{i}.zip", {"0.1": b""}, made=made, origin="her folder")
        for i, made in ((one, "2026-01"), (two, "2026-02"))
    )
    for order in ((old, new), (new, old)):
        (kept,) = in_order([*order])
        assert kept.id == two and kept.older == (old.source,)
    assert looks("ada") != looks("bob") and looks("ada1") != looks("ada2")


def test_nobody_takes_anothers_place(tmp_path: Path) -> None:
    """A name and a date of one's choice in an archive of one's own: both are graded, both reported, first."""
    room = tmp_path / "room"
    room.mkdir()
    course = tmp_path / "course"
    (course / "haribote" / "kernels").mkdir(parents=True)
    (course / PLACE).write_text("all that Ada has written")
    (room / "zoe.zip").write_bytes(pack("Zoe", course, NOON))
    (room / "ada.zip").write_bytes(pack("Ada", course, NOON))
    (room / "other.zip").write_bytes(archive(id="ada  ", made="2999-01-01T00:00:00.000000Z"))
    (room / "third").mkdir()
    (room / "third" / "x.zip").write_bytes(archive(id="\u00a0ADA", made="2999-01-01T00:00:00.000000Z"))
    found = read_submissions([room])
    assert [(s.id, Path(s.source).name, s.older) for s in found] == [
        ("Ada", "ada.zip", ()), ("ada", "other.zip", ()), ("ADA", "x.zip", ()), ("Zoe", "zoe.zip", ())
    ]  # fmt: skip
    report = report_of(found, graded(tmp_path / "out", found), 1)
    assert [report.points(number) for number in range(4)] == [10, 10, 10, 10]
    for number, others in enumerate((("other.zip", "x.zip"), ("ada.zip", "x.zip"), ("ada.zip", "other.zip"))):
        assert all(other in "; ".join(report.troubles(number)) for other in ("the same name as", *others))
    assert not report.remarks(3)
    assert [row[0] for row in csv.reader(io.StringIO(as_csv(report)))][1:] == ["Ada", "ada", "ADA", "Zoe"]


def test_the_newest_of_one_folder_counts(tmp_path: Path) -> None:
    """As course sites give every learner a folder."""
    (tmp_path / "course" / "haribote" / "kernels").mkdir(parents=True)
    written = tmp_path / "course" / PLACE
    hers = tmp_path / "room" / "ada_1234"
    hers.mkdir(parents=True)
    for number, (name, days, text) in enumerate((("b", 2, "newest"), ("c", 1, "old"), ("a", 0, "oldest"))):
        written.write_text(text)
        made = pack("ada " if number else "ada", tmp_path / "course", NOON + timedelta(days=days))
        (hers / f"{name}.zip").write_bytes(made)
    (hers / "d.zip").write_bytes(b"damaged, and so not the newest")
    (hers / "ada.zip").write_bytes(archive(id="ada"))  # from before archives had dates
    counts, damaged = read_submissions([tmp_path / "room"])
    assert counts.id == "ada" and counts.files == {"5.12": b"newest"} and damaged.problem
    assert sorted(Path(source).name for source in counts.older) == ["a.zip", "ada.zip", "c.zip"]
    report = report_of([counts, damaged], graded(tmp_path / "out", [counts]), 1)
    assert "counts in place of" in report.remarks(0)[0] and not report.troubles(0) and report.points(0) == 10
    assert [row[0] for row in csv.reader(io.StringIO(as_csv(report)))] == ["id", "ada", "d"]


def test_a_submission_has_a_limit_of_its_own(tmp_path: Path) -> None:
    files = {"5.12": b"a", "0.1": b"b"}
    slow, other = Submission("slow", "slow.zip", files), Submission("other", "other.zip", {"0.1": b"c"})
    journal = graded(tmp_path, [slow, other], limit=5, seconds=6)
    assert journal.verdicts[work_key(slow, "5.12", 1)]["state"] == "passed"
    verdict = journal.verdicts[work_key(slow, "0.1", 1)]
    assert (verdict["state"], verdict["points"]) == ("failed", 0) and "its 5 s" in verdict["failure"]
    assert journal.verdicts[work_key(other, "0.1", 1)]["state"] == "passed"
    again = graded(tmp_path, [slow, other], limit=5, seconds=6)
    assert again.verdicts == journal.verdicts


def test_names_are_one_printable_line() -> None:
    assert one_line("a\nb\x1b") == "a·b·" and printable("\udcff\ud800é\n") == "\\xff·é\n"
