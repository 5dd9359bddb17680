"""Stage 07: the cases of its first notebook; those of the others are in `s07_scheduler` and `s07_layouts`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import inf

import numpy as np

from grader.emitter.values import Value, Values
from grader.feedback.causes import OPERATION
from grader.trials import Objection, Trial, Trials, Wrong, array_in, compare, gives
from simulator.messages import Text, tr

# --- 7.1 a profile ---------------------------------------------------------------------------------------------------

RATES = {
    "mvp/n{} $d64 $lc0@.0": 16, "mvp/n{} $lc64@1.0 $d0@1": 16, "mvp/n{} $p0@0 $p64@3": 8, "mvb/n{} $p0@1 $lc0": 8,
    "mvrffadd/n{} $lc0 $p0@2": 8, "mvrffadd/n{} $lc0 $d0": 32,
}  # fmt: skip
"""MV lines, and their long words per cycle (docs/isa.md, section 13)."""
STEPS = ("iinc $lr0v $lr8v", "iinc $lr0v $lr8v; fvmul $lm0v $ls8v $ln0v", "l1bmm $lb0 $lr0v", "nop")


def profile(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 7.1: steps alone, waits, every rate, names that cost nothing, equals, and a long mixture."""
    yield _profile(
        tr("steps of two kernels"), [(STEPS[0], 4.0, "relu"), (STEPS[1], 4.0, "exp"), (STEPS[2], 4.0, "exp")]
    )
    waits = [(f"nop/{n}" if n > 1 else "nop", 4.0 * n, name) for n, name in ((7, "gap"), (1, "gap"), (3, "other"))]
    yield _profile(tr("nops that count several times"), waits)
    words = [64 * int(n) for n in rng.choice(np.arange(1, 40), len(RATES), replace=False)]
    moves = [
        (text.format(n), n / rate, f"mv{k}")
        for k, ((text, rate), n) in enumerate(zip(RATES.items(), words, strict=True))
    ]
    yield _profile(tr("one move of every rate"), moves)
    yield _profile(
        tr("a statement that costs nothing"), [("d get $lr8n0c0b0m0p0 1", 0.0, "free"), (STEPS[0], 4.0, "paid")]
    )
    equal = [(STEPS[0], 4.0, name) for name in ("b", "a", "c")] + [("nop/2", 8.0, "z")]
    yield _profile(tr("equals stay in their order"), equal)
    mixed = [moves[int(k)][:2] if k < len(moves) else (STEPS[int(k) % 4], 4.0) for k in rng.integers(0, 12, 60)]
    yield _profile(tr("a long program"), [(*line, str(rng.choice(["dl", "ul", "gemm"]))) for line in mixed])


def _profile(name: str, lines: Sequence[tuple[str, float, str]]) -> Trial:
    names = [owner for _, _, owner in lines]
    totals = {owner: sum(c for _, c, n in lines if n == owner) for owner in dict.fromkeys(names)}
    wanted = sorted((owner for owner in totals if totals[owner]), key=lambda owner: -totals[owner])
    text = "".join(f"{line}\n" for line, _, _ in lines)
    shown = {"lines": np.array([f"{line}  ({owner})" for line, _, owner in lines])}

    def judge(answer: Values) -> Objection:
        found = answer["names"]
        assert isinstance(found, list)
        missing = [owner for owner in wanted if owner not in found]
        if missing or len(found) != len(wanted):
            given = ", ".join(sorted(map(str, found))) or tr("none")
            return tr("the names must be {wanted}, received {given}", ", ".join(sorted(wanted)), given)
        cycles = dict(zip(map(str, found), array_in(answer, "cycles"), strict=True))
        expected = np.array([totals[owner] for owner in wanted])
        received = np.array([cycles[owner] for owner in wanted])
        failure = compare(name, shown, expected, received, what=tr("the cycles of {wanted}", ", ".join(wanted)))
        if failure is None and found != wanted:
            order = tr("in this order: {wanted}; received {value}", ", ".join(wanted), ", ".join(map(str, found)))
            return tr("the cycles are right, but the names must come the dearest first,\n{order}", order)
        return failure

    return Trial(name, {"text": text, "names": list[Value](names)}, judge)


