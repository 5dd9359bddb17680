"""Tests that take minutes: nobody runs them by the way."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest

LONG = pytest.mark.skipif("HARIBOTE_LONG" not in os.environ, reason="takes minutes; HARIBOTE_LONG=1 runs it")


def long_runs(*values: Any) -> Sequence[Any]:
    """Values of a parameter with which a test is long."""
    return [pytest.param(value, marks=LONG) for value in values]
