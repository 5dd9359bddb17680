"""Write the folder whole or not at all."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from haribote.errors import HariboteError
from simulator.errors import reason_of
from simulator.files import FileError, write_file
from simulator.messages import tr

PAGE, PICTURE, FILM, VIEW = "index.html", "share.png", "share.gif", "view.html"
FILES = (PAGE, PICTURE, FILM, VIEW)


def check_folder(folder: Path) -> None:
    """Raises HariboteError where the folder is a file, or holds what is not from here: it would be lost."""
    if folder.exists() and not folder.is_dir():
        raise HariboteError(tr("{folder} is a file", folder), tr("-o FOLDER, a folder of its own"))
    others = sorted(path.name for path in folder.iterdir() if path.name not in FILES) if folder.is_dir() else []
    if others:
        raise HariboteError(
            tr("{folder} holds other files than a page of `share`: {others}", folder, ", ".join(others[:3])),
            tr("-o FOLDER, a new or empty one"),
        )


def write_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Put these files into the folder, in the place of what it held. Raises as `check_folder` does, and FileError."""
    check_folder(folder)
    target = folder.resolve()
    fresh = target.with_name(f".{uuid.uuid4().hex}.part")
    old = target.with_name(f".{uuid.uuid4().hex}.old")
    try:
        for name, content in contents.items():
            write_file(fresh / name, content)
        if target.exists():
            target.rename(old)
        try:
            fresh.rename(target)
        except OSError:
            with suppress(OSError):
                old.rename(target)
            raise
    except OSError as error:
        raise FileError(
            tr("cannot write {path}: {value}", folder, reason_of(error)), tr("choose a folder that you can write to")
        ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
