"""What an instruction reads and writes in each cycle, as far as waits between steps depend on it (isa.md, 12.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from simulator import isa
from simulator.isa import CYCLE_MASKS
from simulator.isa.program import (
    BaseAddress,
    Destination,
    Instruction,
    L1bm,
    Location,
    PeMemory,
    Source,
    TRegister,
)
from simulator.isa.words import Spans, block_spans, pe_spans

PE_TO_L1BM, L1BM_TO_PE = "PE to L1BM", "L1BM to PE"
L2BM_TO_L1BM, L1BM_TO_L2BM = "L2BM to L1BM", "L1BM to L2BM"
L2BMI_READ, L2BMI_WRITE = "l2bmi reading L1BM", "l2bmi writing L1BM"
L1BM_READS = frozenset({L1BM_TO_PE, L1BM_TO_L2BM, L2BMI_READ})
L1BM_WRITES = frozenset({PE_TO_L1BM, L2BM_TO_L1BM, L2BMI_WRITE})

_EVERY_T: Spans = tuple(((cycle, cycle + 1),) for cycle in range(isa.STEP_CYCLES))


@dataclass(frozen=True, slots=True)
class Access:
    """One use of a memory. kind: "GRF0 read", "LM1 write", "T read", "LM0 base address write", or a transfer named
    above. simple: a GRF write of the same word in all cycles (imm, zero), or a GRF read that is sent to the L1BM.

    cycles: words for GRF, cycle numbers for T, long words for L1BM; not filled in where only the port counts (LM).
    """

    kind: str
    location: Location
    cycles: Spans = ()
    simple: bool = False


def _unmasked(spans: Spans, destination: Destination) -> Spans:
    """Leave out the cycles that a fixed pattern masks off."""
    mask = destination.mask
    return spans if mask is None or mask.entry < CYCLE_MASKS else unmasked(spans, mask.entry)


def unmasked(spans: Spans, entry: int) -> Spans:
    """The same without the cycles that a fixed pattern of the mask register masks off."""
    pattern = entry - CYCLE_MASKS
    last = isa.STEP_CYCLES - 1
    return tuple(span if pattern >> (last - cycle) & 1 else () for cycle, span in enumerate(spans))


def _indirect(operand: PeMemory, location: Location) -> Iterator[Access]:
    """T indirection reads T."""
    if operand.indirect:
        yield Access("T read", location, _EVERY_T)


def _reads(source: Source, instruction: Instruction) -> Iterator[Access]:
    operand, location = source.operand, source.location
    if isinstance(operand, PeMemory):
        yield from _indirect(operand, location)
        if operand.bank in ("lm0", "lm1"):
            yield Access(f"{operand.bank.upper()} read", location)
        else:
            yield Access(f"{operand.bank.upper()} read", location, pe_spans(operand), instruction.form.from_pes)
    elif isinstance(operand, TRegister):
        yield Access("T read", location, _EVERY_T)
    elif isinstance(operand, L1bm):
        kind = L1BM_TO_PE if instruction.unit == "l1bm" else L1BM_TO_L2BM
        kind = L2BMI_READ if instruction.op == "l2bmi" else kind
        yield Access(kind, location, block_spans(instruction.form, operand, written=False))


def _writes(destination: Destination, instruction: Instruction) -> Iterator[Access]:
    operand, location, mask = destination.operand, destination.location, destination.mask
    if isinstance(operand, PeMemory):
        yield from _indirect(operand, location)
        if operand.bank in ("lm0", "lm1"):
            yield Access(f"{operand.bank.upper()} write", location)
        elif mask is None or not 0 < mask.entry < CYCLE_MASKS:  # what a written entry lets through is not known
            spans = _unmasked(pe_spans(operand), destination)
            yield Access(f"{operand.bank.upper()} write", location, spans, instruction.op in ("imm", "zero"))
    elif isinstance(operand, TRegister):
        yield Access("T write", location, _unmasked(_EVERY_T, destination))
    elif isinstance(operand, BaseAddress):
        yield Access(f"{operand.bank.upper()} base address write", location)
    elif isinstance(operand, L1bm):
        kind = PE_TO_L1BM if instruction.unit == "l1bm" else L2BM_TO_L1BM
        kind = L2BMI_WRITE if instruction.op == "l2bmi" else kind
        yield Access(kind, location, block_spans(instruction.form, operand, written=True))


def ends(instruction: Instruction) -> tuple[Source | Destination, ...]:
    """All operands of an instruction in source order."""
    return (*instruction.sources, *instruction.destinations)


def accesses(instruction: Instruction) -> Iterator[Access]:
    """Every access of an instruction that a rule of section 12 speaks of."""
    for source in instruction.sources:
        yield from _reads(source, instruction)
    for destination in instruction.destinations:
        yield from _writes(destination, instruction)


@lru_cache(maxsize=1 << 14)
def distance(producer: Spans, consumer: Spans) -> int | None:
    """The smallest (read cycle - write cycle) over addresses in both, within one step; None where disjoint."""
    found = [
        read - write
        for write, written in enumerate(producer)
        for read, wanted in enumerate(consumer)
        if any(a < d and c < b for a, b in written for c, d in wanted)
    ]
    return min(found) if found else None
