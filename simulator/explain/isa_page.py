"""docs/isa.md, generated from the table of instructions: `python -m simulator.explain.isa_page docs/isa.md`.

With HARIBOTE_LANG=ja it is docs/isa.ja.md. The names of operand roles, and grammar, are the same in all languages.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from simulator import isa
from simulator.assembly.assembler import assemble
from simulator.assembly.opcodes import MOVE_OPCODES, OPCODES, REDUCTIONS
from simulator.console import FINE, run_guarded
from simulator.explain.line import explain_line
from simulator.explain.wording import PRECISIONS
from simulator.files import write_file
from simulator.isa.cost import NOT_KNOWN, RATES
from simulator.isa.forms import Form
from simulator.isa.formulas import bounded
from simulator.isa.rows import EVIDENCE, ROLES, MoveRow, Row, spelled
from simulator.language import language
from simulator.messages import Text, joined, shown, tr
from simulator.rules.waits import RULES

COMMAND = "python -m simulator.explain.isa_page docs/isa.md"
COMMANDS = {"en": COMMAND, "ja": f"HARIBOTE_LANG=ja {COMMAND.replace('.md', '.ja.md')}"}
EDITIONS = {"en": "[日本語](isa.ja.md)", "ja": "[English](isa.md)"}
STOPS = {"en": ".", "ja": "。"}
TITLE = Text("The instructions of MN-Core 2, as this simulator knows them")
STEPS = Text(
    """\
A step is one line of the program: {step_cycles} cycles (`c` = 0 to 3), in which every PE does the same. An \
instruction of a step
reads all its operands before anything is written. `x y z` are inputs, `dst…` one or more destinations; `[ ]` may be
left out, `{{ | }}` is a choice, and a mask is `1000` (a digit per cycle) or `$imr1` (an entry of the mask register).
What a mask excludes stays as it was; only flags written to the mask register (`$omr1/1000`) are cleared there.""",
    {"step_cycles": isa.STEP_CYCLES},
)
FORMULAS = Text("""\
In formulas, `PE[m, p, c, w]` is long word w that PE p of MAB m handles in cycle c; A and B are the addresses of source
and destination; `M` is a matrix register. What only one side of a formula counts over is combined. Words have 32 bits,
long words 64. Every example below is assembled and executed by the tests, and the words under it are what
`python -m simulator explain` says about it.""")
OTHER_ADDRESSES = Text("""\
Where the last column has a number, other addresses need not wait. A step has 4 cycles, so 6 free cycles
are one step where both lines go through the same addresses (`v`), two where the last cycle writes what the
first one reads. Where `imm` or `zero` writes a GRF and a transfer to the L1BM reads it, 4 free cycles give
no error but a warning: a published program leaves no more. What is written to a GRF under a written mask
entry (`/$imr1`) is not waited for, since it is not known before the program runs.""")
PATHS_HOLD = Text("""\
The forwarding paths (`$aluf`, `$mauf`, `$lbf`, `$mreadf`) hold the result of the step before. Nops in
between do no harm; after any other step that gives no result to a path, it is not known what it holds.""")
FAMILIES = {
    Text("Control"): ("nop", "noforward", "wait"),
    "ALU": ("alu",),
    "MAU": ("mau", "mau-write", "mau-read"),
    Text("L1BM: between L1BM and PEs"): ("l1bm",),
    Text("L2BM: between L2BM and L1BM"): ("l2bm", "l2bmdarw"),
}
MV = Text("MV: between DRAM, PDM and L2BM")


def main(arguments: Sequence[str]) -> int:
    """Write the page to the file named, or print it. Returns the exit status."""
    if len(arguments) > 1:
        print(tr("usage: python -m simulator.explain.isa_page [FILE]"), file=sys.stderr)
        return 2

    def command() -> int:
        if arguments:
            write_file(Path(arguments[0]), page())
        else:
            print(page(), end="")
        return FINE

    return run_guarded(command)


def page() -> str:
    """The whole page, in the language of the moment."""
    parts = [*_head(), *_contents(), *_evidence(), *_operands(), *_waits(), *_costs()]
    for title in FAMILIES:
        parts.append(_heading(title))
        parts += [_entry(row) for row in _members(title)]
    parts.append(_heading(MV))
    parts += [_move_entry(row) for row in isa.MOVES.values()]
    return "\n".join(parts)


def _members(family: str) -> list[Row]:
    return [row for row in isa.INSTRUCTIONS.values() if row.unit in FAMILIES[family]]


def _said(text: str) -> str:
    """A text in the language of the moment, without a space where lines of full-width characters meet."""
    return re.sub(r"(?<=[^\x00-\x7f])\n(?=[^\x00-\x7f])", "", shown(text))


def _heading(title: str) -> str:
    return f"## {shown(title)}\n"


def _head() -> Iterator[str]:
    yield f"<!-- Generated from simulator/isa by `{COMMANDS[language()]}`. Do not edit. -->"
    yield f"# {shown(TITLE)}\n"
    yield f"*{EDITIONS[language()]}*\n"
    yield from (f"{_said(paragraph)}\n" for paragraph in (STEPS, FORMULAS))


def _contents() -> Iterator[str]:
    """The sections, and in those of instructions every instruction."""
    yield _heading(tr("Contents"))
    yield from (
        f"* {_link(shown(title))}" for title in (tr("Evidence"), tr("Operands and letters"), tr("Waits"), tr("Cost"))
    )
    families = {title: [row.name for row in _members(title)] for title in FAMILIES} | {MV: list(isa.MOVES)}
    for title, names in families.items():
        yield f"* {_link(shown(title))}: {', '.join(map(_link, names))}"
    yield ""


def _link(title: str) -> str:
    """A link to a heading of this page."""
    return f"[{title}](#{slug(title)})"


def slug(heading: str) -> str:
    """The anchor that code hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _in_code(text: str) -> str:
    """Operands as code: `$lb<address>` would be a tag that no page shows."""
    return re.sub(r'\$\w+(<[^<>]+>)?|i"1"', r"`\g<0>`", text, flags=re.ASCII)


