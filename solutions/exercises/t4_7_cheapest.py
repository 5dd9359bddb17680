"""Task 4.7: the cheapest plan (the layout of every value, so that work and moves together cost the least)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product


def cheapest(
    reads: Mapping[str, Sequence[str]],
    layouts: Sequence[str],
    fixed: Mapping[str, str],
    work: Mapping[tuple[str, str], float],
    move: Mapping[tuple[str, str, str], float],
) -> dict[str, str]:
    """A plan is a dictionary from every value to the layout in which it is made; return the cheapest of all.

    `reads` says for each value of which other values it is made: {"shifted": ("logits", "max"), …}. `fixed` are the
    layouts that are given, such as {"logits": "A", "end": "A"}; they belong to every plan. All other values of `reads`
    may be in any of the `layouts`. What a plan costs, in cycles, is
        - work[value, layout] for each value of `reads`, in the layout in which it is made;
        - move[value, before, after] for each value that is read: from the layout in which it is made to the layout of
          the value that is made of it. (Both may be the same: then the table says 0.) A value that two others read in
          the same layout moves there once.
    There are few values, so try all plans: `product(layouts, repeat=3)` from itertools gives all rows of three layouts.
    Of several plans that cost the same, any will do.
    """
    ### BEGIN SOLUTION
    free = [value for value in reads if value not in fixed]
    best, least = dict(fixed), float("inf")
    for choice in product(layouts, repeat=len(free)):
        plan = {**fixed, **dict(zip(free, choice, strict=True))}
        moved = {(value, plan[value], plan[reader]) for reader in reads for value in reads[reader]}
        cycles = sum(work[value, plan[value]] for value in reads) + sum(move[each] for each in moved)
        if cycles < least:
            best, least = plan, cycles
    return best
    ### END SOLUTION
