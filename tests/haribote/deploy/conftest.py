"""These tests build programs."""

from __future__ import annotations

import pytest

from haribote.cpp.build import CompilerMissing, compiler


@pytest.fixture(scope="session", autouse=True)
def needs_a_compiler() -> None:
    """Every test here is skipped where there is no C++ compiler."""
    try:
        compiler()
    except CompilerMissing as error:
        pytest.skip(str(error))
