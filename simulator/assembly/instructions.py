"""One PE instruction: words to an `Instruction`, checked against its row of the table (isa.md, sections 5 to 10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from simulator import isa
from simulator.assembly.opcodes import Head, parse_head, resolve_at
from simulator.assembly.operands import OperandError, parse_mask, parse_operand
from simulator.isa.forms import Form
from simulator.isa.program import (
    BaseAddress,
    Dar,
    Destination,
    Fixed,
    Instruction,
    L1bm,
    L2bm,
    MaskRegister,
    Matrix,
    NoWrite,
    Operand,
    Path,
    PeMemory,
    Source,
    TRegister,
    Turnaround,
    WriteMask,
)
from simulator.isa.rows import ROLES, Role
from simulator.messages import tr

Report = Callable[[int, OperandError], None]
"""Notes a finding at an offset from where the instruction begins."""
Defaults = Mapping[str, WriteMask]
"""The write mask that a `mask` statement gives to the memories it lists: lm0 lm1 grf0 grf1 t omr."""


class Word(NamedTuple):
    """A word of an instruction, and the characters between the beginnings of both."""

    offset: int
    text: str


# --- operands --------------------------------------------------------------------------------------------------------


def _check_matrix(operand: Matrix, role: str, head: Head) -> None:
    precision, unit = head.opcode.precision, head.opcode.row.unit
    name = f"${'ll' if operand.double else 'l'}{operand.register}"
    if role == "matrix":
        if operand.row is not None or operand.double:
            raise OperandError(tr("a product reads the whole matrix, without row"), f"write $l{operand.register}")
        return
    if operand.row is None:
        raise OperandError(tr("`{name}` needs a row here", name), f"write {name}0")
    if operand.double and precision != "h":
        raise OperandError(
            tr("`{name}` exists only for half precision", name), f"write $l{operand.register}{operand.row}"
        )
    if unit == "mau-read" and precision == "h" and not operand.double:
        raise OperandError(
            tr("hmread always reads two columns per cycle"), f"write $ll{operand.register}{operand.row & ~1}"
        )


def _check_aligned(address: int, unit: int, what: str) -> None:
    if unit and address % unit:
        down = address - address % unit
        raise OperandError(
            tr("{what} address {address} must be a multiple of {unit} here", what, address, unit),
            tr("use {down} or {value}", down, down + unit),
        )


def _check_l1bm(operand: L1bm | Turnaround, form: Form, head: Head) -> None:
    row, opcode = head.opcode.row, head.opcode
    if operand.words == 4:
        if row.unit == "l2bm" or row.shifts:
            raise OperandError(
                tr("`{name}` moves one long word per PE: there is no `$llb` form", row.name), "write $lb"
            )
        if row.reduces and opcode.precision != "f" and opcode.reduction != "bor":
            raise OperandError(
                tr("`$llb` reductions are single precision or bor, not {kind}", opcode.precision + opcode.reduction),
                tr("write {operand}", "$lb"),
            )
    # isa.md, section 8: for l1bmp the alignment is only what known programs have; simulator.assembly.checks warns.
    if isinstance(operand, L1bm) and row.name != "l1bmp":
        _check_aligned(operand.address, form.l1bm * operand.words // 2, "L1BM")


def _check_operand(operand: Operand, role_name: str, role: Role, form: Form, head: Head) -> None:
    """Raise OperandError unless the operand may stand in this role of this instruction."""
    first_only = isinstance(operand, Fixed) or (isinstance(operand, Path) and operand.name == "mreadf")
    if first_only and Fixed not in role.types and role_name in form.sources:
        raise OperandError(
            tr("fixed values and $mreadf may be only the first ALU input"), f"expected {role.description}"
        )
    if not isinstance(operand, role.types):
        if isinstance(operand, MaskRegister) and role_name == "out":
            raise OperandError(tr("`{name}` makes no mask flags", head.opcode.row.name), f"expected {role.description}")
        raise OperandError(tr("this operand cannot stand here"), f"expected {role.description}")
    if isinstance(operand, Matrix):
        _check_matrix(operand, role_name, head)
    elif isinstance(operand, (L1bm, Turnaround)):
        _check_l1bm(operand, form, head)
    elif isinstance(operand, L2bm):
        if operand.l2b is not None:
            raise OperandError(
                tr("L2BM instructions run in every L2B: `@` is for MV instructions"), tr("leave out the `@`")
            )
        _check_aligned(operand.address, form.l2bm, "L2BM")


def _check_decoration(role: Role, precision: str, negate: bool, suffix: str) -> None:
    if negate and not role.negate:
        raise OperandError(tr("`-` is only for the inputs of MAU instructions"), tr("leave out the `-`"))
    if suffix in ("", *role.suffixes(precision)):
        return
    if suffix == "e":
        raise OperandError(tr("this input cannot be widened with `e`"), tr("leave out the `e`"))
    raise OperandError(
        tr("`r` is only for MAU factors that are halves, hmwrite, hbfn and hbfe"), tr("leave out the `r`")
    )


def _source(word: Word, role_name: str, form: Form, head: Head) -> Source:
    operand, negate, suffix = parse_operand(word.text)
    role = ROLES[role_name]
    _check_operand(operand, role_name, role, form, head)
    if negate or suffix:
        _check_decoration(role, head.opcode.precision, negate, suffix)
    return Source(operand, word.offset, negate, suffix == "e", suffix == "r")


def _masked_memory(operand: Operand) -> str:
    """The memory whose `mask` default governs a destination: lm0 lm1 grf0 grf1 t omr, or "" for others."""
    if isinstance(operand, (PeMemory, BaseAddress)):
        return operand.bank
    if isinstance(operand, TRegister):
        return "t"
    return "omr" if isinstance(operand, MaskRegister) else ""


def _destination(word: Word, form: Form, head: Head, defaults: Defaults) -> Destination:
    text, slash, mask_text = word.text.partition("/")
    operand, negate, suffix = parse_operand(text)
    _check_operand(operand, form.destination, ROLES[form.destination], form, head)
    if negate or suffix:
        raise OperandError(tr("a destination has no `-`, `e` or `r`"), f"write {text.strip('-').rstrip('er')}")
    mask = defaults.get(_masked_memory(operand))
    if slash:
        if isinstance(operand, (L1bm, Turnaround, L2bm, Matrix, Dar)):
            raise OperandError(
                tr("`{text}` takes no write mask", text), tr("leave it out; only PE memories can be masked")
            )
        entry, words = parse_mask(mask_text)
        mask = WriteMask(entry, words)
    return Destination(operand, word.offset, mask)


# --- instructions ----------------------------------------------------------------------------------------------------


def _usage(head: Word, form: Form) -> str:
    """What a form wants, e.g. `fvfma INPUT INPUT INPUT OUTPUT…`."""
    operands = ["INPUT"] * len(form.sources) + (["OUTPUT"] if form.destination else [])
    more = "…" if form.destination and ROLES[form.destination].many else ""
    return " ".join([head.text, *operands]) + more


def _choose(forms: Sequence[Form], words: Sequence[Word]) -> Form:
    """The form whose first input fits: `l1bmm $lb0 $lm0` or `l1bmm@0 $lm0 $lb0`; where none does, the first."""
    if len(forms) > 1 and words:
        try:
            first = parse_operand(words[0].text)[0]
        except OperandError:
            return forms[0]
        for form in forms:
            if isinstance(first, ROLES[form.sources[0]].types):
                return form
    return forms[0]


def _check_count(words: Sequence[Word], form: Form) -> None:
    inputs, given = len(form.sources), len(words) - 1
    if given < inputs + bool(form.destination):
        raise OperandError(
            tr("`{text}` is short of operands: {given} given", words[0].text, given), f"write {_usage(words[0], form)}"
        )
    if given > inputs + bool(form.destination) and not (form.destination and ROLES[form.destination].many):
        raise OperandError(
            tr("`{text}` has too many operands: {given}", words[0].text, given), f"write {_usage(words[0], form)}"
        )


def _check_whole(head: Head, form: Form, sources: Sequence[Source], destinations: Sequence[Destination]) -> None:
    """Rules about the instruction as a whole. Raise OperandError."""
    if form.destination == "rows" and sources[0].narrow:
        rows = destinations[0].operand
        if isinstance(rows, Matrix) and rows.double:  # [A] two rows would need eight singles; a datum has four
            raise OperandError(
                tr("`r` gives four halves, which is one row per cycle, not two"), f"write $l{rows.register}"
            )
    if len(destinations) > 1 and any(isinstance(d.operand, NoWrite) for d in destinations):
        raise OperandError(tr("$nowrite must be the only destination"), tr("leave out $nowrite or the others"))
    if head.flush is not None and form.from_pes:
        raise OperandError(
            tr("zero-flush works only on what goes to the PEs"), tr("leave out the mask after the opcode")
        )


def _wait(words: Sequence[Word], text: str) -> Instruction:
    """`wait iXX`: a hexadecimal tag but 00 (isa.md, section 3); `simulator.assembly.checks` warns above 3f."""
    match = re.fullmatch(r"i([0-9A-Fa-f]{2})", words[1].text) if len(words) == 2 else None
    tag = int(match[1], 16) if match else 0
    if not tag:
        raise OperandError(
            tr("`wait` needs a tag from i01 to i3f"), tr("write two hexadecimal digits, e.g. `wait i01`")
        )
    form = isa.INSTRUCTIONS["wait"].forms[0]
    return Instruction("wait", "wait", text, form, tag=tag)


def _operands(
    words: Sequence[Word], form: Form, head: Head, defaults: Defaults, report: Report
) -> tuple[tuple[Source, ...], tuple[Destination, ...]] | None:
    """All operands of an instruction, or None after reporting every one that does not fit."""
    sources: list[Source] = []
    destinations: list[Destination] = []
    for index, word in enumerate(words):
        try:
            if index < len(form.sources):
                sources.append(_source(word, form.sources[index], form, head))
            else:
                destinations.append(_destination(word, form, head, defaults))
        except OperandError as error:
            report(word.offset, error)
    complete = len(sources) + len(destinations) == len(words)
    return (tuple(sources), tuple(destinations)) if complete else None


def decode(words: Sequence[Word], text: str, defaults: Defaults, report: Report) -> Instruction | None:
    """Decode one instruction from its words (opcode first); None after reporting everything that is wrong with it."""
    try:
        if words[0].text == "wait":
            return _wait(words, text)
        head = parse_head(words[0].text)
        row = head.opcode.row
        form = _choose(row.forms, words[1:])
        _check_count(words, form)
        operands = _operands(words[1:], form, head, defaults, report)
        if operands is None:
            return None
        sources, destinations = operands
        _check_whole(head, form, sources, destinations)
        chosen = resolve_at(head, form, row.name)
    except OperandError as error:
        report(words[0].offset, error)
        return None
    opcode = head.opcode
    return Instruction(
        op=row.name,
        unit=row.unit,
        text=text,
        form=form,
        precision=opcode.precision,
        sources=sources,
        destinations=destinations,
        reduction=opcode.reduction,
        rows=opcode.rows,
        narrow=opcode.narrow,
        unsigned=opcode.unsigned,
        kept=head.number if row.unit == "alu" else None,
        shift=head.shift,
        mab=chosen.mab,
        free=chosen.free,
        count=head.number or 1 if row.unit == "nop" else 1,
        l1bs=chosen.l1bs,
        flush=head.flush,
    )
