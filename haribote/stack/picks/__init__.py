"""Re-arrangements of elements that are no permutation of index bits: gathers, and what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.stack import moves
from haribote.stack.code import Code
from haribote.stack.picks import computed, gather
from haribote.stack.picks.gather import PickError
from haribote.stack.places import Place

__all__ = ["PickError", "emit"]


def emit(
    code: Code,
    source: Place,
    targets: Sequence[Place],
    index: NDArray[np.integer[Any]] | Sequence[Place],
    fill: float | int = 0.0,
    padding: bool = False,
) -> None:
    """Adds the lines of target[e] = source[index[e]], flat and row-major; negative indices take `fill`.

    targets: homes of the same map in different banks. index: known (see `gather.emit`), or the homes of a computed
    one (see `computed.emit`), without padding. Raises PickError, NoRoom.
    """
    first, *others = sorted(targets, key=lambda place: place.memory == "LM0")  # which is read all the while
    if isinstance(index, np.ndarray):
        gather.emit(code, source, first, index, fill, padding)
    else:
        assert not padding
        computed.emit(code, source, first, index[0], fill)
    if others:
        moves.emit(code, first, others, padding=padding)
