"""Task 7.4: the critical path (from the end to the start; the longest way that is left)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def critical_path(order: Sequence[int], lengths: Sequence[int], after: Sequence[Mapping[int, int]]) -> list[int]:
    """For each job: how many steps lie between its start and the end of the program, even if units were free always.

    Jobs are numbered from 0. Job k takes lengths[k] steps. after[k] are the jobs that depend on it: `{other: least}`,
    where `other` starts at least `least` steps after k starts (which may be fewer than job k takes, and 0 or less too).
    `order` has all jobs, each of them before those that depend on it. A job on which nothing depends needs its own
    steps; another one needs its own, or what the longest chain of jobs after it needs, whichever is more.
    """
    ### BEGIN SOLUTION
    found = list(lengths)
    for job in reversed(order):
        for other, least in after[job].items():
            found[job] = max(found[job], least + found[other])
    return found
    ### END SOLUTION
