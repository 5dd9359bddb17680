"""Command lines as people type them: made of words by the rules of this system's shell."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

WINDOWS = sys.platform == "win32"


def command_line(*words: str | os.PathLike[str]) -> str:
    """Words as one line that can be copied into a shell, each quoted where it must be."""
    texts = [os.fspath(word) for word in words]
    return subprocess.list2cmdline(texts) if WINDOWS else shlex.join(texts)
