"""Task 8.5: a cut (each node in the earliest stretch of its side, behind all that it reads)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def stretches(reads: Mapping[str, Sequence[str]], sides: Mapping[str, str], first: str) -> dict[str, int]:
    """The number of the stretch of each node: the least that is possible.

    A run goes stretch by stretch: 0, 1, 2, ... Stretches with even numbers are of the side `first`, the others of the
    other side. A node must be in a stretch of its own side, and what it reads must be made in an earlier stretch or in
    its own, where nodes run in order. reads: of each node the nodes whose results it reads; the nodes are in an order
    in which each comes behind those that it reads. sides: of each node "chip" or "host"; first: one of the two.
    """
    ### BEGIN SOLUTION
    found: dict[str, int] = {}
    for node, before in reads.items():
        earliest = max((found[other] for other in before), default=0)
        wrong_side = (earliest % 2 == 0) != (sides[node] == first)
        found[node] = earliest + wrong_side
    return found
    ### END SOLUTION
