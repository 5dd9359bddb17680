"""The likely causes that the feedback can name; `grader/selftest/mistakes.py` has a mistake for each."""

from __future__ import annotations

NEVER_WRITTEN = "never written"
STALE = "stale value"
READS_TOO_EARLY = "reads too early"
HARD_CODED = "hard-coded address"
STRAY = "writes outside its output"
WRONG_COPIES = "wrong copies"
REFUSED = "refused"
PRECISION = "wrong precision"

# Right values in the wrong place.
WRONG_ROWS = "wrong rows"
WRONG_COLUMNS = "wrong columns"
WRONG_PLACE = "wrong place"
OFF_BY_ONE = "off by one unit"
TRANSPOSED = "transposed"

# Right for some inputs only.
NEGATIVE = "wrong for negative input"
ZERO = "wrong for zero"
LARGE = "wrong for large input"
LABELS = "wrong for labels outside"

# Another result in every element, or in a part of them.
SWAPPED = "operands swapped"
SIGN = "wrong sign"
FACTOR = "wrong factor"
OPERATION = "another operation"
NOT_USED = "operand not used"
MASK = "mask the other way round"
ONE_VALUE = "the same value everywhere"

# Other inputs than the meaning asks for.
MISPAIRED = "mispaired operands"
WRONG_INPUTS = "wrong elements read"
LEFT_OUT = "part left out"
TWICE = "counted twice"
ARITHMETIC = "wrong arithmetic"

CAUSES = tuple(value for name, value in list(globals().items()) if name.isupper())
