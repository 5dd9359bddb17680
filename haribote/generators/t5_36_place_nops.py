"""Task 5.36: the nop placer.

It is taught in notebooks/05_mncore_ops/05_the_nop_placer, section 3.
Check it with `grader check 5.36`; if you are stuck, `grader hint 5.36`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from haribote.errors import NotWritten
from haribote.generators.t5_35_accesses import accesses


class Clock:
    """What has been written so far, as the earliest time at which it may be read.

    steps: by place, the first step. cycles: by place and address, the first cycle; a step is four cycles.
    """

    def __init__(self) -> None:
        self.steps: dict[str, int] = {}
        self.cycles: dict[tuple[str, int], int] = {}

    def read(self, place: str, address: int, cycle: int) -> int:
        """The first step in which this address may be read in this cycle (0 to 3) of the step."""
        # TODO: about 2 lines.
        raise NotWritten("task 5.36 (the nop placer) is not written yet; check it with `grader check 5.36`")

    def write(self, place: str, address: int, cycle: int, step: int) -> None:
        """Note that this address is written in this cycle of this step. The table of waits is in docs/isa.md.

        LM ("m", "n"): two steps between, whatever the address. T: one step between. GRF ("r", "s"): six free cycles
        between, for the same address. "PE to L1BM": two steps until "L1BM to PE", whatever the address, and ten free
        cycles until "L1BM to L2BM" reads the same address. "L2BM to L1BM": until "L1BM to PE" reads the same address, a
        step between and six free cycles. "L1BM to L2BM": three steps until "L2BM to L1BM".
        """
        now = 4 * step + cycle
        # TODO: about 13 lines.
        raise NotWritten("task 5.36 (the nop placer) is not written yet; check it with `grader check 5.36`")


def place_nops(lines: Iterable[str]) -> Iterator[str]:
    """The lines in their order, with the fewest nops between them with which no line reads too early.

    `nop/3` is three steps of nop. A line of MV or a `mask` statement takes no step and waits for nothing. `accesses` of
    task 5.35 says what each other line reads and writes.
    """
    clock, step = Clock(), 0
    for line in lines:
        if line.startswith(("mv", "mask")):
            yield line
            continue
        reads, writes = accesses(line)
        # TODO: about 7 lines.
        raise NotWritten("task 5.36 (the nop placer) is not written yet; check it with `grader check 5.36`")
