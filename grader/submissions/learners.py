"""Who handed in what: submissions, ids that look alike, and what to do about two of one name."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from haribote.errors import HariboteError
from simulator.messages import tr

MOST_ID = 80
MOST_TEXT = 4000  # characters of a text that a learner may have written


@dataclass(frozen=True)
class Submission:
    """One learner's answers. source: the archive or folder, as it is shown. files: the written answers by task.

    problem: or why it cannot be read. made: when, as it says itself (UTC, ISO 8601), "" where it does not say. origin:
    the folder that one learner's archives came in, "" where there is none. older:
    other submissions of the same learner, which do not count. path: where it is.
    """

    id: str
    source: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    problem: str = ""
    made: str = ""
    origin: str = ""
    older: tuple[str, ...] = ()
    path: Path | None = None

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The hash of every file, by task."""
        return {task: file_hash(content) for task, content in self.files.items()}

    @cached_property
    def digest(self) -> str:
        """Of all files; equal for identical submissions, whoever made them."""
        parts = [f"{task} {known}\n" for task, known in sorted(self.hashes.items())]
        return hashlib.sha256("".join(parts).encode()).hexdigest()


def file_hash(content: bytes) -> str:
    """The hash of an answer's file; line ends do not count."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def answer_hash(content: bytes, shared: Iterable[tuple[str, bytes]]) -> str:
    """The hash of an answer's file with the files of other answers that it imports, by place."""
    own, others = file_hash(content), [f"{place} {file_hash(other)}\n" for place, other in sorted(shared)]
    return hashlib.sha256(f"{own}\n{''.join(others)}".encode()).hexdigest() if others else own


def printable(text: Any) -> str:
    """A text that a learner may have written, without control characters, and not endless.

    Bytes of a file's name that are no UTF-8 are told by their numbers, so that two such names stay two.
    """
    given = str(text)
    clean = "".join(map(_shown, given[:MOST_TEXT]))
    return clean if len(given) <= MOST_TEXT else clean + " …"


def _shown(char: str) -> str:
    if char == "\n" or char.isprintable():
        return char
    escaped = "\udc80" <= char <= "\udcff"  # how Python tells a byte that is no UTF-8
    return f"\\x{ord(char) - 0xDC00:02x}" if escaped else "·"


def one_line(text: Any) -> str:
    """The same without line ends: for names."""
    return printable(text).replace("\n", "·")


def checked_id(learner: str) -> str:
    """The id as it is kept: without blanks at its ends, in the normal form C.

    Raises HariboteError for one that is empty, too long or not printable.
    """
    kept = unicodedata.normalize("NFC", learner.strip())
    if not kept or len(kept) > MOST_ID or not kept.isprintable():
        raise HariboteError(
            tr("an id has 1 to {most_id} printable characters, received {learner!r}", MOST_ID, learner[:100]),
            "--id NAME",
        )
    return kept


def id_in_name(path: Path) -> str:
    """The learner's id where only the name of a file or folder tells it."""
    name = one_line(path.name).removesuffix(".zip").removesuffix(".haribote")[:MOST_ID].strip()
    return unicodedata.normalize("NFC", name) or "?"


def looks(learner: str) -> str:
    """What an id looks like: two that look alike are one learner's."""
    return " ".join(unicodedata.normalize("NFKC", learner).casefold().split())


def in_order(submissions: Iterable[Submission]) -> list[Submission]:
    """What there is to grade: names that more than one claims first, side by side.

    Anybody can write any name and any time into an archive. So one takes another's place only where both came the same
    way (`origin`): then the newest counts; where two say the same time, the later one in this order.
    """
    newest: dict[object, Submission] = {}
    for number, submission in enumerate(submissions):
        key = number if submission.problem else (looks(submission.id), submission.origin or number)
        other = newest.get(key)
        if other is not None:
            new, old = (submission, other) if other.made <= submission.made else (other, submission)
            submission = replace(new, older=(*new.older, old.source, *old.older))
        newest[key] = submission
    kept = list(newest.values())
    claims = Counter(looks(submission.id) for submission in kept if not submission.problem)
    disputed = [s for s in kept if not s.problem and claims[looks(s.id)] > 1]
    disputed.sort(key=lambda submission: looks(submission.id))
    return disputed + [submission for submission in kept if submission not in disputed]
