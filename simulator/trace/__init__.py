"""Who wrote a word, and from what: from text and formulas alone, without running the program."""

from simulator.trace.chain import Origin, describe, trace

__all__ = ["Origin", "describe", "trace"]
