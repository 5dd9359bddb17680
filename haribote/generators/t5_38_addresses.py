"""Task 5.38: one address for all PEs.

It is taught in notebooks/05_mncore_ops/06_the_mover, section 2.
Check it with `grader check 5.38`; if you are stuck, `grader hint 5.38`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haribote.errors import NotWritten

Addresses = list[list[int | None]]
"""For every step and cycle of an instruction the long word of LM; None for a cycle that brings nothing of use."""


def addresses(pairs: NDArray[np.int64], want: NDArray[np.int64]) -> Addresses | None:
    """Where in LM the PEs take what an instruction brings: for every step and cycle the long word, or None for nothing.

    pairs: what it brings to each PE, [step, cycle, w, L2B, L1B, MAB, PE]; w counts the one or two long words that come
    in a cycle and go to neighbouring places. want: what each PE wants, [L2B, L1B, MAB, PE, long word], -1 for nothing,
    and never the same pair twice in a PE.
    All PEs execute one instruction, so all take what comes in a cycle at the same long word, `at`; two of them begin at
    an even one. The PE at [0, 0, 0, 0] decides: `at` is where it wants the first of what comes to it; if it wants that
    nowhere, the cycle is None. Everybody else must want exactly what comes to them there, or nothing there at all.
    The result is None where they do not, where a place would lie behind the end of LM, or where something that the
    deciding PE wants never comes.
    """
    place = {int(pair): at for at, pair in enumerate(want[0, 0, 0, 0]) if pair >= 0}
    found: Addresses = []
    taken: set[int] = set()
    for step in pairs:
        found.append([])
        for cycle in step:
            at = place.get(int(cycle[0, 0, 0, 0, 0]))
            found[-1].append(at)
            if at is None:
                continue
            if not all_agree(cycle, want, at):
                return None
            taken |= {at + w for w in range(len(cycle))}
    return found if taken >= set(place.values()) else None


def all_agree(cycle: NDArray[np.int64], want: NDArray[np.int64], at: int) -> bool:
    """Whether every PE wants what comes to it in this cycle at the long word `at`, or nothing there at all.

    cycle: [w, L2B, L1B, MAB, PE], the pairs that come, one for each long word from `at` on. Two of them begin at an
    even one, and none lies behind the end of LM, which has `want.shape[-1]` long words.
    """
    # TODO: about 7 lines.
    raise NotWritten("task 5.38 (one address for all PEs) is not written yet; check it with `grader check 5.38`")
