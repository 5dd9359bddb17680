"""Builds of these tests need a C++ compiler."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def cache(builds: Path) -> Path:
    """The cache folder; every test here is skipped where there is no C++ compiler."""
    return builds
