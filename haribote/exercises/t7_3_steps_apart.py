"""Task 7.3: a dependence.

It is taught in notebooks/07_speed/02_the_scheduler, section 2.
Check it with `grader check 7.3`; if you are stuck, `grader hint 7.3`.
"""

from __future__ import annotations

from haribote.errors import NotWritten
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
    # TODO: about 5 lines.
    raise NotWritten("task 7.3 (a dependence) is not written yet; check it with `grader check 7.3`")
