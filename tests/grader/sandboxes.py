"""The mark of tests that need a sandbox: they skip, and say why, where there is none."""

from __future__ import annotations

import pytest

from grader.sandbox import SandboxMissing, find_sandbox

try:
    find_sandbox()
    MISSING = ""
except SandboxMissing as error:
    MISSING = str(error)

sandboxed = pytest.mark.skipif(bool(MISSING), reason=f"no sandbox here: {MISSING}")
