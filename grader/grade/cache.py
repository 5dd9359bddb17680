"""Verdicts that are known already: a pure function of the answer's bytes need not be computed twice."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from grader.course import SHORT, verdict_hash
from simulator.cache import cache_folder
from simulator.files import FileError, write_file

_KEPT = 7 * 86400.0  # seconds after which another version's verdicts are removed


class Cache:
    """A folder with one file per verdict, of the version of the course that runs. To lose it only costs time."""

    def __init__(self, root: Path | None = None) -> None:
        root = root or cache_folder() / "grade"
        self._folder = root / f"verdicts-{verdict_hash()[:SHORT]}"
        if not self._folder.is_dir():
            for other in root.glob("verdicts-*"):
                if other.stat().st_mtime < time.time() - _KEPT:
                    shutil.rmtree(other, ignore_errors=True)

    def get(self, *key: object) -> dict[str, Any] | None:
        """What was kept under a key, or None."""
        try:
            kept = json.loads(self._path(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return kept if isinstance(kept, dict) else None

    def put(self, value: dict[str, Any], *key: object) -> None:
        """Keep a value under a key."""
        with suppress(FileError):  # a full disk: then it is computed again
            write_file(self._path(key), json.dumps(value).encode(), durable=False)

    def _path(self, key: tuple[object, ...]) -> Path:
        name = hashlib.sha256("\n".join(map(str, key)).encode()).hexdigest()
        return self._folder / name[:2] / name
