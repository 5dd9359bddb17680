"""Moves between all ordered pairs of layouts of the same tensor: what the search finds, beside kernels and bounds.

    python -m benchmarks.moves [WORD …] [--check] [--unkept]

Only pairs in which one name contains one of the words, if there are any. `how` is the search, or the last resort where
it finds nothing; cycles are serial (isa.md, section 13); `by hand` is the reference kernel (DL or UL); `bound` is what
no path can be below; `search` is the processor time of the first search, `kept` that of one which finds the path in the
cache. --check runs every move on random words and compares every copy; --unkept starts with an empty cache.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time

from haribote.kernel_table import BY_TRANSFER, problem
from haribote.problems.problem import emit
from haribote.stack.bounds import lower_bound
from haribote.stack.collection import collection, pairs
from haribote.stack.maps import BitMap
from haribote.stack.moves import Move, move
from haribote.stack.paths import forget, paths
from haribote.stack.places import NoRoom, Place, Room
from haribote.stack.verify import failure
from simulator import assemble
from simulator.cache import VARIABLE
from simulator.isa.cost import Cost, cost_of

ROOM = Room({**Room().free, "DRAM": (1 << 16, 1 << 20)})
"""What a kernel may use, and some DRAM."""


def by_hand(before: str, after: str) -> Cost | None:
    """The cost of the reference kernel that does a move."""
    row = BY_TRANSFER.get(("DL", after)) if before.endswith(".dram") else BY_TRANSFER.get(("UL", before))
    if row is None or not (before.endswith(".dram") or after.endswith(".dram")):
        return None
    return cost_of(assemble(emit(row, problem(row), solutions=True)))


def place(found: BitMap, bank: str, address: int) -> Place:
    """Where a tensor is: in a bank, or in DRAM."""
    return Place("DRAM", address, found) if found.memory == "DRAM" else Place(bank, 0, found)


def measured(source: Place, target: Place) -> tuple[Move, float, float]:
    """A move, and the processor time of its search and of one that finds the path in the cache."""
    began = time.process_time()
    found = move(source, target, ROOM)
    middle = time.process_time()
    forget()
    paths(source.map, target.map, frozenset(("LM", "L1BM", "L2BM", "PDM", "DRAM")))
    return found, middle - began, time.process_time() - middle


def main() -> int:
    """Print the table; 1 if a move is wrong or cannot be done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--check", action="store_true", help="run every move")
    parser.add_argument("--unkept", action="store_true", help="start with an empty cache")
    options = parser.parse_args()
    if options.unkept:
        os.environ[VARIABLE] = tempfile.mkdtemp(prefix="haribote-moves-")
    layouts, wrong, resorts, count = collection(), 0, 0, 0
    print(f"{'from':<19}{'to':<19}{'how':<8}{'steps':>6}{'MV':>6}{'MV words':>9}{'cycles':>9}{'by hand':>9}{'bound':>8}"
          f"{'search':>8}{'kept':>8}   hops")  # fmt: skip
    for before, after in pairs():
        if options.words and not any(word in name for word in options.words for name in (before, after)):
            continue
        count += 1
        source, target = place(layouts[before], "LM0", 0), place(layouts[after], "LM1", 4096)
        try:
            found, first, kept = measured(source, target)
        except NoRoom as error:
            print(f"{before:<19}{after:<19}{error.message}")
            wrong += 1
            continue
        cost, hand = found.cost, by_hand(before, after)
        resorts += found.resort
        print(
            f"{before:<19}{after:<19}{'resort' if found.resort else 'found':<8}{cost.steps:>6}{cost.moves:>6}"
            f"{cost.move_words:>9}{cost.cycles:>9.0f}{hand.cycles if hand else '-':>9}"
            f"{lower_bound(source.map, target.map):>8.0f}{first:>8.2f}{kept:>8.3f}   {', '.join(found.ways)}",
            flush=True,
        )  # fmt: skip
        if options.check and (problem_found := failure(found)):
            print(f"    WRONG: {problem_found}")
            wrong += 1
    print(f"{count} pairs of {len(layouts)} layouts: {count - resorts - wrong} found, {resorts} by the last resort")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
