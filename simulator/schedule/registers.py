"""Words of GRF and LM taken in turn: a value moves to words where nothing has been for longest.

Only with a word on what must be right at the end (`keep`): then all other words are free as soon as nothing reads them
any more. A value and all that is written or read together with it is a web. Webs that read what the program found or
that are kept stay where they are; so does everything in a bank with addresses that the text does not tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.isa import program as p
from simulator.isa.words import BEYOND_J, pe_spans, words_of
from simulator.rules.waits import unmasked
from simulator.schedule.keep import Kept
from simulator.schedule.nodes import Node, steps_of
from simulator.schedule.webs import Web, webs_of

LM = ("lm0", "lm1")
BANKS = ("grf0", "grf1", *LM)
BLOCK = 4
"""Words of a block: addresses are moved by whole blocks, so that every length of operand stays aligned."""


@dataclass(frozen=True, eq=False, slots=True)
class BankUse:
    """An operand. time: two for every step, reads before writes. cells: words; whole: the same where it writes all of
    them in every PE, else none. named: cells, and words that the text names only: in cycles that a mask leaves out, and
    where `j3` moves all PEs on.
    """

    node: Node
    operand: int
    time: int
    written: bool
    cells: frozenset[int]
    whole: frozenset[int]
    named: frozenset[int]


def _blocks(web: Web[BankUse]) -> range:
    """From the first block that a web names to the last one: all these addresses must be in the bank."""
    words = [word for use in web.uses for word in use.named]
    return range(min(words) // BLOCK, max(words) // BLOCK + 1)


def moved_words(nodes: Sequence[Node], kept: Kept) -> dict[tuple[Node, int], int]:
    """By how much the addresses of operands grow."""
    found: dict[tuple[Node, int], int] = {}
    if any(node.instruction is None and not isinstance(node.line, p.Move) for node in nodes):
        return found  # a debug statement may show any word
    for bank in BANKS:
        uses = _uses(nodes, bank)
        if uses:
            webs = webs_of(uses, partial(kept.block, bank, 1), _tied if bank in LM else None)
            found |= dict(_moved(webs, bank, kept, uses[-1].time + 1))
    return found


# --- uses and webs ---------------------------------------------------------------------------------------------------


def _uses(nodes: Sequence[Node], bank: str) -> list[BankUse]:
    """All uses of a bank in order; none where some of them may be anywhere."""
    found: list[BankUse] = []
    for number, step in enumerate(steps_of(nodes)):
        here: list[BankUse] = []
        for node in step:
            if node.instruction is None:
                continue
            for place, end in enumerate(node.instruction.ends):
                operand = end.operand
                if isinstance(operand, p.BaseAddress) and operand.bank == bank:
                    return []
                if isinstance(operand, p.PeMemory) and operand.bank == bank:
                    if operand.indirect or max(operand.addresses) + 2 * operand.words > isa.BANK_WORDS[bank]:
                        return []
                    here.append(_use(node, place, number, end, operand))
        found += sorted(here, key=lambda use: use.time)
    return found


def _use(node: Node, place: int, step: int, end: p.Source | p.Destination, operand: p.PeMemory) -> BankUse:
    written = isinstance(end, p.Destination)
    mask = end.mask if isinstance(end, p.Destination) else None
    spans, whole = pe_spans(operand), operand.j is None
    if mask is not None and mask.fixed and operand.words <= max(mask.words, 2):
        spans = unmasked(spans, mask)
    elif mask is not None and mask.entry:
        whole = False  # by an entry that is written, or of a long operand the first long word only
    words = frozenset(word for cycle in spans for first, stop in cycle for word in range(first, stop))
    named = words.union(*(words_of(operand, cycle, BEYOND_J) for cycle in range(isa.STEP_CYCLES)))
    return BankUse(node, place, 2 * step + written, written, words, words if written and whole else frozenset(), named)


def _tied(one: BankUse, other: BankUse) -> bool:
    """LM has one address in a step, for reading and writing."""
    return one.time // 2 == other.time // 2


# --- places ----------------------------------------------------------------------------------------------------------


def _moved(webs: Sequence[Web[BankUse]], bank: str, kept: Kept, times: int) -> Iterator[tuple[tuple[Node, int], int]]:
    taken = np.zeros((isa.BANK_WORDS[bank] // BLOCK, times), np.int16)
    for words in kept.untouched(bank):
        taken[words.start // BLOCK : -(-words.stop // BLOCK)] = 1
    lives = [(_life(web, times), _blocks(web), web) for web in webs]
    for (begin, end), blocks, _ in lives:
        taken[blocks.start : blocks.stop, begin : end + 1] += 1
    last_used = np.full(len(taken), -1)
    for (begin, end), blocks, web in sorted(lives, key=lambda life: life[0][0]):
        place = blocks.start
        if not web.fixed:
            here = taken[:, begin : end + 1]
            here[blocks.start : blocks.stop] -= 1
            place = _free(here, last_used, len(blocks), place)
            here[place : place + len(blocks)] += 1
        last_used[place : place + len(blocks)] = np.maximum(last_used[place : place + len(blocks)], end)
        if place != blocks.start:
            yield from (((use.node, use.operand), BLOCK * (place - blocks.start)) for use in web.uses)


def _life(web: Web[BankUse], times: int) -> tuple[int, int]:
    """From when to when the words of a web are taken."""
    used = [use.time for use in web.uses]
    return 0 if web.first else min(used), times - 1 if web.last else max(used)


def _free(taken: NDArray[np.int16], last_used: NDArray[np.int64], length: int, place: int) -> int:
    """The first block of as many free ones where nothing has been for longest; `place` where there are none."""
    sliding = np.lib.stride_tricks.sliding_window_view
    free = sliding(taken.max(axis=1), length).max(axis=1) == 0
    since = np.where(free, sliding(last_used, length).max(axis=1), np.iinfo(np.int64).max)
    chosen = int(since.argmin())
    return chosen if free[chosen] and since[chosen] < since[place] else place
