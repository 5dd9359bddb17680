"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared_folder() -> Path:
    """The folder with the goldens and MNIST: HARIBOTE_SHARED, or `shared` beside the project."""
    return Path(os.environ.get("HARIBOTE_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared folder; the test is skipped where it is absent."""
    folder = shared_folder()
    if not folder.is_dir():
        pytest.skip(f"needs the shared folder ({folder}); set HARIBOTE_SHARED to where it is")
    return folder
