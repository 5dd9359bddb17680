"""What a cut costs: cycles of the chip, measured microseconds of the host, and an assumed link between them."""

from __future__ import annotations

from simulator.messages import Text

CLOCK = 0.75
"""Cycles per nanosecond: derived from published peak rates, see section 13 of docs/isa.md."""
LINK_LATENCY, LINK_RATE = 10.0, 16e3
"""Microseconds before a transfer between host and chip begins, and bytes per microsecond. Both are assumptions, of the
order of PCI Express 4.0 with eight lanes: the published facts say nothing of the link.
"""


def chip_microseconds(cycles: float) -> float:
    """Time of the chip for its serial cycles."""
    return cycles / CLOCK / 1000


def link_microseconds(size: int, hops: int = 1) -> float:
    """Time of one value of `size` bytes that crosses the link `hops` times."""
    return hops * (LINK_LATENCY + size / LINK_RATE)


ASSUMED = Text(
    "assumed: {value:.0f} MHz, serial cycles; {link_latency:g} us and {value2:g} GB/s per transfer "
    "between host and chip; host pieces are measured here",
    {"value": 1000 * CLOCK, "link_latency": LINK_LATENCY, "value2": LINK_RATE / 1000},
)
"""What the figures rest on."""
