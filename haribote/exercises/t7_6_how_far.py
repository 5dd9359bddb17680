"""Task 7.6: how far up the tree.

It is taught in notebooks/07_speed/03_layouts_and_moves, section 2.
Check it with `grader check 7.6`; if you are stuck, `grader hint 7.6`.
"""

from __future__ import annotations

from haribote.errors import NotWritten
from haribote.speed.travel import Carried


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
    # TODO: about 5 lines.
    raise NotWritten("task 7.6 (how far up the tree) is not written yet; check it with `grader check 7.6`")
