"""The journal of a run: its seed, then one line of JSON per verdict, written once; a killed run goes on from it."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.grade.judge import Verdict
from haribote.errors import HariboteError
from simulator.console import MOST_SEED
from simulator.errors import reason_of
from simulator.messages import tr

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two runs apart
    fcntl = None  # type: ignore[assignment]

NAME = "journal.jsonl"
STATES = ("passed", "failed", "not started", "trouble")
_TYPES = [
    *((name, str) for name in ("task", "message", "failure", "cause", "note", "answer", "picture", "medal")),
    *((name, int) for name in ("points", "of", "seed", "cases", "total")), ("costs", dict),
]  # fmt: skip


class Journal:
    """The verdicts of a folder, by key. Raises HariboteError where another run writes it, or nobody can write it.

    A line that a killed run has left unfinished is taken off. damaged: the numbers of lines that say nothing.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if self._path.exists() and not self._path.is_file():
                raise FileExistsError(errno.EEXIST, tr("it is no regular file"))
            self._file = self._path.open("a+b", buffering=0)  # what is written is in the file, or is not
        except OSError as error:
            raise HariboteError(
                tr("cannot write {path}: {strerror}", self._path, reason_of(error)), tr("another folder: -o FOLDER")
            ) from error
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                self._file.close()
                raise HariboteError(
                    tr("another run writes {path}", self._path), tr("wait for it, or take -o FOLDER")
                ) from error
        self.verdicts: dict[str, Verdict]
        self.seed: int | None
        self.damaged: list[int]
        self._read()

    def keep_seed(self, seed: int) -> None:
        """Write down the seed of the run, from which the next one takes it."""
        if seed != self.seed:
            self._line({"seed": seed})
            self.seed = seed

    def write(self, key: str, verdict: Verdict) -> None:
        """Write a verdict; a key has one."""
        if key in self.verdicts:
            raise ValueError(tr("there is a verdict for {key} already", key))
        self._line({"key": key, "verdict": verdict})
        self.verdicts[key] = verdict

    def forget(self, keys: Iterable[str]) -> None:
        """Take verdicts back, so that they can be written anew."""
        for key in [key for key in keys if key in self.verdicts]:
            self._line({"key": key, "again": True})
            del self.verdicts[key]

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._file:
            try:
                os.fsync(self._file.fileno())
            except OSError as trouble:
                if error is None:  # else that one is told
                    raise self._unwritten(trouble) from trouble

    def _line(self, content: dict[str, Any]) -> None:
        line, end = json.dumps(content).encode() + b"\n", self._file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(end)  # no half of it, so that the next line is a whole one
            raise self._unwritten(error) from error

    def _unwritten(self, error: OSError) -> HariboteError:
        kept = tr("{verdicts} verdicts are kept, and the same command goes on from there", len(self.verdicts))
        return HariboteError(
            tr("cannot write {path}: {strerror}", self._path, reason_of(error)), tr("free some space; {kept}", kept)
        )

    def _read(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        self._file.truncate(whole)
        self._file.seek(0, os.SEEK_END)
        self.verdicts, self.seed, self.damaged = _entries(content[:whole])


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """The verdicts in a journal, by key; none where there is no journal. Nothing is locked or changed."""
    return _entries(path.read_bytes())[0] if path.is_file() else {}


def _entries(content: bytes) -> tuple[dict[str, Verdict], int | None, list[int]]:
    """The verdicts by key, the seed that was written last, and the numbers of the damaged lines, from 1."""
    verdicts: dict[str, Verdict] = {}
    seed, damaged = None, []
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        try:
            entry = json.loads(line)
            if "seed" in entry:
                seed = _seed(entry["seed"])
            elif entry.get("again"):
                verdicts.pop(entry["key"], None)
            else:
                verdicts[str(entry["key"])] = _verdict(entry["verdict"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            damaged.append(number)
    return verdicts, seed, damaged


def _seed(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MOST_SEED:
        raise ValueError(tr("no seed"))
    return value


def _verdict(value: Any) -> Verdict:
    """A verdict whose values have the types that reports need. Raises ValueError, AttributeError."""
    if value.get("state") not in STATES or any(type(value.get(name, kind())) is not kind for name, kind in _TYPES):
        raise ValueError(tr("no verdict"))
    verdict: Verdict = value
    return verdict
