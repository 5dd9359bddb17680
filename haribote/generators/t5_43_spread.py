"""Task 5.43: a vector beside a matrix.

It is taught in notebooks/05_mncore_ops/07_the_emitter, section 3.
Check it with `grader check 5.43`; if you are stuck, `grader hint 5.43`.
"""

from __future__ import annotations

from haribote.errors import NotWritten
from haribote.layout import Layout


def spread(small: Layout, large: Layout, axis: int) -> list[int]:
    """For every word that a PE holds of a matrix, the word of a vector that goes with it.

    small: the layout of the vector, [n]. large: that of the matrix, whose axis 0 (a number for each row) or 1 (a number
    for each column) has the vector's n elements. The word of an element is 2 * its long word + its W, as
    `layout.position("")` and `layout.position("W")` say. The list has `large.words` entries; 0 for a word of nothing.

    Raises:
        UnsupportedShape: an element of the vector is in another L2B, L1B, MAB or PE than one of the matrix that needs
            it. A level that the vector's layout does not name holds copies, so that it is everywhere. Or two PEs would
            need different words of the vector at the same word of the matrix: they execute the same instruction.
    """
    widen = [-1 if number == axis else 1 for number in range(2)]  # as a row, or as a column
    # TODO: about 10 lines.
    raise NotWritten("task 5.43 (a vector beside a matrix) is not written yet; check it with `grader check 5.43`")
