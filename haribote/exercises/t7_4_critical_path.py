"""Task 7.4: the critical path.

It is taught in notebooks/07_speed/02_the_scheduler, section 3.
Check it with `grader check 7.4`; if you are stuck, `grader hint 7.4`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haribote.errors import NotWritten


def critical_path(order: Sequence[int], lengths: Sequence[int], after: Sequence[Mapping[int, int]]) -> list[int]:
    """For each job: how many steps lie between its start and the end of the program, even if units were free always.

    Jobs are numbered from 0. Job k takes lengths[k] steps. after[k] are the jobs that depend on it: `{other: least}`,
    where `other` starts at least `least` steps after k starts (which may be fewer than job k takes, and 0 or less too).
    `order` has all jobs, each of them before those that depend on it. A job on which nothing depends needs its own
    steps; another one needs its own, or what the longest chain of jobs after it needs, whichever is more.
    """
    # TODO: about 5 lines.
    raise NotWritten("task 7.4 (the critical path) is not written yet; check it with `grader check 7.4`")
