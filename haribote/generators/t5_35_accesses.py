"""Task 5.35: what a line touches.

It is taught in notebooks/05_mncore_ops/05_the_nop_placer, section 2.
Check it with `grader check 5.35`; if you are stuck, `grader hint 5.35`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from haribote.errors import NotWritten

Access = tuple[str, int, int]
"""A word that a line reads or writes: (place, address, cycle)."""

OPERAND = re.compile(r"-?\$(ll|l|)(?:(t)|([mnrs])(t?)(?:\[([\d,]+)\]|(\d+)(v?)(\d*)))(?:[/er].*)?")
"""length, T, or else memory, through T, list of addresses or start, v, stride: `fullmatch(operand).groups()`."""
WORDS = {"": 1, "l": 2, "ll": 4}
IN_L1BM = re.compile(r"\$(l?)lb(\d+)")


def accesses(line: str) -> tuple[list[Access], list[Access]]:
    """What a line of assembly reads, and what it writes.

    A place is "m", "n", "r" or "s" (LM0, LM1, GRF0, GRF1; address: of the word), "t" (T; address 0), or a way of L1BM
    (address: of the long word): "PE to L1BM" and "L2BM to L1BM" are written, "L1BM to PE" and "L1BM to L2BM" are read.
    A line may have several instructions, with `;` between them. The first operands of an instruction are read, the
    others written. What is no memory ($aluf, $subpeid, $nowrite, $omr1, $lx0, …) touches nothing that has to wait.
    """
    reads: list[Access] = []
    writes: list[Access] = []
    for instruction in line.split(";"):
        name, *operands = instruction.split()
        for number, operand in enumerate(operands):
            side = writes if number >= inputs(name) else reads
            if "bm" in name and re.match(r"\$l?l[bc]\d", operand):
                side += through_l1bm(name, operand, written=side is writes)
            else:
                side += touched(operand)
    return reads, writes


def touched(operand: str) -> list[Access]:
    """Every word of a PE's memory that an operand touches, in each of the four cycles; nothing for what is no memory.

    `$t`: address 0, once per cycle, whatever its length. `$r8`: word 8 in every cycle. `$lr8v`: long words, one after
    the other: words 8 and 9, then 10 and 11, … `$m8v6`: words 8, 14, 20, 26. `$lln[0,0,8,8]`: words 0 to 3 in cycles 0
    and 1, 8 to 11 in cycles 2 and 3. `$llmt8v`: the address is added to T, so T is touched too.
    A mask behind the operand (`/1000`, `/$imr1`) does not count.
    """
    found = OPERAND.fullmatch(operand)
    if found is None:
        return []
    length, t, memory, through_t, addresses, start, v, stride = found.groups()
    words = WORDS[length]
    places: list[Access] = [("t", 0, cycle) for cycle in range(4)] if t or through_t else []
    if memory is None:
        return places
    # TODO: about 5 lines.
    raise NotWritten("task 5.35 (what a line touches) is not written yet; check it with `grader check 5.35`")


def inputs(name: str) -> int:
    """How many operands of an instruction are read."""
    if name.startswith("zero"):
        return 0
    if re.search(r"imm|passa|bfn|rsqrt|floor|ftoi|not|inc|dec|msl|msr|mwrite|mread|l1bm|l2bm", name):
        return 1
    return 3 if re.match(r".[vm]fma", name) else 2


def through_l1bm(name: str, operand: str, written: bool) -> Iterator[Access]:
    """Every long word of L1BM that a transfer touches; which these are is a table of the instructions."""
    if operand.startswith("$lc"):  # the other end of an l2bm: that L1BM and L2BM are connected is all that counts
        yield ("L1BM to L2BM" if written else "L2BM to L1BM"), 0, 0
        return
    between = ("PE", "L1BM") if name.startswith("l1bm") else ("L2BM", "L1BM")
    place = " to ".join(between if written else between[::-1])
    found = IN_L1BM.match(operand)
    assert found is not None
    wide, start = 2 if found[1] else 1, int(found[2])
    for cycle in range(4):
        if name.startswith("l1bmp"):
            each = [4 * word + cycle for word in range(wide)]
        else:
            block = 64 if name.startswith("l1bmd") else 4 * wide if name.startswith("l1bm") else 16
            block = 8 if name.startswith("l2bmd") else block
            each = [cycle * block + word for word in range(block)]
        yield from ((place, start + word, cycle) for word in each)
