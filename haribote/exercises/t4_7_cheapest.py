"""Task 4.7: the cheapest plan.

It is taught in notebooks/04_memory/07_layout_game, section 5.
Check it with `grader check 4.7`; if you are stuck, `grader hint 4.7`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haribote.errors import NotWritten


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
    # TODO: about 9 lines.
    raise NotWritten("task 4.7 (the cheapest plan) is not written yet; check it with `grader check 4.7`")
