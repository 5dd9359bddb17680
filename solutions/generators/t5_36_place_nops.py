"""Task 5.36: the nop placer (for every place and address the first step, or cycle, at which it may be read)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
        in_cycle = self.cycles.get((place, address), 0)
        return max(self.steps.get(place, 0), -(-(in_cycle - cycle) // 4))

    def write(self, place: str, address: int, cycle: int, step: int) -> None:
        """Note that this address is written in this cycle of this step. The table of waits is in docs/isa.md.

        LM ("m", "n"): two steps lie between a write and a read, whatever the address. GRF ("r", "s"): six cycles,
        for the same address. T ("t"): six cycles too, and since it has a word for each cycle of a step, read in the
        same cycle again, that is always one step. Of L1BM the table is written out here.
        """
        now = 4 * step + cycle  # the number of this cycle, counted from the first step's first one
        if place == "PE to L1BM":  # two steps until "L1BM to PE", ten cycles until "L1BM to L2BM" reads this address
            self.steps["L1BM to PE"] = step + 3
            self.cycles["L1BM to L2BM", address] = now + 11
        elif place == "L2BM to L1BM":  # a step, and six cycles until "L1BM to PE" reads this address
            self.cycles["L1BM to PE", address] = max(now + 7, 4 * (step + 2))
        elif place == "L1BM to L2BM":  # three steps
            self.steps["L2BM to L1BM"] = step + 4
        else:
            ### BEGIN HOLE
            if place in ("m", "n"):
                self.steps[place] = step + 3
            elif place == "t":
                self.steps[place] = step + 2
            else:
                self.cycles[place, address] = now + 7
            ### END HOLE


def place_nops(lines: Iterable[str]) -> Iterator[str]:
    """The lines in their order, with the fewest nops between them with which no line reads too early.

    `nop/3` is three steps of nop. A line of MV or a `mask` statement takes no step and waits for nothing. `accesses` of
    task 5.35 says what each other line reads and writes, `clock.read(*access)` from which step on it may read that.
    `step` is the step of the next line; where the line has to wait, it gets a larger one, behind the nops.
    """
    clock, step = Clock(), 0
    for line in lines:
        if line.startswith(("mv", "mask")):
            yield line
            continue
        reads, writes = accesses(line)
        ### BEGIN HOLE
        first = max([step, *(clock.read(*access) for access in reads)])
        if first > step:
            yield f"nop/{first - step}"
        step = first
        ### END HOLE
        for access in writes:
            clock.write(*access, step)
        step += 1
        yield line
