"""Is an answer right: the judge's rule for a test case, and the first difference of two dumps (isa.md, section 3.2)."""

from simulator.judge.verdict import MARKER, Testcase, Verdict, assemble_answer, judge, read_testcase

__all__ = ["MARKER", "Testcase", "Verdict", "assemble_answer", "judge", "read_testcase"]
