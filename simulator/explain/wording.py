"""Operands in words: which words of which memory they are, as index formulas and cycle by cycle (isa.md, section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simulator import isa
from simulator.isa import program as p
from simulator.isa.transfers import ELEMENTS
from simulator.isa.words import BEYOND_J, words_of
from simulator.messages import Text, joined, shown, tr

CYCLES = range(isa.STEP_CYCLES)
BANKS = {"lm0": "LM0", "lm1": "LM1", "grf0": "GRF0", "grf1": "GRF1"}
PATHS = {
    "aluf": Text("what the ALU put out"),
    "mauf": Text("what the MAU put out"),
    "lbf": Text("what came from the L1BM"),
    "mreadf": Text("what was read from the matrix"),
}
FIXED = {
    "l2bid": Text("the number of the L2B (0 to 7)"),
    "l1bid": Text("the number of the L1B (0 to 7)"),
    "mabid": Text("the number of the MAB (0 to 15)"),
    "peid": Text("the number of the PE in its L1B (0 to 63)"),
    "subpeid": Text("the number of the PE in its MAB (0 to 3)"),
    "msb1": Text("only the top bit of every element"),
}
PRECISIONS = {
    "d": Text("double precision"),
    "f": Text("single precision"),
    "g": Text("pseudo single precision"),
    "h": Text("half precision"),
    "l": Text("64-bit integers"),
    "i": Text("32-bit integers"),
    "s": Text("16-bit integers"),
}
LOWER = {"d": Text("single"), "f": Text("half"), "h": Text("half")}


def runs(numbers: Iterable[int]) -> list[str]:
    """Numbers as ranges, in their own order: `0-15`, `32`."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return [str(a) if a == b else f"{a}-{b}" for a, b in found]


def spans(numbers: Iterable[int]) -> str:
    """Numbers as ranges: `0-15, 32-47`."""
    parts = runs(sorted(set(numbers)))
    if len(parts) > 4:  # a regular pattern is easier to read by its first and last parts
        parts = [parts[0], parts[1], "…", parts[-1]]
    return ", ".join(parts)


def linear(addresses: Sequence[int]) -> str | None:
    """`8 + 2c` for addresses that grow evenly with the cycle, else None."""
    step = addresses[1] - addresses[0]
    if any(addresses[c] != addresses[0] + c * step for c in CYCLES):
        return None
    if not step:
        return str(addresses[0])
    growth = "c" if step == 1 else f"{step}c"
    return f"{addresses[0]} + {growth}" if addresses[0] else growth


def pe_memory(operand: p.PeMemory) -> str:
    """`LM0[8 + 2c, +1]`: the words of each cycle as an index formula."""
    formula = linear(operand.addresses) or " | ".join(map(str, operand.addresses))
    plus = f"T[c] + {formula}" if operand.indirect else formula
    more = {1: "", 2: ", +1", 4: ", +1, +2, +3"}[operand.words]
    text = f"{BANKS[operand.bank]}[{plus}{more}]"
    if operand.j is None:
        return text
    return tr("{text}, {words} further on in PEs 0 to {j} of each MAB", text, operand.words, operand.j)


def at_cycle(operand: p.Operand, cycle: int) -> str:
    """The same for one cycle: `LM0[10-11]`."""
    if isinstance(operand, p.PeMemory):
        words = spans(words_of(operand, cycle, BEYOND_J))
        further = f" (+{operand.words}: p <= {operand.j})" if operand.j is not None else ""
        return f"{BANKS[operand.bank]}[{f'T[{cycle}] + ' if operand.indirect else ''}{words}]{further}"
    return f"T[{cycle}]" if isinstance(operand, p.TRegister) else short(operand)


def short(operand: p.Operand) -> str:
    """An operand that is the same in all cycles, in a word or two."""
    if isinstance(operand, p.Path | p.Fixed):
        return f"${operand.name}"
    if isinstance(operand, p.Immediate):
        return f"0x{operand.word:08x}"
    if isinstance(operand, p.MaskRegister):
        return tr("mask {entry}", operand.entry)
    if isinstance(operand, p.BaseAddress):
        return tr("base of {banks}", BANKS[operand.bank])
    if isinstance(operand, p.Matrix):
        return f"${operand.register}"
    if isinstance(operand, p.L2bm):
        return tr("L2BM[{address} on]", operand.address)
    return tr("DRAM table[{entry} on]", operand.entry) if isinstance(operand, p.Dar) else tr("nowhere")


def describe(operand: p.Operand) -> str:
    """An operand in full."""
    if isinstance(operand, p.PeMemory):
        return pe_memory(operand)
    if isinstance(operand, p.TRegister):
        return tr("T[c], the T register's two long words of the same cycle")
    if isinstance(operand, p.Path):
        return tr("${name}, {paths} in the same cycle of the last step", operand.name, PATHS[operand.name])
    if isinstance(operand, p.Fixed):
        return f"${operand.name}, {FIXED[operand.name]}"
    if isinstance(operand, p.Immediate):
        return tr("0x{word:08x}, the literal", operand.word)
    if isinstance(operand, p.Matrix):
        return tr("matrix register {register}", operand.register)
    if isinstance(operand, p.MaskRegister):
        return tr("mask register entry {entry}: the flags of the instruction", operand.entry)
    if isinstance(operand, p.BaseAddress):
        return tr("the base address register of {banks}: the low 12 bits", BANKS[operand.bank])
    if isinstance(operand, p.NoWrite):
        return tr("nowhere but the forwarding path")
    if isinstance(operand, p.Turnaround):
        return tr("the turnaround register of the L1BM")
    return short(operand)


def source(end: p.Source, precision: str) -> str:
    """An input with its decorations, in the language of the moment."""
    text = shown(describe(end.operand))
    if end.widen:
        text += tr(", widened from {precision} precision", LOWER.get(precision, Text("half")))
    if end.narrow:
        text += tr(", rounded to half precision first")
    return joined(text, tr("negated") * end.negate)


def masked(mask: p.WriteMask | None, flags: bool = False) -> str:
    """A write mask in the language of the moment; "" where everything is written. flags: of a mask register."""
    if mask is None or (mask.fixed and len(mask.cycles) == len(CYCLES)):
        return ""
    by = [tr(", cleared elsewhere")] * flags + [tr(" (by the `mask` statement)")] * (not mask.explicit)
    return "".join(map(shown, (_where(mask, flags), *by)))


def _where(mask: p.WriteMask, flags: bool) -> str:
    """Where a mask lets an instruction write."""
    if mask.fixed:
        cycles = spans(mask.cycles)
        return tr("only in cycle {cycles}", cycles) if cycles else tr("only in cycle none")
    lanes = tr("its flags guard the halves of long word 0")
    if flags:
        lanes = tr("flag by flag")
    elif mask.words == 4:
        lanes = tr("its four flags guard the four words")
    return tr("only where mask register entry {entry} is 1, {lanes}", mask.entry, lanes)


def elements(unit: str, precision: str) -> str:
    """How many elements a unit handles: `single precision, 2 elements per PE and cycle`."""
    if precision not in PRECISIONS:
        return ""
    known, count = PRECISIONS[precision], ELEMENTS.get(precision) or {"l": 1, "i": 2, "s": 4}[precision]
    if unit == "alu":
        return tr("{known}, {count} element{s} of long word 0 per PE and cycle", known, count, "s" * (count > 1))
    return tr("{known}, {count} element{s} per PE and cycle", known, count, "s" * (count > 1))
