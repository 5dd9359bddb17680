"""docs/isa.md, generated from the table of instructions: `python -m simulator.explain.isa_page docs/isa.md`."""

from __future__ import annotations

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
from simulator.isa.rows import EVIDENCE, ROLES, MoveRow, Row
from simulator.rules.waits import RULES

HEAD = """<!-- Generated from simulator/isa by `python -m simulator.explain.isa_page docs/isa.md`. Do not edit. -->
# The instructions of MN-Core 2, as this simulator knows them

A step is one line of the program: 4 cycles (`c` = 0 to 3), in which every PE does the same. An instruction of a step
reads all its operands before anything is written. `x y z` are inputs, `dst…` one or more destinations; `[ ]` may be
left out, `{ | }` is a choice, and a mask is `1000` (a digit per cycle) or `$imr1` (an entry of the mask register).
What a mask excludes stays as it was; only flags written to the mask register (`$omr1/1000`) are cleared there.

In formulas, `PE[m, p, c, w]` is long word w that PE p of MAB m handles in cycle c; A and B are the addresses of source
and destination; `M` is a matrix register. What only one side of a formula counts over is combined. Words have 32 bits,
long words 64. Every example below is assembled and executed by the tests, and the words under it are what
`python -m simulator explain` says about it.
"""
FAMILIES = {
    "Control": ("nop", "noforward", "wait"),
    "ALU": ("alu",),
    "MAU": ("mau", "mau-write", "mau-read"),
    "L1BM: between L1BM and PEs": ("l1bm",),
    "L2BM: between L2BM and L1BM": ("l2bm", "l2bmdarw"),
}
MEMORIES = {"p": "$p", "d": "$d", "c": "$lc"}


def main(arguments: Sequence[str]) -> int:
    """Write the page to the file named, or print it. Returns the exit status."""
    if len(arguments) > 1:
        print("usage: python -m simulator.explain.isa_page [FILE]", file=sys.stderr)
        return 2

    def command() -> int:
        if arguments:
            write_file(Path(arguments[0]), page())
        else:
            print(page(), end="")
        return FINE

    return run_guarded(command)


def page() -> str:
    """The whole page."""
    parts = [HEAD, *_evidence(), *_operands(), *_waits(), *_costs()]
    for title, units in FAMILIES.items():
        parts.append(f"## {title}\n")
        parts += [_entry(row) for row in isa.INSTRUCTIONS.values() if row.unit in units]
    parts.append("## MV: between DRAM, PDM and L2BM\n")
    parts += [_move_entry(row) for row in isa.MOVES.values()]
    return "\n".join(parts)


# --- what holds for all ----------------------------------------------------------------------------------------------


def counts() -> Counter[str]:
    """How many instructions have which mark as their best evidence."""
    marks = [row.evidence[0] for row in isa.INSTRUCTIONS.values()] + [row.evidence[0] for row in isa.MOVES.values()]
    return Counter(marks)


def _evidence() -> Iterator[str]:
    yield "## Evidence\n"
    number = counts()
    for mark, meaning in EVIDENCE.items():
        yield f"* **{mark}** {meaning} ({number[mark]} instructions)"
    pe, mv = f"{len(isa.INSTRUCTIONS)} PE instructions", f"{len(isa.MOVES)} MV instructions"
    yield f"\n{pe} in {len(OPCODES)} spellings, {mv} in {len(MOVE_OPCODES)}.\n"
    yield (
        'Where a comment in the source cites a section ("isa.md, section 12.2"), that is of the notes for\n'
        "implementers that this simulator was written from; what they say of an instruction is on this page.\n"
    )


def _operands() -> Iterator[str]:
    yield "## Operands and letters\n"
    yield "| operand | what may stand there | decorations |\n|---|---|---|"
    for name, role in ROLES.items():
        allowed = ["`-` negates"] * role.negate
        allowed += [f"`e` widens ({', '.join(role.widen)})"] * bool(role.widen)
        allowed += [f"`r` rounds singles to halves ({', '.join(role.narrow)})"] * bool(role.narrow)
        yield f"| {name} | {role.description} | {', '.join(allowed)} |"
    letters = ", ".join(f"`{letter}` {meaning}" for letter, meaning in PRECISIONS.items())
    reductions = ", ".join(f"`{letter}{name}`" for letter, name in REDUCTIONS)
    yield f"\nPrecisions: {letters}. Reductions: {reductions}.\n"


