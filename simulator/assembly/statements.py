"""The debug statements of the emulator: `d set`, `d get` and the DRAM preset `r` (isa.md, section 3.1).

Test cases hold many thousands of them, so one expression per statement reads the whole line.
"""

from __future__ import annotations

import re
from math import prod
from typing import Literal

from simulator import isa
from simulator.assembly.operands import OperandError
from simulator.isa import CYCLE_MASKS
from simulator.isa.program import DebugGet, DebugSet, DebugTarget, DramPreset
from simulator.isa.tree import SIZES, levels_of
from simulator.messages import tr

Memory = Literal["lm0", "lm1", "grf0", "grf1", "t", "omr", "l1bm", "l2bm", "pdm", "dram"]

_NAMES: dict[str, Memory] = {
    **{f"{prefix}m": "lm0" for prefix in ("", "l", "ll")},
    **{f"{prefix}n": "lm1" for prefix in ("", "l", "ll")},
    **{f"{prefix}r": "grf0" for prefix in ("", "l", "ll")},
    **{f"{prefix}s": "grf1" for prefix in ("", "l", "ll")},
    **{f"{prefix}t": "t" for prefix in ("", "l", "ll")},
    "omr": "omr",
    "lb": "l1bm",
    "lc": "l2bm",
    "p": "pdm",
    "d": "dram",
}
_SPAN: dict[str, tuple[int, int]] = {
    # addresses, address step per long word
    **{bank: (words, 2) for bank, words in isa.BANK_WORDS.items()},
    "t": (isa.STEP_CYCLES, 1),
    "omr": (isa.MASK_ENTRIES, 1),
    **{memory.lower(): (longs, 1) for memory, longs in isa.LONGS.items()},
}

_DEBUG = re.compile(
    rf"d\s+(set|get(?:d|f|h|b[dfgh])?)\s+\$({'|'.join(sorted(_NAMES, key=len, reverse=True))}|[a-z]+)(\d{{1,9}})?"
    r"(?:n(\d{1,9}))?(?:c(\d{1,9}))?(?:b(\d{1,9}))?(?:m(\d{1,9}))?(?:p(\d{1,9}))?"
    r"\s+(\d{1,9})(?:\s+([0-9A-Za-z\s]+))?",
    re.ASCII,
)
_PRESET = re.compile(r"r\s+(\d{1,9})\s+([0-9A-Fa-f]{1,9})\s+([0-9A-Fa-f]{1,9})\s+([0-9A-Za-z\s]+)", re.ASCII)
MOST_LINES = 1 << 18
"""Long words that one `d get` may print; more is taken for a mistake."""
_SEPARATORS = re.compile(r"[^0-9A-Fa-f]+")
_DIGITS = 16
"""Hex digits of a long word."""
_LONG_WORD = re.compile(r"[0-9A-Fa-f]{16}")


def _values(payload: str, count: int) -> tuple[int, ...]:
    """The long words of a payload; letters that are no hex digits and spaces only separate."""
    if count == 1 and _LONG_WORD.fullmatch(payload):
        return (int(payload, 16),)
    digits = _SEPARATORS.sub("", payload)
    if len(digits) != _DIGITS * count:
        raise OperandError(
            tr(
                "a count of {count} needs {value} hex digits, but the payload has {digits}",
                count,
                _DIGITS * count,
                len(digits),
            ),
            tr("correct the count or the payload"),
        )
    return tuple(int(digits[i : i + _DIGITS], 16) for i in range(0, len(digits), _DIGITS))


def _check_address(memory: Memory, address: int, count: int, reading: bool = False) -> None:
    """[A] An odd address in LM or GRF names no long word; known programs print such a one of a GRF (checks.py warns).

    They also print 8 long words of T, whose addresses 4 to 7 repeat 0 to 3 (isa.md, section 3.1).
    """
    size, step = _SPAN[memory]
    if count < 1:
        raise OperandError(tr("the count must be at least 1"))
    if reading and memory == "t":
        size = 2 * isa.STEP_CYCLES
    if address % step and not (reading and memory in ("grf0", "grf1")):
        raise OperandError(
            tr("address {address} of {upper} is odd, but a long word starts at an even one", address, memory.upper()),
            f"use {address - 1}",
        )
    if address + (count - 1) * step >= size:
        what = tr("address {address} lies", address)
        if count > 1:
            what = tr("{count} long words from address {address} on lie", count, address)
        raise OperandError(f"{what} outside {memory.upper()}", tr("its last address is {value}", size - step))


