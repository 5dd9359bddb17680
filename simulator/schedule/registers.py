"""Words of GRF and LM taken in turn: a value moves to words where nothing has been for longest.

Only with a word on what must be right at the end (`keep`): then all other words are free as soon as nothing reads them
any more. A value and all that is written or read together with it is a web. Webs that read what the program found or
that are kept stay where they are; so does everything in a bank with addresses that the text does not tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.isa import CYCLE_MASKS
from simulator.isa import program as p
from simulator.isa.words import pe_spans
from simulator.rules.accesses import ends, unmasked
from simulator.schedule.keep import Kept
from simulator.schedule.nodes import Node, steps_of

BANKS = ("grf0", "grf1", "lm0", "lm1")
BLOCK = 4
"""Words of a block: addresses are moved by whole blocks, so that every length of operand stays aligned."""


@dataclass(frozen=True, eq=False, slots=True)
class Use:
    """An operand. time: two for every step, reads before writes. whole: it writes all of its words in every PE."""

    node: Node
    operand: int
    time: int
    written: bool
    whole: bool
    words: frozenset[int]


@dataclass(eq=False, slots=True)
class Web:
    """Uses of the same values. begin, end: from when to when its words are taken."""

    uses: list[Use] = field(default_factory=list)
    begin: int = 0
    end: int = 0
    fixed: bool = False

    @property
    def blocks(self) -> range:
        """From the first block to the last one."""
        words = [word for use in self.uses for word in use.words]
        return range(min(words) // BLOCK, max(words) // BLOCK + 1)


def moved_words(nodes: Sequence[Node], kept: Kept) -> dict[tuple[Node, int], int]:
    """By how much the addresses of operands grow."""
    found: dict[tuple[Node, int], int] = {}
    if any(node.instruction is None and not isinstance(node.line, p.Move) for node in nodes):
        return found  # a debug statement may show any word
    for bank in BANKS:
        uses = _uses(nodes, bank)
        if uses:
            found |= dict(_moved(webs_of(uses, bank, kept), bank, kept, uses[-1].time + 1))
    return found


# --- uses and webs ---------------------------------------------------------------------------------------------------


def _uses(nodes: Sequence[Node], bank: str) -> list[Use]:
    """All uses of a bank in order; none where some of them may be anywhere."""
    found: list[Use] = []
    for number, step in enumerate(steps_of(nodes)):
        here: list[Use] = []
        for node in step:
            if node.instruction is None:
                continue
            for place, end in enumerate(ends(node.instruction)):
                operand = end.operand
                if isinstance(operand, p.BaseAddress) and operand.bank == bank:
                    return []
                if isinstance(operand, p.PeMemory) and operand.bank == bank:
                    if operand.indirect or max(operand.addresses) + 2 * operand.words > isa.BANK_WORDS[bank]:
                        return []
                    here.append(_use(node, place, number, end, operand))
        found += sorted(here, key=lambda use: use.time)
    return found


def _use(node: Node, place: int, step: int, end: p.Source | p.Destination, operand: p.PeMemory) -> Use:
    written = isinstance(end, p.Destination)
    mask = end.mask if isinstance(end, p.Destination) else None
    spans, whole = pe_spans(operand), operand.j is None
    if mask is not None and mask.entry >= CYCLE_MASKS and operand.words <= max(mask.words, 2):
        spans = unmasked(spans, mask.entry)
    elif mask is not None and mask.entry:
        whole = False  # by an entry that is written, or of a long operand the first long word only
    words = (word for cycle in spans for first, stop in cycle for word in range(first, stop))
    return Use(node, place, 2 * step + written, written, written and whole, frozenset(words))


def webs_of(uses: Sequence[Use], bank: str, kept: Kept) -> list[Web]:
    """The webs of a bank, in the order of their first uses."""
    webs: dict[Use, Web] = {}
    holds: dict[int, Use] = {}

    def join(first: Use, second: Use) -> None:
        one, other = webs[first], webs[second]
        if one is other:
            return
        if len(one.uses) < len(other.uses):
            one, other = other, one
        one.uses += other.uses
        one.begin, one.end = min(one.begin, other.begin), max(one.end, other.end)
        one.fixed |= other.fixed
        for use in other.uses:
            webs[use] = one

    before: Use | None = None
    for use in uses:
        webs[use] = Web([use], use.time, use.time)
        if before is not None and bank in ("lm0", "lm1") and before.time // 2 == use.time // 2:
            join(before, use)  # LM has one address in a step, for reading and writing
        before = use
        for word in use.words:
            if not use.whole:
                if word in holds:
                    join(holds[word], use)
                else:  # what the program found
                    webs[use].fixed, webs[use].begin = True, 0
        if use.written:
            holds |= dict.fromkeys(use.words, use)
    for word, use in holds.items():
        if kept.any(bank, word, word + 1):
            webs[use].fixed, webs[use].end = True, uses[-1].time
    return list(dict.fromkeys(webs[use] for use in uses))


# --- places ----------------------------------------------------------------------------------------------------------


def _moved(webs: Sequence[Web], bank: str, kept: Kept, times: int) -> Iterator[tuple[tuple[Node, int], int]]:
    taken = np.zeros((isa.BANK_WORDS[bank] // BLOCK, times), np.int16)
    for words in kept.untouched(bank):
        taken[words.start // BLOCK : -(-words.stop // BLOCK)] = 1
    for web in webs:
        taken[web.blocks.start : web.blocks.stop, web.begin : web.end + 1] += 1
    last_used = np.full(len(taken), -1)
    for web in sorted(webs, key=lambda web: web.begin):
        blocks = web.blocks
        place = blocks.start
        if not web.fixed:
            here = taken[:, web.begin : web.end + 1]
            here[blocks.start : blocks.stop] -= 1
            place = _free(here, last_used, len(blocks), place)
            here[place : place + len(blocks)] += 1
        last_used[place : place + len(blocks)] = np.maximum(last_used[place : place + len(blocks)], web.end)
        if place != blocks.start:
            yield from (((use.node, use.operand), BLOCK * (place - blocks.start)) for use in web.uses)


def _free(taken: NDArray[np.int16], last_used: NDArray[np.int64], length: int, place: int) -> int:
    """The first block of as many free ones where nothing has been for longest; `place` where there are none."""
    sliding = np.lib.stride_tricks.sliding_window_view
    free = sliding(taken.max(axis=1), length).max(axis=1) == 0
    since = np.where(free, sliding(last_used, length).max(axis=1), np.iinfo(np.int64).max)
    chosen = int(since.argmin())
    return chosen if free[chosen] and since[chosen] < since[place] else place
