"""How many steps must lie between the write and the read of a memory (isa.md, section 12.2).

[A] Where the manual leaves the limit open, it is the smallest number of steps seen in a known program.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from simulator.effects.accesses import Access, accesses
from simulator.errors import Diagnostic
from simulator.isa import STEP_CYCLES
from simulator.isa.program import BaseAddress, Destination, Instruction, Step, WriteMask
from simulator.isa.words import Spans
from simulator.messages import Text, tr

PE_TO_L1BM, L1BM_TO_PE = Text("PE to L1BM"), Text("L1BM to PE")
L2BM_TO_L1BM, L1BM_TO_L2BM = Text("L2BM to L1BM"), Text("L1BM to L2BM")
L2BMI_READ, L2BMI_WRITE = Text("l2bmi reading L1BM"), Text("l2bmi writing L1BM")
L1BM_READS = frozenset({L1BM_TO_PE, L1BM_TO_L2BM, L2BMI_READ})
L1BM_WRITES = frozenset({PE_TO_L1BM, L2BM_TO_L1BM, L2BMI_WRITE})

# --- what they speak of ----------------------------------------------------------------------------------------------


class Timed(NamedTuple):
    """An access that a rule speaks of. kind: "GRF0 read", "LM1 write", "LM0 base address write", or a transfer named
    above. offset: of its operand. words: by cycle, but for what a fixed mask leaves out. simple: a GRF write of the
    same word in all cycles (imm, zero), or a GRF read that is sent to the L1BM.
    """

    kind: str
    offset: int
    words: Spans
    simple: bool


def _access(memory: str, written: bool) -> Text:
    return Text("{bank} write", {"bank": memory}) if written else Text("{bank} read", {"bank": memory})


_PORTS = {
    (memory, written): _access(memory.upper(), written)
    for memory in ("lm0", "lm1", "grf0", "grf1", "t")
    for written in (False, True)
}


@lru_cache(maxsize=1 << 14)
def timed(instruction: Instruction) -> tuple[Timed, ...]:
    """The accesses of an instruction that a rule speaks of."""
    return tuple(_timed(instruction))


def _timed(instruction: Instruction) -> Iterator[Timed]:
    for access in accesses(instruction):
        kind = _kind(access, instruction)
        if not kind or access.end is None:
            continue
        grf = access.memory in ("grf0", "grf1")
        words, simple = access.words or (), grf and instruction.form.from_pes
        if isinstance(access.end, Destination) and access.written:
            mask = access.end.mask
            if grf and mask is not None and not mask.fixed:
                continue  # what a written entry lets through is not known
            words, simple = unmasked(words, mask), grf and instruction.op in ("imm", "zero")
        yield Timed(kind, access.end.offset, words, simple)


def _kind(access: Access, instruction: Instruction) -> str:
    if access.memory == "l1bm":
        if instruction.op == "l2bmi":
            return L2BMI_WRITE if access.written else L2BMI_READ
        if instruction.unit == "l1bm":
            return PE_TO_L1BM if access.written else L1BM_TO_PE
        return L2BM_TO_L1BM if access.written else L1BM_TO_L2BM
    if access.memory == "bar" and access.end is not None and isinstance(access.end.operand, BaseAddress):
        return Text("{bank} base address write", {"bank": access.end.operand.bank.upper()})
    return _PORTS.get((access.memory, access.written), "")


def unmasked(words: Spans, mask: WriteMask | None) -> Spans:
    """The same without the cycles that a fixed pattern of the mask register masks off."""
    if mask is None or len(mask.cycles) == STEP_CYCLES:
        return words
    return tuple(spans if cycle in mask.cycles else () for cycle, spans in enumerate(words))


@lru_cache(maxsize=1 << 14)
def distance(producer: Spans, consumer: Spans) -> int | None:
    """The smallest (read cycle - write cycle) over addresses in both, within one step; None where disjoint."""
    first, last = _extent(producer), _extent(consumer)
    if first[1] <= last[0] or last[1] <= first[0]:
        return None
    found = [
        read - write
        for write, written in enumerate(producer)
        for read, wanted in enumerate(consumer)
        if any(a < d and c < b for a, b in written for c, d in wanted)
    ]
    return min(found) if found else None


@lru_cache(maxsize=1 << 14)
def _extent(spans: Spans) -> tuple[int, int]:
    """The first address of all cycles, and the one behind the last."""
    return (
        min((first for cycle in spans for first, _ in cycle), default=0),
        max((end for cycle in spans for _, end in cycle), default=0),
    )


# --- rules -----------------------------------------------------------------------------------------------------------

CYCLES_OF_A_CONSTANT = 4
"""Free cycles that a published program leaves where a constant in a GRF is sent to the L1BM."""


@dataclass(frozen=True, slots=True)
class WaitRule:
    """Producer and consumer, kinds of `Timed`, and what must lie between them.

    steps: PE steps between, at any address (cycles = 0) or at common addresses. cycles: free cycles between the write
    and the read of one address. warning: no limit is documented, this is only the closest that was ever seen.
    """

    producer: str
    consumer: str
    steps: int
    cycles: int = 0
    warning: bool = False

    @property
    def text(self) -> str:
        """The rule in words."""
        if self.warning:
            return tr("known programs leave {steps} steps or more", self.steps)
        parts = [tr("{steps} step{s}", self.steps, "s" * (self.steps > 1))] * bool(self.steps)
        parts += [tr("{cycles} free cycles between write and read of one address", self.cycles)] * bool(self.cycles)
        return tr("needs {parts}", " and ".join(parts))

    def gap(self, producer: Timed, consumer: Timed) -> int:
        """Steps that must lie between these two accesses."""
        if not self.cycles:
            return self.steps
        nearest = distance(producer.words, consumer.words)
        if nearest is None:
            return 0
        return max(self.steps, _steps_for(self.cycles, nearest))

    def tolerated(self, producer: Timed, consumer: Timed) -> int:
        """Steps with which the assembler is known to be content, though the rule asks for more: a warning.

        [A] A published program has `imm … $lr0`, one nop, `l1bmd $lr0 $lb0`, and its result is right: 4 free cycles
        after the last of four writes of the same word, 7 after the first.
        """
        if producer.simple and consumer.simple:
            nearest = distance(producer.words, consumer.words)
            return 0 if nearest is None else _steps_for(CYCLES_OF_A_CONSTANT, nearest)
        return self.gap(producer, consumer)


def _steps_for(cycles: int, nearest: int) -> int:
    """read cycle - write cycle = STEP_CYCLES * (steps + 1) + nearest must be at least cycles + 1."""
    return max(-((nearest - cycles - 1) // STEP_CYCLES) - 1, 0)


def _rules() -> Iterator[WaitRule]:
    for bank in ("LM0", "LM1"):
        yield WaitRule(_access(bank, True), _access(bank, False), 2)
        for written in (False, True):
            yield WaitRule(
                Text("{bank} base address write", {"bank": bank}), _access(bank, written), 2
            )  # [A] as a write
    for memory in ("GRF0", "GRF1", "T"):
        yield WaitRule(_access(memory, True), _access(memory, False), 0, 6)
    yield WaitRule(PE_TO_L1BM, L1BM_TO_PE, 2)
    for consumer in (L1BM_TO_L2BM, L2BMI_READ):
        yield WaitRule(PE_TO_L1BM, consumer, 0, 10)
        yield WaitRule(L2BM_TO_L1BM, consumer, 7, warning=True)
        yield WaitRule(L2BMI_WRITE, consumer, 7, warning=True)
    yield WaitRule(L2BMI_WRITE, L1BM_TO_PE, 7, warning=True)
    yield WaitRule(L2BM_TO_L1BM, L1BM_TO_PE, 1, 6)
    yield WaitRule(L1BM_TO_L2BM, L2BM_TO_L1BM, 3)


RULES: tuple[WaitRule, ...] = tuple(_rules())
_BY_CONSUMER: dict[str, list[WaitRule]] = defaultdict(list)
for _rule in RULES:
    _BY_CONSUMER[_rule.consumer].append(_rule)
_PRODUCERS = {rule.producer for rule in RULES}
WINDOW = 8
"""Steps after which nothing is waited for any more."""

# --- time ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wait:
    """A step comes `missing` steps too early after the line `producer_line`; `between` steps lie between them now."""

    rule: WaitRule
    producer_line: int
    line: int
    column: int
    between: int
    missing: int
    tolerated: bool = False  # a warning, but worth its nops

    def finding(self, first: int) -> Diagnostic:
        """The finding, with how many nops to insert and where. first: the line of the first step that must stay with
        this one, often its own."""
        nops = "nop" if self.missing == 1 else f"nop/{self.missing}"
        return Diagnostic(
            self.line,
            self.column,
            tr(
                "{producer} (line {producer_line}), then {consumer} (line {line}): "
                "{needs}; {between} steps lie between (docs/isa.md, Waits)",
                self.rule.producer,
                self.producer_line,
                self.rule.consumer,
                self.line,
                self._needs,
                self.between,
            ),
            tr("insert `{nops}` before line {line}", nops, first),
            "warning" if self.rule.warning or self.tolerated else "error",
        )

    @property
    def _needs(self) -> str:
        """What must lie between in steps, the unit in which one puts it right."""
        if not self.rule.cycles:
            return self.rule.text
        steps = self.between + self.missing
        free = tr("{cycles} free cycles between write and read of one address", self.rule.cycles)
        return tr("needs {steps} step{s}, for {free}", steps, "s" * (steps > 1), free)


@dataclass
class Timeline:
    """The recent past of a program: what a following step may still have to wait for."""

    now: int = 0
    _recent: dict[str, list[tuple[int, int, Timed]]] = field(default_factory=lambda: defaultdict(list))

    def waits(self, step: Step) -> list[Wait]:
        """What `step` would read too early if it were issued now; the worst producer of each rule."""
        worst: dict[tuple[WaitRule, bool], Wait] = {}
        for column, access in ((column, access) for column, i in step.placed for access in timed(i)):
            for rule in _BY_CONSUMER.get(access.kind, ()):
                for time, line, produced in self._recent.get(rule.producer, ()):
                    between = self.now - time - 1
                    missing = rule.gap(produced, access) - between if between < WINDOW else 0
                    if missing <= 0:
                        continue
                    key = rule, between >= rule.tolerated(produced, access)
                    if key not in worst or worst[key].missing < missing:
                        here = column + access.offset
                        worst[key] = Wait(rule, line, step.line, here, between, missing, tolerated=key[1])
        return list(worst.values())

    def issue(self, step: Step) -> None:
        """Let `step` happen now."""
        for access in chain.from_iterable(map(timed, step.instructions)):
            if access.kind in _PRODUCERS:
                recent = self._recent[access.kind]
                recent[:] = [entry for entry in recent if self.now - entry[0] <= WINDOW]
                recent.append((self.now, step.line, access))
        self.now += step.count
