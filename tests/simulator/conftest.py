"""Makes the helpers of these tests importable from each of their folders."""

from __future__ import annotations

import sys
from pathlib import Path

for folder in ("execute", "numbers"):
    sys.path.append(str(Path(__file__).parent / folder))