# --- what holds for all ----------------------------------------------------------------------------------------------


def counts() -> Counter[str]:
    """How many instructions have which mark as their best evidence."""
    marks = [row.evidence[0] for row in isa.INSTRUCTIONS.values()] + [row.evidence[0] for row in isa.MOVES.values()]
    return Counter(marks)


def _evidence() -> Iterator[str]:
    yield _heading(tr("Evidence"))
    number = counts()
    for mark, meaning in EVIDENCE.items():
        yield tr("* **{mark}** {meaning} ({number} instructions)", mark, meaning, number[mark])
    pe, mv = (
        tr("{instructions} PE instructions", len(isa.INSTRUCTIONS)),
        tr("{moves} MV instructions", len(isa.MOVES)),
    )
    yield tr("\n{pe} in {opcodes} spellings, {mv} in {move_opcodes}.\n", pe, len(OPCODES), mv, len(MOVE_OPCODES))
    yield _said(
        tr(
            'Where a comment in the source cites a section ("isa.md, section 12.2"), that is of the notes for\n'
            "implementers that this simulator was written from; what they say of an instruction is on this page.\n"
        )
    )


def _operands() -> Iterator[str]:
    yield _heading(tr("Operands and letters"))
    yield tr("| operand | what may stand there | decorations |\n|---|---|---|")
    for name, role in ROLES.items():
        allowed = [tr("`-` negates")] * role.negate
        allowed += [tr("`e` widens ({widen})", ", ".join(role.widen))] * bool(role.widen)
        allowed += [tr("`r` rounds singles to halves ({narrow})", ", ".join(role.narrow))] * bool(role.narrow)
        yield f"| {name} | {_in_code(shown(role.description))} | {joined(*allowed)} |"
    letters = joined(*(f"`{letter}` {shown(meaning)}" for letter, meaning in PRECISIONS.items()))
    reductions = ", ".join(f"`{letter}{name}`" for letter, name in REDUCTIONS)
    yield tr("\nPrecisions: {letters}. Reductions: {reductions}.\n", letters, reductions)


def _waits() -> Iterator[str]:
    yield _heading(tr("Waits"))
    yield _said(
        tr(
            "What a step writes can be read only some steps later. The check refuses a program that reads too early;\n"
            "where the closest known distance is all there is to go by, it warns. `nop` is one step, `nop/3` are "
            "three.\n"
        )
    )
    yield tr("| written by | read by | steps between | free cycles between, at one address |\n|---|---|---|---|")
    for rule in RULES:
        steps = tr("{steps} (a warning)", rule.steps) if rule.warning else str(rule.steps or "")
        yield f"| {shown(rule.producer)} | {shown(rule.consumer)} | {steps} | {rule.cycles or ''} |"
    yield f"\n{_said(OTHER_ADDRESSES)}\n"
    yield f"{_said(PATHS_HOLD)}\n"


def _costs() -> Iterator[str]:
    yield _heading(tr("Cost"))
    yield tr(
        "A PE line takes one step, {step_cycles} cycles. An MV instruction takes its size divided by its rate:\n",
        isa.STEP_CYCLES,
    )
    yield tr("| MV instruction | long words per cycle | source |\n|---|---|---|")
    yield from (f"| {shown(rate.kind)} | {rate.longs} | {shown(rate.source)} |" for rate in RATES)
    yield tr("\nNot counted:\n")
    yield from (f"* {shown(note)}" for note in NOT_KNOWN)
    yield ""


# --- one instruction -------------------------------------------------------------------------------------------------


