"""Operand text to decoded operands, with every range and alignment rule of one operand alone (isa.md, section 5).

The same text always means the same operand, so the parsers remember what they have seen. Where an operand may stand,
and what an instruction asks of it, is the assembler's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, cast

from simulator import isa
from simulator.engine.numbers.formats import HALF, SINGLE, from_float64
from simulator.isa.program import (
    Bank,
    BaseAddress,
    Cycles,
    Dar,
    Dram,
    DramIndirect,
    Fixed,
    FixedName,
    Immediate,
    L1bm,
    L2bm,
    MaskRegister,
    Matrix,
    NoWrite,
    Operand,
    Path,
    Pdm,
    PeMemory,
    TRegister,
    Turnaround,
)
from simulator.isa.units import PATHS, PathName
from simulator.messages import Text, tr

BANKS: dict[str, Bank] = {"m": "lm0", "n": "lm1", "r": "grf0", "s": "grf1"}
IN_BANK = {bank: Text("the address in {upper}", {"upper": bank.upper()}) for bank in BANKS.values()}
GROUP, L2B = Text("the group"), Text("the L2B of a group")
L2BM_ADDRESS, L1BM_ADDRESS = Text("the L2BM address"), Text("the L1BM address")
ROW, ENTRY = Text("the matrix row"), Text("the mask register entry")
J = Text("the PE number after `j`")
"""What messages call the numbers in operands."""


class OperandError(ValueError):
    """An operand that cannot be decoded: what is wrong, and what to try."""

    def __init__(self, message: str, fix: str = "") -> None:
        """fix is "" where nothing is known to help."""
        super().__init__(message)
        self.message, self.fix = message, fix


# --- addresses -------------------------------------------------------------------------------------------------------


def _words(prefix: str) -> Literal[1, 2, 4]:
    return cast(Literal[1, 2, 4], 1 << len(prefix))


def _below(value: int, limit: int, what: str) -> int:
    if value >= limit:
        raise OperandError(
            tr("{what} is {value}, but must be below {limit}", what, value, limit), tr("use 0 to {value}", limit - 1)
        )
    return value


def _optional(digits: str | None, limit: int, what: str) -> int | None:
    return _below(int(digits), limit, what) if digits else None


def _flat(text: str, name: str) -> Cycles:
    """The four addresses of a flat list."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != isa.STEP_CYCLES or not all(part.isdecimal() for part in parts):
        raise OperandError(
            tr("an address list has four numbers, one per cycle, not `[{text}]`", text), f"write ${name}[0,0,0,0]"
        )
    return cast(Cycles, tuple(int(part) for part in parts))


def _pe_memory(match: re.Match[str]) -> Operand:
    """`$[l|ll]{m|n|r|s}[t]…`: strides are in words and not multiplied by the length; sums wrap around at the end."""
    prefix, letter, indirect, first, strided, stride, flat, j = match.group(1, 2, 3, 4, 5, 6, 7, 8)
    bank, words, name = BANKS[letter], _words(prefix), f"{prefix}{letter}{indirect}"
    size = isa.BANK_WORDS[bank]
    if indirect and letter != "m":
        raise OperandError(
            tr("only LM0 can be addressed through T, not {upper}", bank.upper()), tr("use ${prefix}mt…", prefix)
        )
    if first is None and flat is None and not indirect:
        raise OperandError(tr("`${name}` has no address", name), tr("write ${name}0 or ${name}0v", name))
    written = _flat(flat, name) if flat is not None else (int(first or 0),)
    for address in written:
        _below(address, size, IN_BANK[bank])
        if address % words:
            down = address - address % words
            raise OperandError(
                tr("address {address} of `${name}` must be a multiple of {words} words", address, name, words),
                tr("use {down} or {value}", down, down + words) if down + words < size else f"use {down}",
            )
    if indirect and j:
        raise OperandError(tr("`j` cannot be combined with T indirection"), tr("leave out the `t` or the `j`"))
    step = 0 if not strided else int(stride) if stride else words
    addresses = written if flat is not None else tuple((written[0] + c * step) % size for c in range(isa.STEP_CYCLES))
    limit = _optional(j, isa.PES_PER_MAB, J)
    return PeMemory(bank, words, cast(Cycles, addresses), bool(indirect), limit)


def _matrix(match: re.Match[str]) -> Operand:
    prefix, register, digits = match.group(1, 2, 3)
    row = _optional(digits, isa.MATRIX_ROWS, ROW)
    if prefix and row is not None and row % 2:
        raise OperandError(
            tr("the row of `$ll{register}` must be even, not {row}", register, row),
            tr("use {value} or {value2}", row - 1, row + 1),
        )
    return Matrix(cast(Literal["x", "y"], register), row, bool(prefix))


