"""Task 5.45: the reducer (the digits of the axis say where the summands are: words, PEs, MABs, L1Bs, L2Bs)."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.generators.t5_36_place_nops import place_nops
from haribote.generators.t5_40_down import operand_text
from haribote.generators.t5_41_up import collect, registers
from haribote.generators.t5_42_nodes import both
from haribote.kernel import Op, Operand
from haribote.layout import Layout

COMBINE = {"ReduceSum": ("fvadd {0} {1} {2}", "$mauf"), "ReduceMax": ("fmax {0} {1} {2}", "$aluf")}
"""The instruction, and the forwarding path that has its result in the next step."""


def reduce(op: Op) -> Iterator[str]:
    """The sum or the maximum of a matrix along one axis: the one that the output, a vector, does not have.

    x: in LM0 or LM1. y: in LM, where everybody who has a part of a row gets its result, or, of a sum, in DRAM.
    """
    combine, forward = COMBINE[op.kind]
    axis = 1 if op.y.shape[0] == op.x.shape[0] else 0
    layout = op.x.layout
    levels = {digit.level for digit in layout.axes[axis]}
    outside = levels & {"MAB", "L1B", "L2B"}
    if outside and (op.y.memory != "DRAM" or op.kind != "ReduceSum"):
        raise UnsupportedShape("rows within a MAB", str(layout), "a sum to DRAM")
    results, summands = local(layout, 1 - axis), local(layout, axis)
    lines = over_addresses(op.x, results, summands, combine, forward)
    start, words = 0, 2 * len(results)
    if "W" in levels:
        lines += over_words(words, combine)
        start, words = words, words // 2
    if "PE" in levels:
        lines += over_pes(start, words, combine, op.y)
    elif op.y.memory != "DRAM":
        raise UnsupportedShape("rows over the PEs of a MAB", str(layout), "a layout whose rows name PE")
    if op.y.memory == "DRAM":
        lines += collect(op.y, Layout((layout.axes[1 - axis],)), registers("r", start), outside)
    yield from place_nops(lines)


def local(layout: Layout, axis: int) -> list[int]:
    """The long words of a PE that the indices along an axis take up, by the digits without a level, in order.

    `layout.axes[axis]` are its digits, slowest first, each with size, level and stride. `(16:2), (2:1, 4_PE:1, 2_W:1)`:
    axis 0 takes up 0, 2, 4, … 30, axis 1 takes up 0 and 1. An axis without such a digit takes up 0 alone.
    """
    found = [0]
    ### BEGIN HOLE
    for digit in layout.axes[axis]:
        if digit.level == "":
            found = [at + digit.stride * number for at in found for number in range(digit.size)]
    ### END HOLE
    return found


def over_addresses(x: Operand, results: list[int], summands: list[int], combine: str, forward: str) -> list[str]:
    """The long words of each result combined: result k to words 2k and 2k + 1 of both GRFs. Four results at a time.

    results, summands: what the long words of a PE are made up of, as `local` gives them: result r has summand s at
    long word r + s. The first summand begins a chain with `lpassa` ($aluf has it then), and each further one is
    combined with what the step before has left on a path; only the last line writes. With fewer than four results left,
    cycles do one of them again.
    """
    text, lines = operand_text(x), list[str]()
    for first in range(0, len(results), 4):
        cycles = [first + cycle % (len(results) - first) for cycle in range(4)]
        to = both(0)("l", [2 * cycle for cycle in cycles])
        chain = [text("l", [2 * (results[cycle] + summand) for cycle in cycles]) for summand in summands]
        ### BEGIN HOLE
        lines.append(f"lpassa {chain[0]} {to if len(chain) == 1 else '$nowrite'}")
        for number, operand in enumerate(chain[1:], 1):
            path = "$aluf" if number == 1 else forward
            lines.append(combine.format(operand, path, to if number == len(chain) - 1 else "$nowrite"))
        ### END HOLE
    return lines


def over_words(words: int, combine: str) -> Iterator[str]:
    """The two words of each long word combined: those at 2k and 2k + 1 to word `words` + k of both GRFs."""
    if words % 8:
        raise UnsupportedShape("a multiple of four results in each PE", str(words // 2), "more rows")
    for first in range(0, words // 2, 4):
        cycles = list(range(first, first + 4))
        left = registers("r")("", [2 * cycle for cycle in cycles])
        right = registers("s")("", [2 * cycle + 1 for cycle in cycles])
        yield combine.format(left, right, both(words)("", cycles))


def over_pes(start: int, words: int, combine: str, y: Operand) -> list[str]:
    """What the four PEs of a MAB have combined; all four have the result, in `y`, or in both GRFs where y is in DRAM.

    `msl` gives a PE what its neighbour has. First with the PE two further on, `msl` twice, then with the neighbour,
    which has two summands by then. (The other way round the four would add in different orders, and their sums would
    differ in the last bit.) Registers from `start` on, `words` of them, four long words at a time.
    """
    if words % 8:
        raise UnsupportedShape("a multiple of four long words of results in each PE", str(words), "more rows")
    lines: list[str] = []
    for distance in (2, 1):
        for first in range(0, words, 8):
            block = [first + 2 * cycle for cycle in range(4)]
            own, to = registers("r", start)("l", block), both(start)("l", block)
            if distance == 1 and y.memory != "DRAM":
                to = operand_text(y)("l", block)
            lines.append(f"msl {own} $nowrite")
            ### BEGIN HOLE
            if distance == 2:
                lines.append("msl $aluf $nowrite")
            lines.append(combine.format(own, "$aluf", to))
            ### END HOLE
    return lines
