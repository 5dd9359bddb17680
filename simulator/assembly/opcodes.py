"""Opcodes: every spelling (precision letter, `u`, reduction, row half, trailing `r`), derived from the table of
instructions, and what is written after them: shift, `@…`, `/…`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Literal, NamedTuple

from simulator import isa
from simulator.assembly.operands import OperandError, parse_l1bs, parse_mask
from simulator.isa import INSTRUCTIONS, MOVES
from simulator.isa.forms import Form
from simulator.isa.rows import MoveRow, Row
from simulator.messages import tr

Rows = Literal["", "u", "d"]

REDUCTIONS = [(letter, name) for letter in "dfh" for name in ("fadd", "max", "min")] + [
    (letter, name) for letter in "lis" for name in ("iadd", "band", "bor", "and", "or")
]


@dataclass(frozen=True, slots=True)
class Opcode:
    """An opcode as written: its row and what the letters around its name say."""

    row: Row
    precision: str = ""
    reduction: str = ""
    rows: Rows = ""
    narrow: bool = False
    unsigned: bool = False


def _spellings(row: Row) -> Iterator[tuple[str, Opcode]]:
    if row.reduces:
        for letter, reduction in REDUCTIONS:
            yield f"{row.name}{letter}{reduction}", Opcode(row, letter, reduction)
            if row.narrow and letter in "df":
                yield f"{row.name}{letter}{reduction}r", Opcode(row, letter, reduction, narrow=True)
        return
    all_rows: tuple[Rows, ...]
    for letter in row.precisions or ("",):
        all_rows = ("u", "d") if letter and letter in row.halves else ("",)
        for rows in all_rows:
            for narrow in (False, True) if row.narrow else (False,):
                yield f"{letter}{row.name}{rows}{'r' * narrow}", Opcode(row, letter, "", rows, narrow)
        if letter and letter in row.unsigned:
            yield f"u{letter}{row.name}", Opcode(row, letter, unsigned=True)


OPCODES: Mapping[str, Opcode] = {
    **{text: opcode for row in INSTRUCTIONS.values() for text, opcode in _spellings(row)},
    "immu": Opcode(INSTRUCTIONS["imm"], unsigned=True),
}

MOVE_OPCODES: Mapping[str, tuple[MoveRow, str, str]] = {
    f"{row.name}{letter}{reduction}": (row, letter, reduction)
    for row in MOVES.values()
    for letter, reduction in (REDUCTIONS if row.reduces else [("", "")])
}

# --- opcode words ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head:
    """An opcode word taken apart. number: what follows `/`; at: what follows `@`."""

    opcode: Opcode
    number: int | None = None
    shift: int = 0
    flush: int | None = None
    at: str | None = None


_HEAD = re.compile(r"([a-z0-9]+)([+-]\d+)?(?:@(\S*)|((?:/[^/]+)*))")


def _unknown_opcode(name: str) -> OperandError:
    """The error for a word that no row spells, with what it is probably meant to be."""
    if name in MOVE_OPCODES:
        return OperandError(tr("`{name}` cannot share a line", name), tr("give every MV instruction a line of its own"))
    row = isa.INSTRUCTIONS.get(name)
    spelled = [text for text, opcode in OPCODES.items() if opcode.row is row] if row else []
    for text in (f"{name}u", f"{name}d"):
        spelled += [text] if text in OPCODES else []
    alike = [text for text, opcode in OPCODES.items() if text == opcode.precision + name[1:]]  # in another precision
    near = spelled[:6] or alike or get_close_matches(name, (*OPCODES, *MOVE_OPCODES), 3)
    return OperandError(
        tr("`{name}` is not complete", name) if spelled else tr("`{name}` is not an instruction", name),
        tr("did you mean {near}?", ", ".join(near)) if near else tr("see docs/isa.md, which lists every instruction"),
    )


def _slashes(opcode: Opcode, name: str, parts: Iterable[str]) -> tuple[int | None, int | None]:
    """The number and the zero-flush mask after an opcode's slashes."""
    number = flush = None
    allowed = opcode.row.number.get(opcode.precision)
    for part in parts:
        if allowed is not None and part.isdecimal() and int(part) in allowed:
            number = int(part)
        elif allowed is not None and part.isdecimal() and not opcode.row.flush:
            raise OperandError(
                tr("`/{part}` is out of range for `{name}`", part, name),
                tr("use {allowed} to {allowed2}", allowed[0], allowed[-1]),
            )
        elif not opcode.row.flush:
            raise OperandError(tr("`{name}` takes no `/{part}`", name, part), tr("leave it out"))
        elif flush is not None:
            raise OperandError(tr("`{name}` has two zero-flush masks", name), tr("keep one"))
        else:
            flush, words = _flush(name, part, allowed)
            if words != 1:
                raise OperandError(tr("a zero-flush mask has no length"), tr("leave out the `l`"))
    return number, flush


