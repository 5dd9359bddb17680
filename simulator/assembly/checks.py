"""What a program does too early, or doubtfully: `check` finds it, `fix_nops` and `boundary_nops` place the nops.

The vendor's emulator shows every write to the next line; the device does not, and the vendor's assembler refuses
programs that read too early. Errors: waits (isa.md, section 12.2). Warnings: what no known program does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from simulator import isa
from simulator.assembly.assembler import assemble_what_can_be
from simulator.errors import Diagnostic
from simulator.isa.program import (
    DebugGet,
    Instruction,
    L1bm,
    Line,
    Move,
    Path,
    PeMemory,
    Program,
    Step,
    Turnaround,
)
from simulator.messages import Text, tr
from simulator.rules.conflicts import conflicts
from simulator.rules.waits import WINDOW, Timeline, Wait

# --- forwarding paths and the turnaround register --------------------------------------------------------------------


def _paths(step: Step) -> set[str]:
    """The forwarding paths that a step leaves valid (isa.md, section 5.2)."""
    return {instruction.path for instruction in step.instructions if instruction.path}


Sent = tuple[int, int, Instruction]
"""The step in which the last transfer from the PEs to L1BM was issued, its line, and the instruction."""
NOT_KNOWN = Text("what it holds is not known")  # a forwarding path that is read after another step than the next


def _warn(
    line: int, column: int, message: str, fix: str, severity: Literal["error", "warning"] = "warning"
) -> Diagnostic:
    return Diagnostic(line, column, message, fix, severity)


def _stale_paths(step: Step, valid: set[str]) -> Iterator[Diagnostic]:
    for column, instruction in step.placed:
        for source in instruction.sources:
            if isinstance(source.operand, Path) and source.operand.name not in valid:
                message = tr(
                    "the last step before this one that is not a nop put nothing on ${name}; "
                    "{not_known} (docs/isa.md, Waits)",
                    source.operand.name,
                    NOT_KNOWN,
                )
                fix = tr("read the path right after the step that fills it")
                yield _warn(step.line, column + source.offset, message, fix)


def _layout(instruction: Instruction, operand: Turnaround | L1bm) -> tuple[int, int]:
    """What says in which order the words of a transfer lie in the turnaround register: its family and its width."""
    return instruction.form.l1bm, operand.words


def _turnaround(step: Step, sent: Sent | None, now: int) -> Iterator[Diagnostic]:
    """`$lbi` replays the transfer of the step before (isa.md, section 8).

    Errors are what the machine refuses to run: no text says what another family, or `$lbi` after `$llb`, would read.
    """
    for column, instruction in step.placed:
        for source in instruction.sources:
            if isinstance(source.operand, Turnaround):
                finding = _replay(instruction, source.operand, sent, now)
                if finding is not None:
                    yield _warn(step.line, column + source.offset, *finding)


def _replay(
    instruction: Instruction, operand: Turnaround, sent: Sent | None, now: int
) -> tuple[str, str, Literal["error", "warning"]] | None:
    """What is wrong with a `$lbi`: message, fix, severity."""
    name = f"${'l' * (operand.words // 2)}bi"
    if sent is None:
        message = tr("{name} is read, but nothing was sent from the PEs to L1BM before", name)
        return message, tr("put a transfer of the same family right before this step"), "error"
    time, line, sender = sent
    target = sender.destinations[0].operand
    assert isinstance(target, L1bm | Turnaround)
    if _layout(instruction, operand) != _layout(sender, target):
        written = tr("{op} with ${value}b", sender.op, "l" * (target.words // 2))
        message = tr(
            "{name} was written by {written} (line {line}), of another transfer family or width", name, written, line
        )
        return message, tr("use the same family, and `ll` on both sides or on none"), "error"
    if time != now - 1:
        message = tr("{name} is read, but the step before sends nothing from the PEs to L1BM", name)
        return message, tr("put the transfer right before this step"), "warning"
    if instruction.shift != sender.shift:
        message = tr("both l1bmd of a turnaround pair need the same shift")
        return message, f"write l1bmd{sender.shift:+d}", "error"
    return None


def _reads_turnaround(step: Step) -> bool:
    return any(isinstance(source.operand, Turnaround) for i in step.instructions for source in i.sources)


def _sends(step: Step) -> Instruction | None:
    for instruction in step.instructions:
        if instruction.form.from_pes:
            return instruction
    return None


def _odd_addresses(instruction: Instruction, line: int, column: int) -> Iterator[Diagnostic]:
    """Addresses that the machine takes, but no known program has."""
    for end in instruction.ends:
        operand = end.operand
        if isinstance(operand, PeMemory) and any(a % operand.words for a in operand.addresses):
            message = tr("the stride leads to misaligned addresses; they are rounded down")
            yield _warn(line, column + end.offset, message, tr("use a larger stride"))
        if instruction.op == "l1bmp" and isinstance(operand, L1bm) and operand.address % (2 * operand.words):
            address, unit = operand.address, 2 * operand.words
            message = tr("known programs give l1bmp multiples of {value} here, not {address}", unit, address)
            yield _warn(line, column + end.offset, message, f"use {address - address % unit}")


def _extended_products(step: Step, made: bool) -> Iterator[Diagnostic]:
    """Half products after a `hbfe`: how factors that it flags are rounded is not known (isa.md, section 11.3)."""
    for column, instruction in step.placed:
        if made and instruction.precision == "h" and instruction.op in ("mmul", "mfma"):
            message = tr(
                "products of what hbfe has flagged (exponent field 0) are not known; here they count as they are"
            )
            yield _warn(step.line, column, message, tr("use hbfn for factors"))


def _tag(tag: int, line: int, column: int) -> Iterator[Diagnostic]:
    """The manual's tags end at 3f, but the public compiler tags every MV `i9f` (isa.md, section 3)."""
    if tag >= isa.WAIT_TAGS:
        last = f"i{isa.WAIT_TAGS - 1:02x}"
        message = tr("the tag i{tag:02x} is above {last}, the last one documented", tag, last)
        yield _warn(line, column, message, tr("use i01 to {last}", last))


