"""Where compiled functions are kept: `storage.path("/tmp/out") / "train"`."""

from __future__ import annotations

import os
from pathlib import Path

from haribote.errors import HariboteError
from simulator.messages import tr


def path(text: str | os.PathLike[str]) -> Path:
    """A path in the file system; `/` joins. Raises HariboteError for an address of another kind, such as `gs://`."""
    name = os.fspath(text)
    scheme, separator, rest = name.partition("://")
    if separator and scheme != "file":
        raise HariboteError(tr("storage.path: {name!r} is not in the file system", name), tr("a path such as /tmp/out"))
    return Path(rest if separator else name)
