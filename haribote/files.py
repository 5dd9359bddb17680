"""Writing files so that a reader sees the old content or the new one, never half of it."""

from __future__ import annotations

import errno
import os
import uuid
from pathlib import Path

from haribote.errors import HariboteError


def write_file(path: Path, content: bytes, durable: bool = True) -> None:
    """Write `content` to `path` by way of a temporary file beside it; missing folders are made.

    durable: wait until it is on the disk; not worth it for what can be computed again.

    Raises:
        HariboteError: the disk is full or the folder cannot be written; what was at `path` before is still there.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise _explained(path, len(content), error) from error


def _explained(path: Path, size: int, error: OSError) -> HariboteError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return HariboteError(
            f"cannot write {path}: the disk is full ({size / 1e6:.1f} MB are needed)",
            "free some space, then run the same command again; nothing was lost",
        )
    return HariboteError(f"cannot write {path}: {error.strerror or error}", "choose a folder that you can write to")
