"""Moves between all ordered pairs of layouts of the same tensor, beside kernels written by hand.

    python -m benchmarks.moves [WORD …] [--check]

Only pairs in which one name contains one of the words, if there are any. Cycles are serial (isa.md, section 13), those
of the move by itself, what it sets up included and before any scheduler; `by hand` is the reference kernel (DL or UL);
`path` is the processor time that its path took. --check runs every move on random words and compares every copy.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time

from benchmarks.moved import failure
from haribote.kernel_table import BY_TRANSFER, problem
from haribote.problems.problem import emit
from haribote.stack.collection import collection, pairs
from haribote.stack.maps import BitMap
from haribote.stack.moves import alone
from haribote.stack.paths import paths
from haribote.stack.places import NoRoom, Place
from simulator import assemble
from simulator.cache import VARIABLE
from simulator.isa.cost import Cost, cost_of


def by_hand(before: str, after: str) -> Cost | None:
    """The cost of the reference kernel that does a move."""
    row = BY_TRANSFER.get(("DL", after)) if before.endswith(".dram") else BY_TRANSFER.get(("UL", before))
    if row is None or not (before.endswith(".dram") or after.endswith(".dram")):
        return None
    return cost_of(assemble(emit(row, problem(row), solutions=True)))


def place(found: BitMap, bank: str, address: int) -> Place:
    """Where a tensor is: in a bank, or in DRAM."""
    return Place("DRAM", address, found) if found.memory == "DRAM" else Place(bank, 0, found)


def main() -> int:
    """Print the table; 1 if a move is wrong or cannot be done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--check", action="store_true", help="run every move")
    options = parser.parse_args()
    os.environ[VARIABLE] = tempfile.mkdtemp(prefix="haribote-moves-")
    layouts, wrong, count = collection(), 0, 0
    print(f"{'from':<19}{'to':<19}{'steps':>6}{'MV':>6}{'MV words':>9}{'cycles':>9}{'by hand':>9}"
          f"{'path, ms':>9}   hops")  # fmt: skip
    for before, after in pairs():
        if options.words and not any(word in name for word in options.words for name in (before, after)):
            continue
        count += 1
        source, target = place(layouts[before], "LM0", 0), place(layouts[after], "LM1", 4096)
        began = time.process_time()
        path = next(paths(source.map, target.map), ())
        took = 1000 * (time.process_time() - began)
        try:
            found = alone(source, target)
        except NoRoom as error:
            print(f"{before:<19}{after:<19}{error.message}")
            wrong += 1
            continue
        cost, hand = found.cost, by_hand(before, after)
        print(
            f"{before:<19}{after:<19}{cost.steps:>6}{cost.moves:>6}{cost.move_words:>9}{cost.cycles:>9.0f}"
            f"{hand.cycles if hand else '-':>9}{took:>9.1f}   {', '.join(hop.way.name for hop in path)}",
            flush=True,
        )
        if options.check and (problem_found := failure(found)):
            print(f"    WRONG: {problem_found}")
            wrong += 1
    print(f"{count} pairs of {len(layouts)} layouts")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
