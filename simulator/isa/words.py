"""Which words an operand names, in any cycle and PE: the one place that knows (isa.md, sections 1 and 5.1).

Addresses past the end of a memory wrap around. PE memories are counted in words, all others in long words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.isa.forms import Form
from simulator.isa.formulas import parse
from simulator.isa.program import L1bm, L2bm, PeMemory
from simulator.isa.transfers import Transfer

Span = tuple[int, int]
"""Addresses from the first up to, but not including, the second."""
Spans = tuple[tuple[Span, ...], ...]
"""The addresses touched in each of the four cycles."""
Number = TypeVar("Number", int, NDArray[np.intp])

BEYOND_J = isa.PES_PER_MAB
"""Stands for a PE that no `j` moves on."""

# --- memories of the PEs ---------------------------------------------------------------------------------------------


def start_of(operand: PeMemory, address: Number, pe: Number, moved: Number) -> Number:
    """The first word that an operand names; it has `operand.words`, and the memory does not end within them.

    address: that of the cycle, in words. pe: number of the PE in its MAB. moved: base address register plus T.
    All three may be arrays.
    """
    further = 0 if operand.j is None else operand.words * (pe <= operand.j)
    return (address + moved + further) % isa.BANK_WORDS[operand.bank] & -operand.words


def words_of(operand: PeMemory, cycle: int, pe: int, moved: int = 0) -> range:
    """The words that an operand names in one cycle in one PE. pe, moved: as in `start_of`."""
    start = start_of(operand, operand.addresses[cycle], pe, moved)
    return range(start, start + operand.words)


@lru_cache(maxsize=1 << 14)
def pe_spans(operand: PeMemory) -> Spans:
    """The words that an operand names in some PE, as far as the text tells: without T and base address registers."""
    pes = range(isa.PES_PER_MAB) if operand.j is not None else (BEYOND_J,)
    cycles = ([words_of(operand, cycle, pe) for pe in pes] for cycle in range(isa.STEP_CYCLES))
    return tuple(tuple(sorted({(words.start, words.stop) for words in found})) for found in cycles)


# --- memories above the PEs ------------------------------------------------------------------------------------------


def block_spans(form: Form, operand: L1bm | L2bm, written: bool) -> Spans:
    """The long words of an L1BM or L2BM that a transfer reads or writes there, meaningful or not.

    written: `operand` is the destination, else the source.
    """
    if isinstance(operand, L1bm):
        return _moved(_block(form, operand.words // 2, written), operand.address, isa.L1BM_LONGS)
    return _moved(_block(form, 1, written), operand.address, isa.L2BM_LONGS)


_ZEROS = {"mab": {"k": 0}, "indirect": {"i": 0}, "l1b": {"b": 0}}


@lru_cache(maxsize=1 << 8)
def _block(form: Form, wide: int, written: bool) -> Spans:
    """The same for address 0. All units touch the same addresses, so it does not matter which are chosen."""
    transfer = Transfer(parse(form.formula), {"A": 0, "B": 0, "W": wide, "n": 0, **_ZEROS.get(form.at, {})})
    ends = (transfer.points(cycle)[0 if written else 1] for cycle in range(isa.STEP_CYCLES))
    return tuple(runs_of(points[:, -1]) for points in ends)


def runs_of(addresses: NDArray[np.int64]) -> tuple[Span, ...]:
    """Addresses as spans, in order."""
    found = np.unique(addresses)
    runs = np.split(found, np.flatnonzero(np.diff(found) != 1) + 1)
    return tuple((int(run[0]), int(run[-1]) + 1) for run in runs if len(run))


@lru_cache(maxsize=1 << 14)
def _moved(spans: Spans, by: int, size: int) -> Spans:
    """Spans from an address on; what goes past the end of the memory begins again at its start."""
    return tuple(tuple(part for a, b in cycle for part in _wrapped(a + by, b + by, size)) for cycle in spans)


def stretch(address: int, count: int, size: int) -> tuple[Span, ...]:
    """`count` addresses of a memory of this size, from one on."""
    return ((0, size),) if count >= size else _wrapped(address % size, address % size + count, size)


def _wrapped(first: int, last: int, size: int) -> tuple[Span, ...]:
    if last <= size:
        return ((first, last),)
    return ((first - size, last - size),) if first >= size else ((first, size), (0, last - size))