def _doubtful_line(line: Line) -> Iterator[Diagnostic]:
    """What is known programs' custom, but not documented: in a line by itself."""
    if isinstance(line, Move) and line.tag is not None:
        yield from _tag(line.tag, line.line, line.column)
    elif isinstance(line, Step):
        for column, instruction in line.placed:
            yield from _tag(instruction.tag, line.line, column)
            yield from _odd_addresses(instruction, line.line, column)
    elif isinstance(line, DebugGet) and line.target.memory in ("grf0", "grf1") and line.target.address % 2:
        address = line.target.address
        message = tr(
            "a long word starts at an even address; what the emulator prints for {address} is not known, "
            "here it is words {address} and {value}",
            address,
            address + 1,
        )
        yield _warn(line.line, 1, message, f"use {address - 1}")


# --- findings and repairs --------------------------------------------------------------------------------------------


def _steps(program: Program) -> Iterator[Step]:
    return (line for line in program.lines if isinstance(line, Step))


def _missing(waits: Iterable[Wait], warnings: bool = False) -> int:
    """Steps that the waits that are errors ask for, with `warnings` the doubtful ones too."""
    return max((wait.missing for wait in waits if warnings or not wait.rule.warning), default=0)


def check(program: Program) -> list[Diagnostic]:
    """Findings about steps that follow too soon (errors) and about doubtful code (warnings), in source order."""
    timeline = Timeline()
    found: list[Diagnostic] = []
    valid: set[str] = set()
    sent: Sent | None = None
    extended = False
    for line in program.lines:
        found += _doubtful_line(line)
        if not isinstance(line, Step):
            continue
        step = line
        first = sent[1] if sent and sent[0] == timeline.now - 1 and _reads_turnaround(step) else step.line
        for wait in timeline.waits(step):
            found.append(wait.finding(step.line if wait.producer_line == first else first))
        if not step.is_nop:
            if len(step.instructions) > 1:
                found += [finding for finding in conflicts(step) if finding.severity == "warning"]
            found += _stale_paths(step, valid)
            found += _turnaround(step, sent, timeline.now)
            found += _extended_products(step, extended)
            extended = extended or any(instruction.op == "bfe" for instruction in step.instructions)
            if not any(instruction.op == "noforward" for instruction in step.instructions):
                valid = _paths(step)
                sender = _sends(step)
                sent = (timeline.now, step.line, sender) if sender else sent
        timeline.issue(step)
    return sorted(found, key=lambda finding: (finding.line, finding.column))


def check_text(text: str, filename: str = "<text>") -> tuple[Program, list[Diagnostic]]:
    """A program and all findings in source order: those of `assemble`, and those of `check` about what can be read.

    Warnings wait until there is a whole program to warn about.
    """
    program, found = assemble_what_can_be(text, filename)
    timing = [finding for finding in check(program) if not found or finding.severity == "error"]
    return program, sorted([*found, *timing], key=lambda finding: (finding.line, finding.column))


def fix_nops(program: Program, warnings: bool = False) -> str:
    """The source text with the fewest nops inserted that satisfy every wait that is an error, with `warnings` those
    that are only warned of too.

    Each nop stands as late as it may, where it also serves every earlier producer; so no choice needs fewer. But it
    does not part a transfer from the `$lbi` of the next step, unless that step waits for the transfer's own step.
    """
    timeline = Timeline()
    before: dict[int, int] = {}
    for steps in _kept_together(_steps(program)):
        start = timeline.now
        before[steps[0].line] = 0
        for number, step in enumerate(steps):
            timeline.now = start + number
            before[steps[0].line] = max(before[steps[0].line], _missing(timeline.waits(step), warnings))
        timeline.now = start + before[steps[0].line]
        for step in steps:
            missing = _missing(timeline.waits(step), warnings)
            before[step.line] = before.get(step.line, 0) + missing
            timeline.now += missing
            timeline.issue(step)
    lines: list[str] = []
    for number, text in enumerate(program.source.split("\n"), 1):
        if before.get(number):
            indent = text[: len(text) - len(text.lstrip())]
            lines.append(f"{indent}nop/{before[number]}" if before[number] > 1 else f"{indent}nop")
        lines.append(text)
    return "\n".join(lines)


def _kept_together(steps: Iterable[Step]) -> Iterator[list[Step]]:
    """The steps, those that read the turnaround register together with the step before that fills it."""
    group: list[Step] = []
    for step in steps:
        if group and not (_reads_turnaround(step) and _sends(group[-1])):
            yield group
            group = []
        group.append(step)
    if group:
        yield group


def _last_steps(pieces: Sequence[Program]) -> Iterator[Step]:
    """The steps that a following one may wait for, last first."""
    length = 0
    for piece in reversed(pieces):
        for line in reversed(piece.lines):
            if length >= WINDOW:
                return
            if isinstance(line, Step):
                yield line
                length += line.count


def boundary_nops(previous: Sequence[Program], following: Program) -> int:
    """Nops to put between pieces of program that already stand one after another and the next piece.

    Only waits across the boundary count: each piece is taken to be right in itself.
    """
    timeline = Timeline()
    for step in reversed(list(_last_steps(previous))):
        timeline.issue(step)
    end, missing = timeline.now, 0
    for step in _steps(following):
        if timeline.now - end >= WINDOW:
            break
        missing = max(missing, _missing(timeline.waits(step)))
        timeline.now += step.count
    return missing
