"""The likely causes that the feedback can name; `grader/mistakes.py` has a mistake for each."""

from __future__ import annotations

NEVER_WRITTEN = "never written"
STALE = "stale value"
READS_TOO_EARLY = "reads too early"
HARD_CODED = "hard-coded address"
WRONG_ROWS = "wrong rows"
OFF_BY_ONE = "off by one unit"
PRECISION = "wrong precision"
NEGATIVE = "wrong for negative input"
WRONG_COPIES = "wrong copies"
STRAY = "writes outside its output"
REFUSED = "refused"

CAUSES = tuple(value for name, value in list(globals().items()) if name.isupper())
