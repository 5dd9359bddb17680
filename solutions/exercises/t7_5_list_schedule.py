"""Task 7.5: a list scheduler (what is most urgent first, each as early as it fits)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haribote.speed.scheduler import Table


def list_schedule(before: Sequence[Mapping[int, int]], priority: Sequence[int], table: Table) -> list[int]:
    """The step at which each job begins, from 0 on; jobs are numbered from 0 to len(before) - 1.

    before[k] are the jobs that k depends on: `{other: least}`, where k begins at least `least` steps after `other`
    begins. Place one job after another. Of those that are not placed yet, but whose predecessors all are, take the one
    with the greatest `priority` (of equals the one with the smallest number), and let it begin at the earliest step
    that `before` allows and at which it fits. `table.fits(job, step)` says whether it fits beside those that are placed
    (its units are free there, and no wait is violated); `table.place(job, step)` places it, once for each job. There is
    always a step at which it fits.
    """
    ### BEGIN SOLUTION
    starts: dict[int, int] = {}
    while len(starts) < len(before):
        placed = starts.keys()
        ready = [job for job in range(len(before)) if job not in placed and before[job].keys() <= placed]
        job = max(ready, key=lambda job: priority[job])
        step = max([0, *(starts[other] + least for other, least in before[job].items())])
        while not table.fits(job, step):
            step += 1
        table.place(job, step)
        starts[job] = step
    return [starts[job] for job in range(len(before))]
    ### END SOLUTION
