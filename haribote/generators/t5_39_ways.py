"""Task 5.39: an instruction as an index formula.

It is taught in notebooks/05_mncore_ops/06_the_mover, section 3.
Check it with `grader check 5.39`; if you are stuck, `grader hint 5.39`.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from haribote.errors import NotWritten

Array = NDArray[np.int64]
STEP = {"l2bmb": (64, 64), "l2bmd": (256, 32)}
"""Long words of L2BM and of each L1BM that an instruction moves in a step."""


class Way(NamedTuple):
    """One way between L2BM and the PEs: an instruction for each of the two parts.

    l2bm: lines between L2BM and L1BM. name, length: of the instruction between L1BM and the PEs, "l" or "ll". block:
    long words of L1BM from one step of it to the next. pairs: what is in L1BM, as this instruction hands it out in each
    of its steps: [step, cycle, w, L2B, L1B, MAB, PE].
    """

    l2bm: list[str]
    name: str
    length: str
    block: int
    pairs: Array


def ways(image: Array, up: bool = False, sums: Set[str] = frozenset()) -> Iterator[Way]:
    """All ways between L2BM and the PEs. image: the pair at every address from 0 on in L2BM, [L2B, address].

    Down, L2BM has the image and the PEs get it; up, the PEs must have what `pairs` says, so that L2BM gets the image.
    sums: up, the levels of "MAB" and "L1B" whose units hold summands instead of copies. The results begin at address 0
    of L1BM, and L2BM's at 0; what fills up the last step is -1, nothing.
    """
    for lines, in_l1bm in to_l1bm(image, up, sums):
        for name, length, sizes in handing_out(up, sums):
            yield Way(lines, name, length, int(np.prod(sizes)), handed_out(in_l1bm, sizes))


def to_l1bm(image: Array, up: bool, sums: Set[str]) -> Iterator[tuple[list[str], Array]]:
    """Ways between L2BM and L1BM: the lines, and the pair at every address of L1BM, [L2B, L1B, address]."""
    for kind, (in_l2bm, in_l1bm) in STEP.items():
        if kind == "l2bmd" and "L1B" in sums:
            continue  # it deals different parts to the L1Bs, so it cannot add them up
        padded = filled_up(image, in_l2bm)
        steps = range(padded.shape[1] // in_l2bm)
        if up:
            name = "l2bmd" if kind == "l2bmd" else "l2bmrffadd" if "L1B" in sums else "l2bm@0"
            lines = [f"{name} $lb{step * in_l1bm} $lc{step * in_l2bm}" for step in steps]
        else:
            lines = [f"{kind} $lc{step * in_l2bm} $lb{step * in_l1bm}" for step in steps]
        yield lines, broadcast(padded) if kind == "l2bmb" else dealt(padded)


def filled_up(pairs: Array, block: int) -> Array:
    """[…, address], with -1 behind its end up to a multiple of `block`."""
    missing = -pairs.shape[-1] % block
    return np.pad(pairs, [(0, 0)] * (pairs.ndim - 1) + [(0, missing)], constant_values=-1) if missing else pairs


def broadcast(padded: Array) -> Array:
    """l2bmb: every L1B has the same at the same address. [L2B, address] → [L2B, L1B, address]."""
    # TODO: one line.
    raise NotWritten(
        "task 5.39 (an instruction as an index formula) is not written yet; check it with `grader check 5.39`"
    )


def dealt(padded: Array) -> Array:
    """l2bmd: of every 64 long words of L2BM, L1B b has the 8 from 8b on. [L2B, address] → [L2B, L1B, address]."""
    # TODO: one line.
    raise NotWritten(
        "task 5.39 (an instruction as an index formula) is not written yet; check it with `grader check 5.39`"
    )


def handing_out(up: bool, sums: Set[str]) -> Iterator[tuple[str, str, tuple[int, int, int, int]]]:
    """The instructions between L1BM and the PEs: name, length, and how the address in L1BM is made up.

    Its digits in a step, slowest first, are (cycle, MAB, w, PE). A digit of size 1 means that all have the same.
    `l1bmm`: every MAB the same, in each cycle a long word for each of its PEs, with length "ll" two of them. `l1bmd`:
    each of 16 MABs has four long words of its own in each cycle. `l1bmp`: all PEs have the same long word.
    """
    same = "l1bmrffadd" if "MAB" in sums else "l1bmm@0" if up else "l1bmm"
    yield same, "ll", (4, 1, 2, 4)
    yield same, "l", (4, 1, 1, 4)
    if "MAB" not in sums:
        yield "l1bmd", "l", (4, 16, 1, 4)
    if not up:
        yield "l1bmp", "l", (4, 1, 1, 1)


def handed_out(in_l1bm: Array, sizes: tuple[int, int, int, int]) -> Array:
    """What every PE gets: [L2B, L1B, address], with the sizes of the digits, → [step, cycle, w, L2B, L1B, MAB, PE].

    A MAB or a PE of size 1 becomes 16 or 4 copies: `np.broadcast_to`.
    """
    padded = filled_up(in_l1bm, int(np.prod(sizes)))
    # TODO: about 2 lines.
    raise NotWritten(
        "task 5.39 (an instruction as an index formula) is not written yet; check it with `grader check 5.39`"
    )
