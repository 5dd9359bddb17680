"""What cannot share a step (isa.md, section 12.1). Errors stop the assembler; warnings come out of `check`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from simulator.errors import Diagnostic
from simulator.isa.program import Instruction, Location
from simulator.messages import tr
from simulator.rules.marks import BY_NAME, EXCLUSIONS, SPLIT, Exclusion, Mark, marks_of
from simulator.rules.waits import L1BM_READS, L1BM_WRITES, Timed, distance, timed


def conflicts(instructions: Sequence[Instruction]) -> list[Diagnostic]:
    """All findings about the instructions of one step."""
    return [*_lonely(instructions), *_excluded(instructions), *same_l1bm_words(instructions)]


def _found(location: Location, message: str, fix: str = SPLIT, warning: bool = False) -> Diagnostic:
    return Diagnostic(location.line, location.column, message, fix, "warning" if warning else "error")


def _lonely(instructions: Sequence[Instruction]) -> Iterator[Diagnostic]:
    """nop and wait: what they may stand beside, and must."""
    ops = {instruction.op for instruction in instructions}
    if "nop" in ops and ops - {"nop", "wait"}:
        nop = next(i for i in instructions if i.op == "nop")
        yield _found(nop.location, tr("nop can share a step only with wait"), tr("leave out the nop"))
    if ops == {"wait"}:
        yield _found(instructions[0].location, tr("wait cannot stand alone"), tr("write `nop; wait iXX`"))


def _excluded(instructions: Sequence[Instruction]) -> list[Diagnostic]:
    """What exclusions say, in their order; each speaks once of a place."""
    before: dict[str, list[Mark]] = defaultdict(list)
    found: dict[tuple[int, str, Location], Diagnostic] = {}
    for instruction in instructions:
        for mark in marks_of(instruction):
            for rule, name in BY_NAME.get(mark.name, ()):
                earlier = before.get(name)
                other = _forbidden(rule, mark, earlier) if earlier else None
                if other is not None:
                    first, second = (other, mark) if mark.name == rule.second else (mark, other)
                    message = rule.says(first, second)
                    key = EXCLUSIONS.index(rule), message, second.location
                    found[key] = _found(second.location, message, rule.fix, rule.warning)
            before[mark.name].append(mark)
    return [found[key] for key in sorted(found, key=lambda key: key[0])]


def _forbidden(rule: Exclusion, mark: Mark, earlier: Sequence[Mark]) -> Mark | None:
    """The first of some marks that excludes this one."""
    others = [other for other in earlier if rule.forbids(other.key, mark.key)]
    if rule.keys == "third" and len({other.key for other in others}) < 2:
        return None
    return others[0] if others else None


def same_l1bm_words(instructions: Sequence[Instruction]) -> Iterator[Diagnostic]:
    """The same L1BM address written and read, or written twice, by two instructions of a step. [A]"""
    before: list[Timed] = []
    transfers = [instruction for instruction in instructions if instruction.unit in ("l1bm", "l2bm")]
    for instruction in transfers if len(transfers) > 1 else ():
        here = [use for use in timed(instruction) if use.kind in L1BM_WRITES | L1BM_READS]
        for use in here:
            for other in before:
                writes = use.kind in L1BM_WRITES or other.kind in L1BM_WRITES
                if writes and distance(other.words, use.words) is not None:
                    yield _found(use.location, tr("two instructions use the same L1BM address in one step"))
        before += here