def grammar(row: Row, form: Form) -> str:
    """How an instruction is written, e.g. `[u]{l|i|s}add[/MASK] x y dst…`."""
    if row.unit == "wait":
        return "wait iTAG"
    letters = "|".join(row.precisions)
    name = f"{{{letters}}}{row.name}" if len(letters) > 1 else f"{letters}{row.name}"
    name = f"{'[u]' if row.unsigned else ''}{name}"
    name += "[u]" if row.name == "imm" else ""
    name += "<reduction>" if row.reduces else ""
    name += "[u|d]" if row.halves else ""
    name += "[r]" if row.narrow else ""
    name += "[±n]" if row.shifts else ""
    name += {"mab": "@k", "l1b": "@b", "set": "[@set]", "indirect": "@b0/i", "": ""}[form.at]
    name += "[/n]" if row.number else ""
    name += "[/MASK]" if row.flush and form.destination != "lb" else ""
    letter = iter("xyz")
    kinds = {
        "literal": 'i"…"',
        "matrix": "$lx",
        "rows": "$lx<row>",
        "lb": "$lb<a>",
        "block": "$lb<a>",
        "l1bm": "$lb<a>",
        "lc": "$lc<a>",
    }
    sources = [kinds.get(source) or next(letter) for source in form.sources]
    many = bool(form.destination) and ROLES[form.destination].many
    target = kinds.get(form.destination, "$dar<entry>" if form.destination == "dar" else "dst") + "…" * many
    return " ".join([name, *sources, *([target] if form.destination else [])])


def _entry(row: Row) -> str:
    meaning = _sentence(shown(row.meaning))
    told = tr("{meaning} Evidence: {evidence}.", meaning, row.evidence)
    lines = [f"### {row.name}\n", f"{told}\n", "```"]
    lines += [grammar(row, form) for form in row.forms]
    facts = [f"* {fact}" for fact in _facts(row)]
    lines += ["```\n", *facts, *[""] * bool(facts), *_example(row.example)]
    return "\n".join(lines)


def _facts(row: Row) -> Iterator[str]:
    for form in row.forms:
        named = [*form.sources, *([form.destination] if form.destination else [])]
        if named:
            yield f"{tr('operands:')} {', '.join(named)}"
        if form.formula:
            yield f"`{_readable(form.formula)}`"
        l2bm, l1bm, per_pe = form.traffic()
        alignment = [tr("`$lc` a multiple of {l_bm}", form.l2bm)] * bool(form.l2bm)
        alignment += [_multiple(form.l1bm, bool(per_pe and not row.shifts), row.name == "l1bmp")] * bool(form.l1bm)
        if alignment:
            multiples = joined(*alignment)
            yield tr("alignment: {multiples}", multiples)
            moved = {"L2BM": l2bm, "L1BM": l1bm, "PE": per_pe}
            words = joined(*(tr("{n} per {level}", n, level) for level, n in moved.items() if n))
            yield tr("long words per step: {words}", words)
    if row.halves:
        yield tr("`u` (products in PEs 0 and 1) or `d` (in PEs 2 and 3) is needed in precision {halves}", row.halves)
    if row.fma:
        rates = joined(*(f"{letter} {n}" for letter, n in row.fma.items()))
        yield tr("multiply-adds per MAB and step: {rates}", rates)
    for letter, numbers in row.number.items():
        limit = tr("{numbers} or more", numbers[0])
        if len(numbers) < 100:
            limit = tr("{numbers} to {numbers2}", numbers[0], numbers[-1])
        if letter and len(row.precisions) > 1:
            limit = tr("{limit} (only {letter})", limit, letter)
        yield f"`/n`: {limit}"


def _multiple(l1bm: int, double: bool, usual: bool) -> str:
    """What addresses of the L1BM are multiples of."""
    if usual:
        return tr("`$lb` a multiple of {value} ({value2} for `$llb`), usually", 4 * l1bm, 8 * l1bm)
    if double:
        return tr("`$lb` a multiple of {l_bm} ({value} for `$llb`)", l1bm, 2 * l1bm)
    return tr("`$lb` a multiple of {l_bm}", l1bm)


def _move_entry(row: MoveRow) -> str:
    size = "<reduction>" * row.reduces + "/n<size>[i<tag>][p<priority>] source destination"
    lines = [f"### {row.name}\n", f"{_sentence(shown(row.meaning))}\n", "```"]
    lines += [row.name + (size if row.forms else ""), "```\n"]
    if row.forms:
        lines.append(tr("| from | to | evidence | moves |\n|---|---|---|---|"))
    for (source, destination), form in sorted(row.forms.items()):
        ends = " | ".join(f"`{spelled(end, '<a>')}`" for end in (source, destination))
        lines.append(f"| {ends} | {form.evidence} | `{_readable(form.formula)}` |")
    return "\n".join([*lines, *[""] * bool(row.forms), *_example(row.example)])


def _sentence(meaning: str) -> str:
    """A meaning with a capital, unless it starts with an operand's letter, and a full stop."""
    as_it_is = meaning[1] == " " or language() != "en"
    return (meaning if as_it_is else meaning[0].upper() + meaning[1:]) + STOPS[language()]


def _readable(formula: str) -> str:
    equation, _, bounds = formula.partition("|")
    text = equation + bounded([part.strip() for part in bounds.split(",")] if bounds else []).lstrip()
    return text.replace("//", "div").replace("%", "mod").replace("&", "AND").replace("==", "=")


def _example(text: str) -> Iterator[str]:
    (line,) = assemble(text).lines
    head, *told = explain_line(line, evidence=False)  # which stands above already
    yield "\n".join(["```", head.removeprefix("1: "), *told, "```", ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
