"""Task 7.3: a dependence (a step reads everything before it writes anything)."""

from __future__ import annotations

from haribote.speed.dependence import Access


def steps_apart(first: Access, second: Access) -> int | None:
    """How many steps `second` must come after `first` at least; None where the order of the two does not matter.

    Both are instructions of one program, in which `first` stands before `second`. `first.reads` is a set of words, such
    as `("lm0", 8)`, and `first.writes` another one; so for `second`. The answer is
        1     if `second` has to stand in a later step than `first`,
        0     if it may stand in the same step, but not in an earlier one,
        None  if it may also stand in an earlier step.
    Within a step everything is read before anything is written. That two instructions may not write the same word in
    one step is a rule of the machine. Nops that a memory asks for are not counted here; the product adds them.
    """
    ### BEGIN SOLUTION
    if first.writes & (second.reads | second.writes):
        return 1
    if first.reads & second.writes:
        return 0
    return None
    ### END SOLUTION
