"""Stage 07: the cases of the tasks about layouts. How far words travel is found by looking at every unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from grader.emitter.values import Value, Values
from grader.trials import Array, Objection, Trial, Trials, Wrong
from simulator.messages import Text, tr

# --- 7.6 how far up the tree -----------------------------------------------------------------------------------------

BITS = {"group": 2, "L2B": 1, "L1B": 3, "MAB": 4, "PE": 2}
"""Bits of a unit's number, from the root down."""
PARTS = ("root", "group", "L2B", "L1B", "MAB", "PE")
INDEX = 5
"""Bits of an element's index: 32 elements."""
Table = dict[str, list[str]]
A = {"group": "i6 i7", "L2B": "i5", "L1B": "i0 i1 i2", "MAB": "copy copy copy copy", "PE": "j1 j2"}
B = {"group": "i6 i7", "L2B": "i5", "L1B": "copy copy copy", "MAB": "copy copy copy copy", "PE": "j1 j2"}
NEAR = {"group": "copy copy", "L2B": "copy", "L1B": "i5 i6 i7", "MAB": "j0 j1 j2 j3", "PE": "i1 i2"}


def travel(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 7.6: layouts of the course, then single bits of each level, then random ones."""
    a, b, near = ({level: names.split() for level, names in found.items()} for found in (A, B, NEAR))
    for name, before, after, within in (
        (tr("from A to near"), a, near, "root"), (tr("from near to A"), near, a, "L2B"),
        (tr("from A to B"), a, b, "L2B"),
        (tr("from B to A"), b, a, "PE"), (tr("nothing changes"), near, near, "PE"),
        (tr("two bits of a level trade places"), a, {**a, "L1B": ["i1", "i0", "i2"]}, "L2B"),
    ):  # fmt: skip
        yield _travel(name, before, after, within)
    for level, size in BITS.items():
        bit = int(rng.integers(size))
        for was, will_be in (("i0", "j0"), ("i0", "copy"), ("-", "copy"), ("copy", "i0"), ("i0", "-"), ("-", "i0")):
            before, after = _copies(), _copies()
            before[level][bit], after[level][bit] = was, will_be
            within = "PE" if was == "copy" else PARTS[list(BITS).index(level)]
            yield _travel(
                tr("a bit of {level!r}, before {was!r} and after {will_be!r}", level, was, will_be),
                before,
                after,
                within,
            )
    for number in range(8):
        before = _random(rng)
        after = _changed(before, list(BITS)[number % len(BITS)], rng)
        yield _travel(tr("random layouts, {value}", number + 1), before, after, smallest(before, after))


def _travel(name: str, before: Table, after: Table, within: str) -> Trial:
    shown = {}
    for level in BITS:
        shown[tr("before: {level}", level)] = np.array(before[level])
        shown[tr("after: {level}", level)] = np.array(after[level])

    def judge(answer: Values) -> Objection:
        if answer["within"] == within:
            return None
        return tr("the words stay within {within!r}, received {answer!r}", within, str(answer["within"])[:40])

    given = {"before": _value(before), "after": _value(after)}
    return Trial(name, given, judge, earns=False, shown=shown)


def _value(table: Table) -> dict[str, Value]:
    return {level: list[Value](names) for level, names in table.items()}


def _copies() -> Table:
    return {level: ["copy"] * size for level, size in BITS.items()}


def _random(rng: np.random.Generator) -> Table:
    """Index bits at random places; bits of no unit stand in the PEs."""
    names = [f"i{number}" for number in range(INDEX)]
    table = {level: [str(rng.choice(["copy", "copy", "-"])) for _ in range(size)] for level, size in BITS.items()}
    places = [(level, bit) for level, size in BITS.items() for bit in range(size)]
    for name, place in zip(names[:4], rng.permutation(len(places)), strict=False):
        level, bit = places[place]
        table[level][bit] = name
    return table


def _changed(before: Table, level: str, rng: np.random.Generator) -> Table:
    """The same above a level; from there down at random."""
    after, rest = {name: list(found) for name, found in before.items()}, list(BITS)[list(BITS).index(level) :]
    above = {name for other in BITS if other not in rest for name in before[other]}
    free = [f"i{number}" for number in range(INDEX) if f"i{number}" not in above]
    for name in rest:
        for bit in range(BITS[name]):
            choices = ["copy", "-", *free[:1]]
            after[name][bit] = str(rng.choice(choices))
            free = [index for index in free if index != after[name][bit]]
    return after


def smallest(before: Table, after: Table) -> str:
    """The smallest part of the tree in which every unit finds what it holds afterwards, by looking at all units."""
    held, wanted = _held(before), _held(after)
    units = len(held)
    sizes = [units]
    for size in BITS.values():
        sizes.append(sizes[-1] >> size)
    for part, size in reversed(list(zip(PARTS, sizes, strict=True))):
        there = held.reshape(units // size, size, -1).any(axis=1, keepdims=True)
        if not (wanted.reshape(units // size, size, -1) & ~there).any():
            return part
    raise AssertionError(tr("the whole chip holds all elements"))


def _held(table: Table) -> Array:
    """Which PE holds which element, [4096, 32]."""
    unit, element = np.indices((1 << sum(BITS.values()), 1 << INDEX))
    found, shift = np.ones(unit.shape, np.bool_), sum(BITS.values())
    for level, size in BITS.items():
        shift -= size
        for bit in range(size):
            number, carries = unit >> (shift + bit) & 1, table[level][bit]
            if carries == "-":
                found &= number == 0
            elif carries != "copy":
                found &= number == (element >> int(carries[1:]) & 1)
    return found


# --- 7.7 layouts along a chain ---------------------------------------------------------------------------------------

Work = Sequence[Mapping[str, float]]
Move = Mapping[tuple[str, str], float]


def chains(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 7.7: short chains on which greedy plans fail, operators with one layout, and long chains."""
    move = _moves({"AB": 5, "BA": 5, "AC": 1, "CA": 30, "BC": 2, "CB": 30})
    yield _chain(tr("one operator, and a way there and back"), [{"A": 20, "B": 8}], move, "A", "A")
    yield _chain(tr("two that pay for a move together"), [{"A": 4, "B": 1}] * 4, move, "A", "A")
    yield _chain(tr("the end decides"), [{"A": 9, "B": 9, "C": 1}], move, "A", "A")
    yield _chain(tr("an operator with one layout"), [{"A": 3, "B": 1}, {"A": 7}, {"A": 3, "B": 1}], move, "B", "B")
    yield _chain(tr("another way round"), [{"A": 3, "B": 9, "C": 3}, {"B": 2}], move, "A", "B")
    for number, length in enumerate((3, 6, 40, 300)):
        names = "ABCDEF"[: int(rng.integers(3, 6))]
        prices = {(a, b): float(rng.integers(1, 60)) if a != b else 0.0 for a in names for b in names}
        work = []
        for _ in range(length):
            possible = [name for name in names if rng.random() < 0.8] or [names[0]]
            work.append({name: float(rng.integers(0, 40)) for name in possible})
        start, end = (str(name) for name in rng.choice(list(names), 2))
        yield _chain(tr("random prices, {value}: {length} operators", number + 1, length), work, prices, start, end)


def _moves(prices: Mapping[str, float]) -> Move:
    names = sorted({name for pair in prices for name in pair})
    return {(a, b): 0.0 if a == b else float(prices[a + b]) for a in names for b in names}


def _chain(name: str, work: Work, move: Move, start: str, end: str) -> Trial:
    least = least_cost(work, move, start, end)
    given: dict[str, Value] = {
        "work": [dict[str, Value](prices) for prices in work],
        "move": [[a, b, cost] for (a, b), cost in move.items()],
        "start": start,
        "end": end,
    }
    shown = {
        tr("operator {k}", k): np.array([f"{a} {cost:g}" for a, cost in prices.items()])
        for k, prices in enumerate(work)
    }
    shown = {**dict(list(shown.items())[:8]), Text("start, end"): np.array([start, end])}

    def judge(answer: Values) -> Objection:
        plan = answer["plan"]
        assert isinstance(plan, list)
        if len(plan) != len(work):
            return tr("a plan has {work} layouts, received {plan}", len(work), len(plan))
        for number, (layout, prices) in enumerate(zip(plan, work, strict=True)):
            if layout not in prices:
                return tr(
                    "operator {number} cannot be in layout {layout}, only in {prices}",
                    number,
                    str(layout)[:20],
                    ", ".join(prices),
                )
        places = [start, *map(str, plan), end]
        cost = sum(move[a, b] for a, b in pairwise(places))
        cost += sum(prices[str(layout)] for prices, layout in zip(work, plan, strict=True))
        if cost > least + 1e-6:
            return tr("the plan costs {cost:g} cycles, the cheapest one {least:g}", cost, least)
        return None

    return Trial(name, given, judge, shown=shown)


def least_cost(work: Work, move: Move, start: str, end: str) -> float:
    """The cycles of the cheapest plan, from the end: a table of what is left to pay."""
    left = {layout: move[layout, end] for layout, _ in move}
    for prices in reversed(work):
        here = {layout: cost + left[layout] for layout, cost in prices.items()}
        left = {before: min(move[before, layout] + cost for layout, cost in here.items()) for before in left}
    return left[start]


TRIALS: dict[str, Trials] = {"7.6": travel, "7.7": chains}
WRONG: dict[str, Wrong] = {
    "7.6": (
        ('zip(before[level], after[level], strict=True)', 'zip(sorted(before[level]), sorted(after[level]))'),
        ('was != "copy" and ', ""), (" and was != will_be", ""), ("in LEVELS", "in LEVELS[::-1]"),
            ("return WITHIN[level]", "return level"), ('return "PE"', 'return "none"')),
    "7.7": (("move[before, layout] + price", "price"), ("+ move[found[0], end]", ""), ("+ price", ""),
            ("{start: (0.0, [])}", "{layout: (0.0, []) for layout, _ in move}"), ("[*plan, layout]", "[layout]")),
}  # fmt: skip
