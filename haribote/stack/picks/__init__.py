"""Re-arrangements of elements that are no permutation of index bits: gathers, scatters, and what they are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from haribote.stack import moves
from haribote.stack.code import Code
from haribote.stack.picks import computed, gather
from haribote.stack.picks.gather import Join, PickError
from haribote.stack.places import Place
from simulator.messages import tr

__all__ = ["Join", "PickError", "emit"]


def emit(
    code: Code,
    sources: Sequence[Place],
    targets: Sequence[Place],
    index: NDArray[np.int64] | Sequence[Place],
    fill: float | int = 0.0,
    combine: Join = "",
    padding: bool = False,
    along: Sequence[tuple[int, int]] = (),
) -> None:
    """Adds the lines of target[e] = source[index[e]], flat and row-major; negative indices take `fill`.

    targets: homes of the same map in different banks. index: known (see `gather.emit`), or the homes of a computed
    one (see `computed.emit`), where there is one source and nothing to combine. Raises PickError, NoRoom.
    """
    first, *others = sorted(targets, key=lambda place: place.memory == "LM0")  # which is read all the while
    if isinstance(index, np.ndarray):
        gather.emit(code, sources, first, index, fill, combine, padding)
    elif len(sources) != 1 or combine or padding:
        raise PickError(tr("a computed index picks from one source, without terms"), tr("an index that is known"))
    else:
        computed.emit(code, sources[0], first, index[0], fill, along)
    if others:
        moves.emit(code, first, others, padding=padding)