def _check_entries(address: int, count: int) -> None:
    """`d set` of mask entries: 0 and 16 to 31 are fixed."""
    if not 1 <= address <= address + count - 1 < CYCLE_MASKS:
        raise OperandError(tr("mask register entries 0 and 16 to 31 cannot be written"), tr("use $omr1 to $omr15"))


def _check_lines(target: DebugTarget, count: int) -> None:
    named = {level: getattr(target, level) for level in levels_of(target.memory)}
    lines = count * prod(SIZES[level] for level, number in named.items() if number is None)
    if lines > MOST_LINES:
        raise OperandError(
            tr("this statement prints {lines} long words, more than {most_lines}", lines, MOST_LINES),
            tr("name units, or use a smaller count"),
        )


def _units(match: re.Match[str], memory: Memory) -> list[int | None]:
    """The fields n, c, b, m, p; None where not written."""
    values: list[int | None] = []
    for (name, limit), digits in zip(SIZES.items(), match.group(4, 5, 6, 7, 8), strict=True):
        values.append(int(digits) if digits else None)
        if not digits:
            continue
        if name not in levels_of(memory):
            raise OperandError(
                tr("{upper} has no unit field `{name}`", memory.upper(), name),
                tr("it has {span}", " ".join(levels_of(memory))),
            )
        if int(digits) >= limit:
            raise OperandError(
                tr("unit `{name}{digits}` does not exist", name, digits),
                tr("use {name}0 to {name}{value}", name, limit - 1),
            )
    return values


def parse_debug(text: str, line: int) -> DebugSet | DebugGet:
    """A `d set` or `d get` statement without its comment. Raises OperandError."""
    match = _DEBUG.fullmatch(text)
    if not match:
        raise OperandError(
            tr("cannot read the debug statement `{text}`", text[:60]),
            tr("write `d get $lm0n0c0b0m0p0 1`, `d getf …` or `d set $lm0n0c0b0m0p0 1 3F80000040000000`"),
        )
    action, name, address_text, count_text, payload = match.group(1, 2, 3, 9, 10)
    if name not in _NAMES:
        raise OperandError(
            tr("`${name}` is not a memory that can be shown or set", name), tr("use lm ln lr ls lt omr lb lc p d")
        )
    memory = _NAMES[name]
    if address_text is None and memory != "t":
        raise OperandError(tr("`${name}` has no address", name), f"write ${name}0")
    address, count = int(address_text or 0), int(count_text)
    _check_address(memory, address, count, reading=action != "set")
    target = DebugTarget(memory, address, *_units(match, memory))
    if action != "set":
        if payload:
            raise OperandError(tr("`d get` takes no payload"), tr("write `d set` to write a memory"))
        _check_lines(target, count)
        return DebugGet(line, text, action[3:], target, count)
    if payload is None:
        raise OperandError(tr("`d set` needs a payload"), tr("append 16 hex digits per long word"))
    if memory == "omr":
        _check_entries(address, count)
    return DebugSet(line, text, target, _values(payload, count))


def parse_preset(text: str, line: int) -> DramPreset:
    """An `r <group> <address> <count> <payload>` statement; address and count are hexadecimal. Raises OperandError."""
    match = _PRESET.fullmatch(text)
    if not match:
        raise OperandError(
            tr("cannot read the DRAM preset `{text}`", text[:60]), "write `r 0 000000000 001 3F80000040000000`"
        )
    group, address, count = int(match[1]), int(match[2], 16), int(match[3], 16)
    if group >= isa.GROUPS:
        raise OperandError(tr("group {group} does not exist", group), tr("use 0 to {value}", isa.GROUPS - 1))
    _check_address("dram", address, count)
    return DramPreset(line, text, group, address, _values(match[4], count))