def _mask_register(match: re.Match[str]) -> Operand:
    entry = int(match.group(1))
    if not 1 <= entry < isa.CYCLE_MASKS:
        raise OperandError(tr("mask register entry {entry} cannot be written", entry), tr("use $omr1 to $omr15"))
    return MaskRegister(entry)


def _l2bm(match: re.Match[str]) -> Operand:
    address = _below(int(match.group(1)), isa.L2BM_LONGS, L2BM_ADDRESS)
    group = _optional(match.group(2), isa.GROUPS, GROUP)
    return L2bm(address, group, _optional(match.group(3), isa.L2BS_PER_GROUP, L2B))


def _l1bm(match: re.Match[str]) -> Operand:
    return L1bm(_below(int(match.group(2)), isa.L1BM_LONGS, L1BM_ADDRESS), 4 if match.group(1) else 2)


def _off_chip(make: Callable[[int, int | None], Operand], size: int, what: str) -> Callable[[re.Match[str]], Operand]:
    def build(match: re.Match[str]) -> Operand:
        return make(_below(int(match.group(1)), size, what), _optional(match.group(2), isa.GROUPS, GROUP))

    return build


_FORMS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], Operand]]] = [
    (re.compile(pattern), build)
    for pattern, build in (
        (rf"({'|'.join(PATHS)})(?P<suffix>[er]?)", lambda m: Path(cast(PathName, m.group(1)))),
        (r"(l2bid|l1bid|mabid|peid|subpeid|msb1)", lambda m: Fixed(cast(FixedName, m.group(1)))),
        (
            r"(l{0,2})([mnrs])(t?)(?:(\d+)(?:(v)(\d*))?|\[([^\]]*)\])?(?:j(\d+))?(?P<suffix>[er]?)",
            _pe_memory,
        ),
        (r"l{0,2}t(?P<suffix>[er]?)", lambda m: TRegister()),
        (
            r"(l?)([mn])b",
            lambda m: BaseAddress(cast(Literal["lm0", "lm1"], BANKS[m.group(2)]), 2 if m.group(1) else 1),
        ),
        (r"omr(\d+)", _mask_register),
        (r"nowrite", lambda m: NoWrite()),
        (r"(l?)lb(\d+)(?P<suffix>[er]?)", _l1bm),
        (r"(l?)lbi(?P<suffix>[er]?)", lambda m: Turnaround(4 if m.group(1) else 2)),
        (r"(l?)l([xy])(\d*)", _matrix),
        (r"d(\d+)(?:@(\d+))?", _off_chip(Dram, isa.DRAM_LONGS, Text("the DRAM address"))),
        (r"di(\d+)(?:@(\d+))?", _off_chip(DramIndirect, isa.DAR_ENTRIES, Text("the DRAM table entry"))),
        (r"p(\d+)(?:@(\d+))?", _off_chip(Pdm, isa.PDM_LONGS, Text("the PDM address"))),
        (r"lc(\d+)(?:@(\d*)\.(\d+))?", _l2bm),
        (r"dar(\d+)", lambda m: Dar(_below(int(m.group(1)), isa.DAR_ENTRIES, tr("the DRAM table entry")))),
    )
]


def _unknown(text: str) -> OperandError:
    """The error for text that no form matches, with the likeliest intention."""
    name = text.removeprefix("$")
    if not text.startswith("$") and any(pattern.fullmatch(name) for pattern, _ in _FORMS):
        return OperandError(
            tr("`{text}` is not an operand", text), tr("operands start with a dollar sign: ${text}", text)
        )
    if re.fullmatch(r"l{0,2}[mnrs]t?v\d*", name):
        return OperandError(
            tr("`{text}` has no address", text),
            tr("write the address before the v: {value}", text.replace("v", "0v", 1)),
        )
    if re.fullmatch(r"lc\d+@\d+", name):
        return OperandError(
            tr("`{text}` names a group but no L2B", text),
            tr("write {text}.0 or {text}.1 (or @.0 for every group)", text),
        )
    if re.fullmatch(r"lb|llb|lc|d|p", name):
        return OperandError(tr("`{text}` has no address", text), f"write {text}0")
    return OperandError(
        tr("`{text}` is not an operand", text),
        tr("see docs/isa.md for the forms: $lm0v $ln0 $r8 $t $aluf $lb0 $lc0 $d0@0 …"),
    )


# --- immediates ------------------------------------------------------------------------------------------------------

