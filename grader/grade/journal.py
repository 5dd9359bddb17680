"""The journal of a run: its seed, then one line of JSON per verdict, written once; a killed run goes on from it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.grade.judge import Verdict
from haribote.errors import HariboteError

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two runs apart
    fcntl = None  # type: ignore[assignment]

NAME = "journal.jsonl"


class Journal:
    """The verdicts of a folder, by key. Raises HariboteError where another run writes it, or nobody can write it.

    A line that a killed run has left unfinished is taken off.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a+b")
        except OSError as error:
            raise HariboteError(f"cannot write {self._path}: {error.strerror}", "another folder: -o FOLDER") from error
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                self._file.close()
                raise HariboteError(f"another run writes {self._path}", "wait for it, or take -o FOLDER") from error
        self.verdicts: dict[str, Verdict] = {}
        self.seed: int | None = None
        self._read()

    def keep_seed(self, seed: int) -> None:
        """Write down the seed of the run, from which the next one takes it."""
        if seed != self.seed:
            self._line({"seed": seed})
            self.seed = seed

    def write(self, key: str, verdict: Verdict) -> None:
        """Write a verdict; a key has one."""
        if key in self.verdicts:
            raise ValueError(f"there is a verdict for {key} already")
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
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def _line(self, content: dict[str, Any]) -> None:
        try:
            self._file.write(json.dumps(content).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise HariboteError(f"cannot write {self._path}: {error.strerror}", "then run the same again") from error

    def _read(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        self._file.truncate(whole)
        self._file.seek(0, os.SEEK_END)
        self.verdicts, self.seed = _entries(content[:whole])


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """The verdicts in a journal, by key; none where there is no journal. Nothing is locked or changed."""
    return _entries(path.read_bytes())[0] if path.is_file() else {}


def _entries(content: bytes) -> tuple[dict[str, Verdict], int | None]:
    """The verdicts by key, and the seed that was written last."""
    verdicts: dict[str, Verdict] = {}
    seed = None
    for line in content.splitlines():
        try:
            entry = json.loads(line)
            if type(entry.get("seed")) is int:
                seed = entry["seed"]
                continue
            if entry.get("again"):
                verdicts.pop(entry["key"], None)
            else:
                verdicts[entry["key"]] = entry["verdict"]
        except (ValueError, KeyError, TypeError, AttributeError):  # a damaged line: its task is graded again
            continue
    return verdicts, seed
