"""Task 7.6: how far up the tree (the highest bit of the place that is crossed decides)."""

from __future__ import annotations

from haribote.speed.travel import LEVELS, WITHIN, Carried


def how_far(before: Carried, after: Carried) -> str:
    """The smallest part of the tree in which all words stay when a tensor goes from one layout to another.

    before["L1B"] says of each bit of the L1B's number what it carries, lowest bit first: a bit of the index, such as
    "i3" or "j0"; "copy", if both units hold the same words; or "-", if only unit 0 holds the tensor. The same for each
    level of LEVELS, which are "group", "L2B", "L1B", "MAB", "PE", from the root down. A bit is crossed if afterwards it
    carries anything else than before; but not if it was a copy, since then both units have all words already.
    If a bit of a level is crossed, words have to go from one unit of this level to another: at best they stay within
    WITHIN[level]. The highest level that is crossed decides. If none is, all words stay in their PEs: "PE". Import
    LEVELS and WITHIN from haribote.speed.travel.
    """
    ### BEGIN SOLUTION
    for level in LEVELS:
        for was, will_be in zip(before[level], after[level], strict=True):
            if was != "copy" and was != will_be:
                return WITHIN[level]
    return "PE"
    ### END SOLUTION
