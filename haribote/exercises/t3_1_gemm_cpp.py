"""Task 3.1: C++ for Gemm.

It is taught in notebooks/03_fusion/01_where_time_goes, section 5.
Check it with `grader check 3.1`; if you are stuck, `grader hint 3.1`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def gemm_loops(m: int, n: int, k: int, trans_a: bool, trans_b: bool) -> Iterator[str]:
    """Yield the lines of C++ that compute y = a b, for one product whose shape is known.

    The lines become the body of a C++17 function `void f(const float* a, const float* b, float* y)`; nothing is
    included. All matrices lie row by row: element (i, j) of y [m, n] is `y[i * {n} + j]`. a is [m, k], or [k, m] where
    trans_a is true, so that element (i, p) is `a[p * {m} + i]`; b is [k, n], or [n, k] where trans_b is true. y holds
    rubbish at first; a and b are only read. The three memories do not overlap. Write the sizes into the text as
    numbers, `f"for (int i = 0; i < {m}; ++i) {{"`: then the C++ compiler knows them. Any order of the loops is right;
    the fast ones let the innermost loop walk along a row of y and of b, or of a copy of that row.
    """
    # TODO: about 11 lines.
    raise NotWritten("task 3.1 (C++ for Gemm) is not written yet; check it with `grader check 3.1`")
