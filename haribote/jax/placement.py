"""What runs where: values of types that the chip has not are computed by the host, between graphs of the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from haribote.jax.flat.values import Loop, Operation, Ref

HOST_TYPES = frozenset(map(np.dtype, (np.float64, np.uint64)))
"""Types of 64 bits, as `jax_enable_x64` brings them; int64 is 32 bits on the chip."""

Part = list[Operation] | Loop


def device_of(operation: Operation) -> str:
    """`chip`, or `host` for types that it has not."""
    types = {value.dtype for value in (*operation.inputs, *operation.outputs)}
    return "chip" if HOST_TYPES.isdisjoint(types) else "host"


def parts(items: Sequence[Operation | Loop], device: str) -> list[tuple[Part, str]]:
    """The program in parts, each on a device: graphs as large as the order of values allows, and loops.

    Every part takes all operations of its device that read nothing which a later part makes.
    """
    found: list[tuple[Part, str]] = []
    rest = list(items)
    while rest:
        first = rest[0]
        if isinstance(first, Loop):
            found.append((first, device))
            rest = rest[1:]
            continue
        where = device_of(first) if device == "chip" else device
        taken: list[Operation] = []
        left: list[Operation | Loop] = []
        later: set[Ref] = set()
        for item in rest:
            ready = later.isdisjoint(value for value in item.inputs if isinstance(value, Ref))
            if ready and isinstance(item, Operation) and (device != "chip" or device_of(item) == where):
                taken.append(item)
            else:
                left.append(item)
                later.update(item.outputs)
        found.append((taken, where))
        rest = left
    return found
