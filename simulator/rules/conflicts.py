"""What cannot share a step (isa.md, section 12.1). Errors stop the assembler; warnings come out of `check`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from simulator.errors import Diagnostic
from simulator.isa.program import Instruction
from simulator.messages import tr
from simulator.rules.marks import BY_NAME, EXCLUSIONS, SPLIT, Exclusion, Mark, marks_of
from simulator.rules.waits import L1BM_READS, L1BM_WRITES, Timed, distance, timed


def conflicts(instructions: Sequence[Instruction], line: int) -> list[Diagnostic]:
    """All findings about the instructions of one step, which is on this line."""
    found = [*_lonely(instructions, line), *_excluded(instructions, line)]
    for column in same_l1bm_words(instructions):
        found.append(_found(line, column, tr("two instructions use the same L1BM address in one step")))
    return found


def _found(line: int, column: int, message: str, fix: str = SPLIT, warning: bool = False) -> Diagnostic:
    return Diagnostic(line, column, message, fix, "warning" if warning else "error")


def _lonely(instructions: Sequence[Instruction], line: int) -> Iterator[Diagnostic]:
    """nop and wait: what they may stand beside, and must."""
    ops = {instruction.op for instruction in instructions}
    if "nop" in ops and ops - {"nop", "wait"}:
        nop = next(i for i in instructions if i.op == "nop")
        yield _found(line, nop.column, tr("nop can share a step only with wait"), tr("leave out the nop"))
    if ops == {"wait"}:
        yield _found(line, instructions[0].column, tr("wait cannot stand alone"), tr("write `nop; wait iXX`"))


def _excluded(instructions: Sequence[Instruction], line: int) -> list[Diagnostic]:
    """What exclusions say, in their order; each speaks once of a place."""
    before: dict[str, list[Mark]] = defaultdict(list)
    found: dict[tuple[int, str, int], Diagnostic] = {}
    for instruction in instructions:
        for mark in marks_of(instruction):
            for rule, name in BY_NAME.get(mark.name, ()):
                earlier = before.get(name)
                other = _forbidden(rule, mark, earlier) if earlier else None
                if other is not None:
                    first, second = (other, mark) if mark.name == rule.second else (mark, other)
                    message = rule.says(first, second)
                    key = EXCLUSIONS.index(rule), message, second.column
                    found[key] = _found(line, second.column, message, rule.fix, rule.warning)
            before[mark.name].append(mark)
    return [found[key] for key in sorted(found, key=lambda key: key[0])]


def _forbidden(rule: Exclusion, mark: Mark, earlier: Sequence[Mark]) -> Mark | None:
    """The first of some marks that excludes this one."""
    others = [other for other in earlier if rule.forbids(other.key, mark.key)]
    if rule.keys == "third" and len({other.key for other in others}) < 2:
        return None
    return others[0] if others else None


def same_l1bm_words(instructions: Sequence[Instruction]) -> Iterator[int]:
    """The columns where an L1BM address is written or read that another instruction of the step writes, or writes that
    it reads. [A]"""
    before: list[Timed] = []
    transfers = [instruction for instruction in instructions if instruction.unit in ("l1bm", "l2bm")]
    for instruction in transfers if len(transfers) > 1 else ():
        here = [use for use in timed(instruction) if use.kind in L1BM_WRITES | L1BM_READS]
        for use in here:
            for other in before:
                writes = use.kind in L1BM_WRITES or other.kind in L1BM_WRITES
                if writes and distance(other.words, use.words) is not None:
                    yield use.column
        before += here