_IMMEDIATE = re.compile(r'(ui|i|s|f|h)"([^"]*)"')
_DIGITS = re.compile(r"[+-]?(?:0|[1-9]\d*|0[xX][0-9A-Fa-f]+|0[bB][01]+)")
_REAL = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?)", re.IGNORECASE)
_INTEGERS = {"i": (-(2**31), 2**32 - 1), "ui": (0, 2**32 - 1), "s": (-(2**15), 2**16 - 1)}


def _integer(kind: str, text: str) -> int:
    low, high = _INTEGERS[kind]
    if not _DIGITS.fullmatch(text):
        raise OperandError(tr('`{kind}"{text}"` is not an integer', kind, text), tr("write decimal, 0x or 0b digits"))
    value = int(text, 0)
    if not low <= value <= high:
        raise OperandError(
            tr('`{kind}"{text}"` does not fit', kind, text), tr("the range is {low} to {high}", low, high)
        )
    return value & 0xFFFF if kind == "s" else value & 0xFFFFFFFF


def _float(kind: str, text: str) -> int:
    if not _REAL.fullmatch(text):
        raise OperandError(
            tr('`{kind}"{text}"` is not a number of the machine', kind, text), tr('e.g. f"1.5", f"-2e-3", f"inf"')
        )
    return int(from_float64([float(text)], HALF if kind == "h" else SINGLE)[0])


def _immediate(kind: str, text: str) -> Immediate:
    """The word of an immediate; 16-bit kinds stand in it twice (isa.md, section 3)."""
    value = _float(kind, text) if kind in "fh" else _integer(kind, text)
    return Immediate(value * 0x10001 if kind in "sh" else value)


# --- the parsers -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def parse_operand(text: str) -> tuple[Operand, bool, str]:
    """An operand, whether it is negated, and its trailing decoration ("", "e" or "r"). Raises OperandError."""
    immediate = _IMMEDIATE.fullmatch(text)
    if immediate:
        return _immediate(immediate[1], immediate[2]), False, ""
    negate = text.startswith("-")
    body = text[1:] if negate else text
    if body.startswith("$"):
        for pattern, build in _FORMS:
            match = pattern.fullmatch(body, 1)
            if match:
                return build(match), negate, match.groupdict().get("suffix") or ""
    raise _unknown(body)


_MASK = re.compile(r"(?:\$(l{0,2})imr(\d+)|(l{0,2})([01]{4}))[tp]?")


@lru_cache(maxsize=1 << 12)
def parse_mask(text: str) -> tuple[int, Literal[1, 2, 4]]:
    """What stands after the `/` of a destination or opcode: mask entry (0..31) and its length in words.

    `1000` is a cycle pattern, first digit cycle 0; `$imr3` an entry; `l` and `ll` choose the lanes (isa.md,
    section 10.1). A trailing `t` or `p` says nothing to the machine. Raises OperandError.
    """
    match = _MASK.fullmatch(text)
    if not match:
        raise OperandError(
            tr("`/{text}` is not a write mask", text), tr("write four cycle digits as /1000, or an entry as /$imr1")
        )
    if match[4]:
        return isa.CYCLE_MASKS + int(match[4], 2), _words(match[3])
    return _below(int(match[2]), isa.MASK_ENTRIES, ENTRY), _words(match[1])


@lru_cache(maxsize=256)
def parse_l1bs(text: str) -> tuple[frozenset[int], int]:
    """The L1Bs after `@` of an L2BM instruction and the bits `i` in which they may differ (isa.md, section 7).

    `b0/i` names every b that equals b0 outside the bits of i; a comma list must be such a set. Raises OperandError.
    """
    first, slash, free = text.partition("/")
    parts = first.split(",")
    if not all(part.isdecimal() for part in parts) or (slash and (not free.isdecimal() or len(parts) > 1)):
        raise OperandError(tr("`@{text}` does not name L1Bs", text), tr("write @3, @0,1 or @0/3"))
    l1bs = frozenset(_below(int(part), isa.L1BS, "the L1B") for part in parts)
    base = int(parts[0])
    bits = _below(int(free), isa.L1BS, tr("the number after `/`")) if slash else 0
    for b in l1bs:
        bits |= b ^ base
    whole = frozenset(b for b in range(isa.L1BS) if (b ^ base) & ~bits == 0)
    if not slash and whole != l1bs:
        listed = ",".join(map(str, sorted(whole)))
        raise OperandError(
            tr("L1Bs {text} cannot be chosen together", text), tr("the next larger choice is @{listed}", listed)
        )
    return whole, bits
