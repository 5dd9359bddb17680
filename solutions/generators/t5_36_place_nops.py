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
        ### BEGIN HOLE
        in_cycle = self.cycles.get((place, address), 0)
        return max(self.steps.get(place, 0), -(-(in_cycle - cycle) // 4))
        ### END HOLE

    def write(self, place: str, address: int, cycle: int, step: int) -> None:
        """Note that this address is written in this cycle of this step. The table of waits is in docs/isa.md.

        LM ("m", "n"): two steps between, whatever the address. T: one step between. GRF ("r", "s"): six free cycles
        between, for the same address. "PE to L1BM": two steps until "L1BM to PE", whatever the address, and ten free
        cycles until "L1BM to L2BM" reads the same address. "L2BM to L1BM": until "L1BM to PE" reads the same address, a
        step between and six free cycles. "L1BM to L2BM": three steps until "L2BM to L1BM".
        """
        now = 4 * step + cycle
        ### BEGIN HOLE
        if place in ("m", "n"):
            self.steps[place] = step + 3
        elif place == "t":
            self.steps[place] = step + 2
        elif place in ("r", "s"):
            self.cycles[place, address] = now + 7
        elif place == "PE to L1BM":
            self.steps["L1BM to PE"] = step + 3
            self.cycles["L1BM to L2BM", address] = now + 11
        elif place == "L2BM to L1BM":
            self.cycles["L1BM to PE", address] = max(now + 7, 4 * (step + 2))
        else:
            self.steps["L2BM to L1BM"] = step + 4
        ### END HOLE


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
        ### BEGIN HOLE
        first = max([step, *(clock.read(*access) for access in reads)])
        if first > step:
            yield f"nop/{first - step}"
        for access in writes:
            clock.write(*access, first)
        step = first + 1
        yield line
        ### END HOLE
