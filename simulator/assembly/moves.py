"""One MV line: `mvX/n<size>[i<tag>][nd<N>][p<priority>] SOURCE DESTINATION` (isa.md, section 6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from simulator import isa
from simulator.assembly.instructions import Report, Word
from simulator.assembly.opcodes import MOVE_OPCODES
from simulator.assembly.operands import OperandError, parse_operand
from simulator.isa.program import Destination, DramIndirect, L2bm, Move, Operand, Source
from simulator.isa.rows import MoveRow, kind_of, spelled
from simulator.messages import tr

_PARAMETER = re.compile(r"(nd)(\d+)|(n)(\d+)|(i)([0-9A-Fa-f]{2})|(p)([0-3])")


def _parameters(text: str, name: str) -> dict[str, int]:
    """The parameters after the slash, in any order: n (size), i (tag), nd (units), p (priority)."""
    found: dict[str, int] = {}
    position = 0
    while position < len(text):
        match = _PARAMETER.match(text, position)
        if not match:
            raise OperandError(
                tr("cannot read `{text}` in the parameters of `{name}`", text[position:], name),
                tr("n64 is the size, i01 a tag of two hexadecimal digits, p0 to p3 the priority"),
            )
        key, digits = (group for group in match.groups() if group is not None)
        if key in found:
            raise OperandError(tr("`{name}` has the parameter `{key}` twice", name, key), tr("keep one"))
        found[key] = int(digits, 16 if key == "i" else 10)
        position = match.end()
    return found


def _check_parameters(found: dict[str, int], name: str) -> None:
    size = found.get("n")
    if size is None:
        raise OperandError(tr("`{name}` has no size", name), tr("write {name}/n64: the size in long words", name))
    if size < 1 or size % isa.MV_UNIT:
        up = -(-max(size, 1) // isa.MV_UNIT) * isa.MV_UNIT
        raise OperandError(
            tr("the size {size} is not a multiple of {mv_unit} long words", size, isa.MV_UNIT), tr("use n{up}", up)
        )
    if found.get("nd") == 0:
        raise OperandError(tr("`nd0` would never move on"), tr("use nd1 or more"))


def _check_size(size: int, name: str, ends: Sequence[Operand]) -> None:
    """[A] No memory is asked for more than it has; the text gives no limit."""
    limit = min(isa.L2BM_LONGS if isinstance(end, L2bm) else isa.PDM_LONGS for end in ends)
    if size > limit:
        memory = "L2BM" if limit == isa.L2BM_LONGS else "PDM"
        raise OperandError(
            tr("the size {size} of `{name}` is more than the {memory} has", size, name, memory),
            tr("use n{limit} or less", limit),
        )


def _operand(word: Word, report: Report) -> tuple[Operand, str] | None:
    try:
        operand, negate, suffix = parse_operand(word.text)
        if negate or suffix:
            raise OperandError(tr("an MV operand has no `-`, `e` or `r`"), tr("leave it out"))
        kind = kind_of(operand)
        if not kind:
            raise OperandError(
                tr("MV instructions move between $p, $d and $lc only"),
                tr("use l1bm and l2bm instructions on the way to a PE"),
            )
        return operand, kind
    except OperandError as error:
        report(word.offset, error)
        return None


def _check_form(row: MoveRow, name: str, kinds: tuple[str, str]) -> None:
    if kinds in row.forms:
        return
    memories = tuple(kind[0] for kind in kinds)
    near = [pair for pair in sorted(row.forms) if (pair[0][0], pair[1][0]) == memories] or sorted(row.forms)
    forms = " or ".join(f"{name} {spelled(a)} {spelled(b)}" for a, b in near[:4])
    raise OperandError(
        tr("`{name}` does not move from {kinds} to {kinds2}", name, spelled(kinds[0]), spelled(kinds[1])),
        f"write {forms}",
    )


def decode_move(words: Sequence[Word], line: int, column: int, text: str, report: Report) -> Move | None:
    """Decode an MV line, which begins at a column, from its words (opcode first); None after reporting everything that
    is wrong with it."""
    head = words[0]
    name, slash, parameters = head.text.partition("/")
    known = MOVE_OPCODES.get(name)
    try:
        if known is None:
            spelled = [text for text, (row, _, _) in MOVE_OPCODES.items() if row.name == name]
            near = spelled[:3] or get_close_matches(name, MOVE_OPCODES, 3)
            fix = tr("see docs/isa.md, the table of MV instructions")
            if near:
                fix = tr("did you mean {near}?", ", ".join(near))
            raise OperandError(tr("`{name}` is not an MV instruction", name), fix)
        row, precision, reduction = known
        if not row.forms:
            if slash or len(words) > 1:
                raise OperandError(tr("`{name}` takes no parameters", name), tr("write {name} alone", name))
            return Move(line, text, name, column)
        found = _parameters(parameters, name)
        _check_parameters(found, name)
        if len(words) != 3:
            raise OperandError(
                tr("`{name}` needs a source and a destination", name),
                tr("write {name}/n64 $lc0 $p0@0, for example", name),
            )
        ends = [_operand(word, report) for word in words[1:]]
        if ends[0] is None or ends[1] is None:
            return None
        (source, source_kind), (destination, destination_kind) = ends[0], ends[1]
        _check_form(row, name, (source_kind, destination_kind))
        _check_size(found["n"], name, (source, destination))
        if "nd" in found and not (isinstance(source, DramIndirect) or isinstance(destination, DramIndirect)):
            raise OperandError(tr("`nd` is only for addresses from the DRAM table"), tr("leave it out, or use $di"))
    except OperandError as error:
        report(head.offset, error)
        return None
    return Move(
        line,
        text,
        row.name,
        column,
        size=found["n"],
        source=Source(source, words[1].offset),
        destination=Destination(destination, words[2].offset),
        precision=precision,
        reduction=reduction,
        tag=found.get("i"),
        priority=found.get("p", 0),
        units=found.get("nd", 1),
    )
