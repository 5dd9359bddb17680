"""Reading and writing files for the commands, with errors a user can act on."""

from __future__ import annotations

import os
from pathlib import Path

from simulator.errors import SimulatorError


def read(path: Path) -> str:
    """The text of a file. Raises SimulatorError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SimulatorError(f"{path} is not a text file\n    try: a .vsm file in UTF-8") from None
    except OSError as error:
        raise SimulatorError(f"cannot read {path}: {error.strerror}\n    try: check the path") from None


def write(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all. Raises SimulatorError where that fails."""
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        try:
            temporary.write_bytes(data)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        message = f"cannot write {path}: {error.strerror}\n    try: another folder, or free some space"
        raise SimulatorError(message) from None