def _flush(name: str, part: str, allowed: range | None) -> tuple[int, int]:
    try:
        return parse_mask(part)
    except OperandError as error:
        if allowed is None:
            raise
        raise OperandError(
            tr("`/{part}` is neither a number for `{name}` nor a zero-flush mask", part, name),
            tr("use /{allowed} to /{allowed2}, or a mask such as /$imr1", allowed[0], allowed[-1]),
        ) from error


@lru_cache(maxsize=1 << 12)
def parse_head(text: str) -> Head:
    """Take an opcode word apart: name, shift, `@…`, `/…`. Raises OperandError."""
    match = _HEAD.fullmatch(text)
    if not match:
        raise OperandError(
            tr("`{text}` is not an instruction", text), tr("an opcode is lower-case letters and digits, then @… or /…")
        )
    name, shift, at, slashes = match.group(1, 2, 3, 4)
    opcode = OPCODES.get(name)
    if opcode is None:
        raise _unknown_opcode(name)
    if shift and not opcode.row.shifts:
        raise OperandError(tr("`{name}` takes no shift `{shift}`", name, shift), tr("only l1bmd has one, e.g. l1bmd+1"))
    if shift and abs(int(shift)) >= isa.MABS:
        raise OperandError(
            tr("the shift `{shift}` must be between -15 and +15", shift), f"use {int(shift) % isa.MABS:+d}"
        )
    number, flush = _slashes(opcode, name, slashes.split("/")[1:] if slashes else ())
    return Head(opcode, number, int(shift or 0), flush, at)


class Chosen(NamedTuple):
    """What `@` chooses; the fields are those of `Instruction`."""

    mab: int = 0
    free: int = 0
    l1bs: frozenset[int] | None = None


def resolve_at(head: Head, form: Form, name: str) -> Chosen:
    """What `@` chooses. Raises OperandError."""
    at = head.at
    if at is None:
        if form.at in ("", "set"):
            return Chosen()
        choices = f"@0 to @{form.units - 1}" if form.at == "mab" else "@0 to @7"
        raise OperandError(
            tr("`{name}` does not say which {value} it reads", name, "MAB" if form.at == "mab" else "L1B"),
            f"append {choices}",
        )
    if form.at == "":
        raise OperandError(tr("`{name}` with these operands takes no `@{at}`", name, at), tr("leave it out"))
    if form.at == "mab":
        if not at.isdecimal() or int(at) >= form.units:
            raise OperandError(tr("`@{at}` does not name a MAB", at), tr("use @0 to @{value}", form.units - 1))
        return Chosen(mab=int(at))
    l1bs, bits = parse_l1bs(at)
    if form.at == "l1b" and len(l1bs) > 1:
        raise OperandError(tr("`{name}` reads one L1B, not {l_bs}", name, len(l1bs)), tr("use @0 to @7"))
    if form.at == "indirect" and len(l1bs) == isa.L1BS:
        raise OperandError(tr("`{name}` cannot have all L1Bs as sources", name), tr("choose fewer L1Bs, e.g. @0/3"))
    return Chosen(free=bits if form.at == "indirect" else 0, l1bs=l1bs)