def _waits() -> Iterator[str]:
    yield "## Waits\n"
    yield (
        "What a step writes can be read only some steps later. The check refuses a program that reads too early;\n"
        "where the closest known distance is all there is to go by, it warns. `nop` is one step, `nop/3` are three.\n"
    )
    yield "| written by | read by | steps between | free cycles between, at one address |\n|---|---|---|---|"
    for rule in RULES:
        steps = f"{rule.steps} (a warning)" if rule.warning else str(rule.steps or "")
        yield f"| {rule.producer} | {rule.consumer} | {steps} | {rule.cycles or ''} |"
    yield (
        "\nWhere the last column has a number, other addresses need not wait. A step has 4 cycles, so 6 free cycles\n"
        "are one step where both lines go through the same addresses (`v`), two where the last cycle writes what the\n"
        "first one reads. Where `imm` or `zero` writes a GRF and a transfer to the L1BM reads it, 4 free cycles give\n"
        "no error but a warning: a published program leaves no more. What is written to a GRF under a written mask\n"
        "entry (`/$imr1`) is not waited for, since it is not known before the program runs.\n\n"
        "The forwarding paths (`$aluf`, `$mauf`, `$lbf`, `$mreadf`) hold the result of the step before. Nops in\n"
        "between do no harm; after any other step that gives no result to a path, it is not known what it holds.\n"
    )


def _costs() -> Iterator[str]:
    yield "## Cost\n"
    yield f"A PE line takes one step, {isa.STEP_CYCLES} cycles. An MV instruction takes its size divided by its rate:\n"
    yield "| MV instruction | long words per cycle | source |\n|---|---|---|"
    yield from (f"| {rate.kind} | {rate.longs} | {rate.source} |" for rate in RATES)
    yield "\nNot counted:\n"
    yield from (f"* {note}" for note in NOT_KNOWN)
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
    lines = [f"### {row.name}\n", f"{_sentence(row.meaning)} Evidence: {row.evidence}.\n", "```"]
    lines += [grammar(row, form) for form in row.forms]
    facts = [f"* {fact}" for fact in _facts(row)]
    lines += ["```\n", *facts, *[""] * bool(facts), *_example(row.example)]
    return "\n".join(lines)


def _facts(row: Row) -> Iterator[str]:
    for form in row.forms:
        named = [*form.sources, *([form.destination] if form.destination else [])]
        if named:
            yield f"operands: {', '.join(named)}"
        if form.formula:
            yield f"`{_readable(form.formula)}`"
        l2bm, l1bm, per_pe = form.traffic()
        alignment = [f"`$lc` a multiple of {form.l2bm}"] * bool(form.l2bm)
        usual = ", usually" if row.name == "l1bmp" else ""
        double = f" ({8 * form.l1bm if usual else 2 * form.l1bm} for `$llb`)" if per_pe and not row.shifts else ""
        alignment += [f"`$lb` a multiple of {4 * form.l1bm if usual else form.l1bm}{double}{usual}"] * bool(form.l1bm)
        if alignment:
            yield f"alignment: {', '.join(alignment)}"
            moved = {"L2BM": l2bm, "L1BM": l1bm, "PE": per_pe}
            yield "long words per step: " + ", ".join(f"{n} per {level}" for level, n in moved.items() if n)
    if row.halves:
        yield f"`u` (products in PEs 0 and 1) or `d` (in PEs 2 and 3) is needed in precision {row.halves}"
    if row.fma:
        yield "multiply-adds per MAB and step: " + ", ".join(f"{letter} {n}" for letter, n in row.fma.items())
    for letter, numbers in row.number.items():
        limit = f"{numbers[0]} to {numbers[-1]}" if len(numbers) < 100 else f"{numbers[0]} or more"
        yield f"`/n`: {limit}" + (f" (only {letter})" if letter and len(row.precisions) > 1 else "")


def _move_entry(row: MoveRow) -> str:
    size = "<reduction>" * row.reduces + "/n<size>[i<tag>][p<priority>] source destination"
    lines = [f"### {row.name}\n", f"{_sentence(row.meaning)}\n", "```"]
    lines += [row.name + (size if row.forms else ""), "```\n"]
    if row.forms:
        lines.append("| from | to | evidence | moves |\n|---|---|---|---|")
    for (source, destination), form in sorted(row.forms.items()):
        lines.append(f"| `{spell(source)}` | `{spell(destination)}` | {form.evidence} | `{_readable(form.formula)}` |")
    return "\n".join([*lines, *[""] * bool(row.forms), *_example(row.example)])


def _sentence(meaning: str) -> str:
    """A meaning with a capital, unless it starts with an operand's letter, and a full stop."""
    return f"{meaning}." if meaning[1] == " " else f"{meaning[0].upper()}{meaning[1:]}."


def _readable(formula: str) -> str:
    return formula.replace("//", "div").replace("%", "mod").replace("&", "AND").replace("==", "=").replace("|", "for")


def spell(kind: str) -> str:
    """`$lc<a>@g.l` for the kind `c@` of `MoveRow.forms`."""
    at = {"c@": "@g.l", "c.": "@.l"}.get(kind, "@g" if kind.endswith("@") else "")
    return f"{MEMORIES[kind[0]]}<a>{at}"


def _example(text: str) -> Iterator[str]:
    (line,) = assemble(text).lines
    head, *told = explain_line(line, evidence=False)  # which stands above already
    yield "\n".join(["```", head.removeprefix("1: "), *told, "```", ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
