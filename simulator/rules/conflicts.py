"""What cannot share a step (isa.md, section 12.1). Errors stop the assembler; warnings come out of `check`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from simulator.errors import Diagnostic
from simulator.isa.program import Instruction, Step
from simulator.messages import tr
from simulator.rules.marks import BY_NAME, EXCLUSIONS, SPLIT, Exclusion, Mark, marks_of
from simulator.rules.waits import L1BM_READS, L1BM_WRITES, Timed, distance, timed

TRANSFERS = ("l1bm", "l2bm")
"""Units whose instructions use the L1BM."""


def conflicts(step: Step) -> list[Diagnostic]:
    """All findings about the instructions of one step."""
    if len(step.instructions) == 1 and _stands_alone(step.instructions[0]):
        return []
    return _conflicts(step)


@lru_cache(maxsize=1 << 14)
def _stands_alone(instruction: Instruction) -> bool:
    """Whether an instruction may have a step for itself."""
    return not _conflicts(Step(0, instruction.text, (instruction,), (1,)))


def _conflicts(step: Step) -> list[Diagnostic]:
    found = [*_lonely(step), *_excluded(step)]
    for number, offset in same_l1bm_words(step.instructions):
        message = tr("two instructions use the same L1BM address in one step")
        found.append(_found(step.line, step.columns[number] + offset, message))
    return found


def _found(line: int, column: int, message: str, fix: str = SPLIT, warning: bool = False) -> Diagnostic:
    return Diagnostic(line, column, message, fix, "warning" if warning else "error")


def _lonely(step: Step) -> Iterator[Diagnostic]:
    """nop and wait: what they may stand beside, and must."""
    ops = [instruction.op for instruction in step.instructions]
    if "nop" in ops and set(ops) - {"nop", "wait"}:
        column = step.columns[ops.index("nop")]
        yield _found(step.line, column, tr("nop can share a step only with wait"), tr("leave out the nop"))
    if set(ops) == {"wait"}:
        yield _found(step.line, step.columns[0], tr("wait cannot stand alone"), tr("write `nop; wait iXX`"))


def _excluded(step: Step) -> list[Diagnostic]:
    """What exclusions say, in their order; each speaks once of a place."""
    before: dict[str, list[Placed]] = {}
    found: dict[tuple[int, str, int], Diagnostic] = {}
    for column, instruction in step.placed:
        for mark in marks_of(instruction):
            for rule, name in BY_NAME.get(mark.name, ()):
                earlier = before.get(name)
                other = _forbidden(rule, mark, earlier) if earlier else None
                if other is not None:
                    here = Placed(column, mark)
                    first, second = (other, here) if mark.name == rule.second else (here, other)
                    message, place = rule.says(first.mark, second.mark), second.column + second.mark.offset
                    key = EXCLUSIONS.index(rule), message, place
                    found[key] = _found(step.line, place, message, rule.fix, rule.warning)
            before.setdefault(mark.name, []).append(Placed(column, mark))
    return [found[key] for key in sorted(found, key=lambda key: key[0])]


class Placed(NamedTuple):
    """A mark, and the column at which its instruction begins."""

    column: int
    mark: Mark


def _forbidden(rule: Exclusion, mark: Mark, earlier: Sequence[Placed]) -> Placed | None:
    """The first of some marks that excludes this one."""
    others = [other for other in earlier if rule.forbids(other.mark.key, mark.key)]
    if rule.keys == "third" and len({other.mark.key for other in others}) < 2:
        return None
    return others[0] if others else None


def same_l1bm_words(instructions: Sequence[Instruction]) -> Iterator[tuple[int, int]]:
    """Where an L1BM address is written or read that another instruction of the step writes, or writes that it reads:
    the number of the instruction, and the offset in it. [A]"""
    before: list[Timed] = []
    transfers = [(i, instruction) for i, instruction in enumerate(instructions) if instruction.unit in TRANSFERS]
    for number, instruction in transfers if len(transfers) > 1 else ():
        here = [use for use in timed(instruction) if use.kind in L1BM_WRITES | L1BM_READS]
        for use in here:
            for other in before:
                writes = use.kind in L1BM_WRITES or other.kind in L1BM_WRITES
                if writes and distance(other.words, use.words) is not None:
                    yield number, use.offset
        before += here
