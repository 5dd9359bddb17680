"""Task 3.1: C++ for Gemm (three loops with the shapes as numbers, in an order that walks along the rows)."""

from __future__ import annotations

from collections.abc import Iterator


def gemm_loops(m: int, n: int, k: int, trans_a: bool, trans_b: bool) -> Iterator[str]:
    """Yield the lines of C++ that compute y = a b, for one product whose shape is known.

    The lines become the body of a C++17 function `void f(const float* a, const float* b, float* y)`; nothing is
    included. All matrices lie row by row: element (i, j) of y [m, n] is `y[i * {n} + j]`. a is [m, k], or [k, m] where
    trans_a is true, so that element (i, p) is `a[p * {m} + i]`; b is [k, n], or [n, k] where trans_b is true. y holds
    rubbish at first; a and b are only read. The three memories do not overlap. Write the sizes into the text as
    numbers, `f"for (int i = 0; i < {m}; ++i) {{"`: then the C++ compiler knows them. Any order of the loops is right;
    the fast ones let the innermost loop walk along a row of y and of b, or of a copy of that row.
    """
    ### BEGIN SOLUTION
    a = f"a[p * {m} + i]" if trans_a else f"a[i * {k} + p]"
    b = f"b[j * {k} + p]" if trans_b else f"b[p * {n} + j]"
    yield f"float row[{n}];"
    yield f"for (int i = 0; i < {m * n}; ++i) y[i] = 0;"
    yield f"for (int p = 0; p < {k}; ++p) {{"
    yield f"    for (int j = 0; j < {n}; ++j) row[j] = {b};"
    yield f"    for (int i = 0; i < {m}; ++i) {{"
    yield f"        const float factor = {a};"
    yield f"        for (int j = 0; j < {n}; ++j) y[i * {n} + j] += factor * row[j];"
    yield "    }"
    yield "}"
    ### END SOLUTION
