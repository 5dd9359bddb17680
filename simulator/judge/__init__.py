"""Is an answer right: the judge's rule for a test case, and the first difference of two dumps (isa.md, section 3.2)."""
