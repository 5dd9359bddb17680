"""A form of an instruction: its operands in order, and what goes where between memories of different levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

At = Literal["", "mab", "l1b", "set", "indirect"]
STEP_CYCLES = 4


@dataclass(frozen=True, slots=True)
class Form:
    """One order of operands. l2bm, l1bm: long words per cycle on that side, which the address is a multiple of
    (except for l1bmp, whose alignment is only what is usual).

    l1bm counts one long word per PE (`$lb`); `$llb` doubles it. at: what `@` selects: "mab" (one of `units`, required),
    "l1b" (one L1B, required), "set" (L1Bs, may be left out) or "indirect" (as set, required, never all: `l2bmi`).
    formula: which word goes where (see `simulator.isa.formulas`), "" where the words stay in their PE.
    """

    sources: tuple[str, ...] = ()
    destination: str = ""
    formula: str = ""
    at: At = ""
    units: int = 0
    l2bm: int = 0
    l1bm: int = 0

    @property
    def to_pes(self) -> bool:
        """True for transfers from the L1BM to the PEs."""
        return self.sources[:1] in (("lb",), ("block",))

    @property
    def from_pes(self) -> bool:
        """True for transfers from the PEs to the L1BM, which the turnaround register keeps."""
        return self.destination == "lb"

    def traffic(self, wide: int = 1) -> tuple[int, int, int]:
        """Long words per step on the L2BM, L1BM and PE side; wide = 2 for `$llb` (isa.md, section 13)."""
        per_pe = wide if self.to_pes or self.from_pes else 0
        return self.l2bm * STEP_CYCLES, self.l1bm * wide * STEP_CYCLES, per_pe * STEP_CYCLES


def form(signature: str, formula: str = "", at: At = "", units: int = 0, l2bm: int = 0, l1bm: int = 0) -> Form:
    """A form from `source source -> destination`."""
    sources, _, destination = signature.partition("->")
    return Form(tuple(sources.split()), destination.strip(), formula, at, units, l2bm, l1bm)
