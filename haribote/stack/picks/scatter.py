"""Scatters: the elements of updates go to places in a copy of data."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from haribote.stack.code import Code
from haribote.stack.picks import gather
from haribote.stack.picks.indices import adjoint
from haribote.stack.places import Place
from simulator.messages import tr

Reduction = Literal["none", "add", "mul", "max", "min"]


def emit(
    code: Code,
    data: Place,
    updates: Place,
    target: Place,
    places: NDArray[Any],
    reduction: Reduction = "none",
    integers: bool = False,
) -> None:
    """Adds the lines of target = data with updates[k] at places[k], which are known; flat and row-major.

    reduction: what an update does with what is there; without one, the last wins. Raises PickError for products of
    integers, and NoRoom.
    """
    count = int(np.prod(data.map.shape))
    flat = np.asarray(places, np.int64).ravel()
    own = np.arange(count)
    if reduction == "none":
        own[flat] = count + np.arange(len(flat))
        gather.emit(code, [data, updates], target, own.reshape(data.map.shape))
        return
    terms = adjoint(flat, count)
    terms = np.concatenate([own[None], np.where(terms >= 0, terms + count, -1)])
    gather.emit(code, [data, updates], target, terms.reshape(-1, *data.map.shape), combine=joined(reduction, integers))


def joined(reduction: Reduction, integers: bool) -> gather.Join:
    """What joins terms. Raises PickError where there is no such instruction."""
    if integers and reduction == "mul":
        raise gather.PickError(tr("a scatter cannot multiply integers: there is no such instruction"), "floats")
    names: dict[tuple[str, bool], gather.Join] = {
        ("add", False): "fadd", ("add", True): "iadd", ("mul", False): "fmul",
        ("max", False): "fmax", ("max", True): "imax", ("min", False): "fmin", ("min", True): "imin",
    }  # fmt: skip
    return names[reduction, integers]
