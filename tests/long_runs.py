"""Tests that take minutes: nobody runs them by the way."""

from __future__ import annotations

import os

import pytest

LONG = pytest.mark.skipif("HARIBOTE_LONG" not in os.environ, reason="takes minutes; HARIBOTE_LONG=1 runs it")
