"""`profile`: what a program costs and why: steps, nops, cycles, words per path, use of each unit, chains of waiting.

Time is that of the cost model (isa/cost.py): steps and MV instructions one after another, nothing overlaps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from simulator import isa
from simulator.columns import left, right
from simulator.explain import wording
from simulator.explain.waiting import Chain, Waiting, chains, waitings
from simulator.isa import program as p
from simulator.isa.cost import NOT_KNOWN, Cost, cost_of, move_rate
from simulator.isa.units import UNITS
from simulator.messages import Text, shown, tr

LANES = ("MV", "L2BM", "L1BM", "MAU", "ALU", "nop")
MV_SIZE = Text("MV size")
PORT_WORDS = 16
"""Words per step that one port of a PE memory passes: 2 long words in each of 4 cycles (isa.md, section 13)."""
SHOWN_CHAINS = 5


@dataclass(frozen=True, slots=True)
class Busy:
    """A unit at work. start, cycles: in cycles from the start of the program."""

    lane: str
    start: float
    cycles: float
    line: int


@dataclass(frozen=True, slots=True)
class PathUse:
    """Words that passed a path. per: what the number counts for; share: of what the port could pass, if known."""

    path: str
    words: int
    per: str
    share: float | None = None


@dataclass(frozen=True)
class Profile:
    """Everything `profile` prints. lanes: share of all cycles in which a unit works; multiply_adds: by precision."""

    filename: str
    cost: Cost
    busy: tuple[Busy, ...]
    lanes: dict[str, float]
    paths: tuple[PathUse, ...]
    multiply_adds: dict[str, int]
    waitings: tuple[Waiting, ...]
    chains: tuple[Chain, ...]


# --- counting --------------------------------------------------------------------------------------------------------


def profile_of(program: p.Program) -> Profile:
    """The profile of running a program once."""
    cost = cost_of(program)
    busy = tuple(_busy(program))
    found = waitings(program)
    work = dict.fromkeys(LANES, 0.0)
    for interval in busy:
        work[interval.lane] += interval.cycles
    lanes = {lane: work[lane] / cost.cycles if cost.cycles else 0.0 for lane in LANES}
    adds = dict(_multiply_adds(program))
    return Profile(
        program.filename, cost, busy, lanes, tuple(_paths(program)), adds, tuple(found), tuple(chains(found))
    )


def _busy(program: p.Program) -> Iterator[Busy]:
    now = 0.0
    for line in program.lines:
        if isinstance(line, p.Move):
            cycles = line.size / move_rate(line)
            yield Busy("MV", now, cycles, line.line)
            now += cycles
        elif isinstance(line, p.Step):
            cycles = line.count * isa.STEP_CYCLES
            lanes = {UNITS[i.unit].lane or "nop" for i in line.instructions}
            for lane in sorted(lanes - {"nop"} or lanes):
                yield Busy(lane, now, cycles, line.line)
            now += cycles


def _multiply_adds(program: p.Program) -> Counter[str]:
    """Multiply-adds of the whole chip."""
    mabs = isa.ALL_MABS
    counts: Counter[str] = Counter()
    for instruction in _instructions(program):
        fma = isa.INSTRUCTIONS[instruction.op].fma
        if instruction.precision in fma:
            counts[instruction.precision] += fma[instruction.precision] * mabs
    return counts


def _instructions(program: p.Program) -> Iterator[p.Instruction]:
    return (i for line in program.lines if isinstance(line, p.Step) for i in line.instructions)


def _paths(program: p.Program) -> Iterator[PathUse]:
    counts: Counter[tuple[str, str]] = Counter()
    for instruction in _instructions(program):
        counts.update(_transfer_words(instruction))
    for line in program.lines:
        if isinstance(line, p.Step):
            counts.update(_pe_words(line))
        if isinstance(line, p.Move) and line.source is not None and line.destination is not None:
            ends = (type(end.operand).__name__ for end in (line.source, line.destination))
            start, end = map(_memory_name, ends)
            counts[Text("{start} to {end}", {"start": start, "end": end}), MV_SIZE] += 2 * line.size
    steps = program.steps
    for (path, per), words in sorted(counts.items(), key=lambda item: (item[0][1] != "PE", item[0][1], item[0][0])):
        yield PathUse(path, words, per, words / (PORT_WORDS * steps) if per == "PE" and steps else None)


def _memory_name(kind: str) -> str:
    return {"DramIndirect": "DRAM"}.get(kind, kind.upper())


def _pe_words(step: p.Step) -> dict[tuple[str, str], int]:
    """Words that each PE reads and writes. What several operands of a step read at one address is fetched once."""
    words: dict[tuple[str, str], int] = {}
    for end in (end for instruction in step.instructions for end in instruction.ends):
        name, count = _port(end.operand)
        if not name:
            continue
        if isinstance(end, p.Source):
            path, cycles = Text("{name} read", {"name": name}), isa.STEP_CYCLES
        else:
            path = Text("{name} written", {"name": name})
            cycles = isa.STEP_CYCLES if end.mask is None else len(end.mask.cycles)
        words[path, "PE"] = max(words.get((path, "PE"), 0), count * cycles)
    return words


def _port(operand: p.Operand) -> tuple[str, int]:
    """The memory or path that an operand goes through, and words per cycle."""
    if isinstance(operand, p.PeMemory):
        return wording.BANKS[operand.bank], operand.words
    if isinstance(operand, p.TRegister):
        return "T", 4
    return (f"${operand.name}", 4) if isinstance(operand, p.Path) else ("", 0)


def _transfer_words(instruction: p.Instruction) -> dict[tuple[str, str], int]:
    """Words that an L1BM or L2BM instruction moves, on the side of the larger memory."""
    if instruction.unit not in ("l1bm", "l2bm"):
        return {}
    ends = [end.operand for end in (instruction.sources[0], instruction.destinations[0])]
    wide = max((e.words // 2 for e in ends if isinstance(e, p.L1bm | p.Turnaround)), default=1)
    l2bm, l1bm, _ = instruction.form.traffic(wide)
    names = {p.L1bm: "L1BM", p.Turnaround: "L1BM", p.L2bm: "L2BM", p.Dar: tr("DRAM table")}
    start, to = (names.get(type(end), "PE") for end in ends)
    path = Text("{start} to {end}", {"start": start, "end": to})
    return {(path, "L2B" if l2bm else "L1B"): 2 * (l2bm or l1bm)}


# --- printing --------------------------------------------------------------------------------------------------------


def table(profile: Profile) -> str:
    """The profile as text, in the language of the moment."""
    lines = [*_summary(profile), "", *_use(profile), "", *_waiting(profile), "", *_notes()]
    return "\n".join([profile.filename, *map(shown, lines)])


def table_of_waiting(profile: Profile) -> str:
    """Its part that says which rules ask for nops, and where most of them follow each other."""
    return "\n".join(map(shown, _waiting(profile)))


def _summary(profile: Profile) -> Iterator[str]:
    cost = profile.cost
    rows = (
        (tr("steps"), cost.steps, tr("of these nops {nops:,}", cost.nops)),
        ("MV", cost.moves, tr("moving {move_words:,} long words (by their size operands)", cost.move_words)),
        (tr("cycles"), cost.cycles, tr("{value:,} in steps, the rest in MV", isa.STEP_CYCLES * cost.steps)),
    )
    for name, number, more in rows:
        yield f"{left(shown(name), 7)} {number:>10,.0f}   {shown(more)}"
    for letter, count in profile.multiply_adds.items():
        peak = max(row.fma.get(letter, 0) for row in isa.INSTRUCTIONS.values())
        mabs = isa.ALL_MABS
        share = count / (peak * mabs * cost.steps)
        yield tr(
            "multiply-adds, {precisions}: {count:,}, {share:.1%} of what matrix products could do",
            wording.PRECISIONS[letter],
            count,
            share,
        )


def _use(profile: Profile) -> Iterator[str]:
    yield f"{left(tr('unit'), 7)} {tr('share of cycles')}"
    for lane, share in profile.lanes.items():
        yield f"{lane:<7} {share:>6.1%}  {'#' * round(30 * share)}"
    yield ""
    yield f"{left(tr('path'), 16)} {right(tr('words'), 10)}  {left(tr('per'), 8)} {tr('share of its port')}"
    for use in profile.paths:
        share_text = "" if use.share is None else f"{use.share:.1%}"
        yield f"{left(shown(use.path), 16)} {use.words:>10,}  {left(shown(use.per), 8)} {share_text}".rstrip()


def _waiting(profile: Profile) -> Iterator[str]:
    if not profile.waitings:
        yield tr("no nops")
        return
    by_rule: Counter[str] = Counter()
    for waiting in profile.waitings:
        by_rule[waiting.rule or tr("no rule between steps asks for them")] += waiting.nops
    yield tr("nops by reason")
    for rule, nops in by_rule.most_common():
        yield f"{nops:>6}  {shown(rule)}"
    if profile.chains:
        yield ""
        yield tr("longest chains of waiting")
    for chain in profile.chains[:SHOWN_CHAINS]:
        yield tr("  {nops} nop{s}", chain.nops, "s" * (chain.nops > 1))
        for link in chain.links:
            yield tr(
                "      line {producer} to {consumer}: {nops} for {rule}",
                link.producer,
                link.consumer,
                link.nops,
                link.rule,
            )
    if len(profile.chains) > SHOWN_CHAINS:
        yield tr("  … and {value} shorter ones", len(profile.chains) - SHOWN_CHAINS)


def _notes() -> Sequence[str]:
    return [tr("what these cycles leave out:"), *(f"  {shown(note)}" for note in NOT_KNOWN)]


def as_json(profile: Profile) -> dict[str, object]:
    """The profile as plain data."""
    data = asdict(profile)
    data["chains"] = [{"nops": chain.nops, **asdict(chain)} for chain in profile.chains]
    return data
