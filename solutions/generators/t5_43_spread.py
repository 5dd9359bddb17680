"""Task 5.43: what is smaller than the result (for every word of the result the word that goes with it)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haribote.errors import UnsupportedShape
from haribote.layout import Layout


def spread(small: Layout, large: Layout, axis: int) -> list[int]:
    """For every word that a PE holds of a matrix, the word of a vector that goes with it.

    small: the layout of the vector, [n]. large: that of the matrix, whose axis 0 (a number for each row) or 1 (a number
    for each column) has the vector's n elements. The list has `large.words` entries; 0 for a word of nothing.

    Raises:
        UnsupportedShape: an element of the vector is in another L2B, L1B, MAB or PE than one of the matrix that needs
            it. A level that the vector's layout does not name holds copies, so that it is everywhere. Or two PEs would
            need different words of the vector at the same word of the matrix: they execute the same instruction.
    """
    widen = [-1 if number == axis else 1 for number in range(2)]  # as a row, or as a column
    for level in ("L2B", "L1B", "MAB", "PE"):
        if small.names(level) and (small.position(level).reshape(widen) != large.position(level)).any():
            raise UnsupportedShape(f"a vector in the {level} where it is needed", str(small), "a layout with copies")
    words = np.broadcast_to(word_of(small).reshape(widen), large.shape)  # of the vector, for each element
    found = np.zeros(large.words, np.int64)
    ### BEGIN HOLE
    found[word_of(large)] = words
    if (found[word_of(large)] != words).any():
        raise UnsupportedShape("the same word in all PEs", str(small), "a vector that lies as the matrix does")
    ### END HOLE
    return [int(word) for word in found]


def word_of(layout: Layout) -> NDArray[np.int64]:
    """The word of its PE at which each element lies, of the tensor's shape: 2 * its long word + its W."""
    ### BEGIN HOLE
    return 2 * layout.position("") + layout.position("W")
    ### END HOLE