# --- 7.2 residency ---------------------------------------------------------------------------------------------------


def residency(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 7.2: one choice each, then whole steps, whose loads must be as few as any choices allow."""
    yield _leaves(tr("one that nobody reads any more"), [[1, 4000], [6], [2, 3]], 4, 2)
    yield _leaves(tr("the one that is read last leaves"), [[1, 5], [2, 9], [7]], 3, 1)
    yield _leaves(tr("the operator itself does not count"), [[9], [4, 30], [11], [12, 5], [8, 14]], 8, 1, earns=False)
    yield _leaves(tr("the next reader counts, not the last one"), [[5, 50], [6, 80], [7, 60], [9, 10]], 4, 3)
    yield _leaves(tr("in any order"), [[30, 2], [20, 1, 11], [3, 40, 8]], 4, 0, earns=False)
    yield _leaves(tr("the first of equals"), [[9], [10], [2, 11], [8], [2, 12], [12], [1, 12]], 2, 4)
    for number in range(4):
        tensors, room = int(rng.integers(5, 7)), int(rng.integers(2, 4))
        while True:
            reads = [int(n) for n in rng.integers(0, tensors, 14)]
            oldest, newest = (_loads_with(reads, room, place) for place in (0, -1))
            if fewest(tuple(reads), room) < min(oldest, newest):
                break
        yield _step(tr("a step of 14 operators, {value}", number + 1), reads, room)


def _leaves(name: str, uses: list[list[int]], now: int, number: int, earns: bool = True) -> Trial:
    shown = {tr("tensor {k} is read by", k): np.array(found) for k, found in enumerate(uses)} | {"now": np.array(now)}
    soonest = min(range(len(uses)), key=lambda k: min((use for use in uses[k] if use > now), default=inf))
    instead = [(OPERATION, tr("that is the one which is needed soonest: it should stay"), np.array(soonest))]
    given: Values = {"uses": [list[Value](found) for found in uses], "now": now}
    return gives(name, given, shown, "number", number, tr("the number of the tensor that leaves"), instead, earns)


def _step(name: str, reads: list[int], room: int) -> Trial:
    least = fewest(tuple(reads), room)
    shown = {"reads": np.array(reads), Text("room for tensors"): np.array(room)}
    given: Values = {"reads": list[Value](reads), "room": room}
    return gives(name, given, shown, "loads", least, tr("the number of loads from DRAM"))


def fewest(reads: tuple[int, ...], room: int) -> int:
    """The fewest loads that any choices allow, by trying all of them."""

    @cache
    def after(now: int, here: frozenset[int]) -> int:
        if now == len(reads):
            return 0
        tensor = reads[now]
        if tensor in here:
            return after(now + 1, here)
        smaller = [here - {leaving} for leaving in here] if len(here) == room else [here]
        return 1 + min(after(now + 1, rest | {tensor}) for rest in smaller)

    return after(0, frozenset())


def _loads_with(reads: Sequence[int], room: int, place: int) -> int:
    """The loads where always the tensor at one place of the list leaves."""
    here: list[int] = []
    loads = 0
    for tensor in reads:
        if tensor not in here:
            loads += 1
            if len(here) == room:
                del here[place]
            here.append(tensor)
    return loads


TRIALS: dict[str, Trials] = {"7.1": profile, "7.2": residency}
WRONG: dict[str, Wrong] = {
    "7.1": (
        ('    return dict(sorted(', '    names.clear()\n    return dict(sorted('),
        ("* line.count", ""), ("/ move_rate(line)", ""), ("STEP_CYCLES * line.count", "line.count"),
            ("-entry[1]", "entry[1]"), ("found.get(name, 0.0) + line.size", "line.size")),
    "7.2": (
        ('float("inf")', '100'),
        ('    waits = [', '    for found in uses:\n        found.sort()\n    waits = ['),
        ("return max(", "return min("), (" if use > now", ""), ("use > now", "use >= now"),
            ("[min((use", "[max((use"), ('float("inf")', "0")),
}  # fmt: skip
