"""The likely causes that the feedback can name; `grader/selftest/mistakes.py` has a mistake for each."""

from __future__ import annotations

from simulator.messages import Text

NEVER_WRITTEN = Text("never written")
STALE = Text("stale value")
READS_TOO_EARLY = Text("reads too early")
HARD_CODED = Text("hard-coded address")
STRAY = Text("writes outside its output")
WRONG_COPIES = Text("wrong copies")
REFUSED = Text("refused")
PRECISION = Text("wrong precision")

# Right values in the wrong place.
WRONG_ROWS = Text("wrong rows")
WRONG_COLUMNS = Text("wrong columns")
WRONG_PLACE = Text("wrong place")
OFF_BY_ONE = Text("off by one unit")
TRANSPOSED = Text("transposed")

# Right for some inputs only.
NEGATIVE = Text("wrong for negative input")
ZERO = Text("wrong for zero")
LARGE = Text("wrong for large input")
LABELS = Text("wrong for labels outside")

# Another result in every element, or in a part of them.
SWAPPED = Text("operands swapped")
SIGN = Text("wrong sign")
FACTOR = Text("wrong factor")
OPERATION = Text("another operation")
NOT_USED = Text("operand not used")
MASK = Text("mask the other way round")
ONE_VALUE = Text("the same value everywhere")

# Other inputs than the meaning asks for.
MISPAIRED = Text("mispaired operands")
WRONG_INPUTS = Text("wrong elements read")
LEFT_OUT = Text("part left out")
TWICE = Text("counted twice")
ARITHMETIC = Text("wrong arithmetic")

CAUSES = tuple(value for name, value in list(globals().items()) if name.isupper())
