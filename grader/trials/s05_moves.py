"""The cases of the mover's rungs, 5.37 to 5.39; right is what is computed element by element, or on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from grader.emitter.s05_generators import NOTHING
from grader.emitter.values import Value, Values, listed
from grader.rigs.generator_cases import FAMILIES, VECTORS
from grader.trials import Array, Objection, Trial, Trials, Wrong, array_in
from haribote.layout import LAYOUTS, Layout
from simulator import Machine, assemble
from simulator.isa import TREE
from simulator.messages import tr


def _layouts(rng: np.random.Generator) -> Iterator[Layout]:
    yield from (LAYOUTS[tag] for tag in ("16", "16x16", "256x16.A", "256x16.P", "256", "16x1024"))
    for family in (*FAMILIES.values(), *VECTORS.values()):
        rows, columns = int(rng.choice(family.rows[:3])), int(rng.choice(family.columns))
        yield Layout.parse(family.text(rows, columns))


def _wanted(rng: np.random.Generator) -> Iterator[Trial]:
    for layout in _layouts(rng):
        for everywhere in (True, False):
            name = tr("{layout}, every copy", str(layout)) if everywhere else tr("{layout}, copy 0", str(layout))
            judge = partial(_judge_wanted, layout, everywhere)
            yield Trial(name, {"layout": str(layout), "everywhere": everywhere}, judge)


def _judge_wanted(layout: Layout, everywhere: bool, answer: Values) -> Objection:
    """Write the number of each element where the layout says, by the course's own scatter; then look at all words."""
    found = array_in(answer, "pairs")
    numbers = np.arange(1, np.prod(layout.shape) + 1, dtype=np.uint32).reshape(layout.shape)
    memory = np.zeros((layout.words, 4096), np.uint32)
    layout.scatter(numbers, memory, 0, everywhere)
    first = memory[::2].T.reshape(*TREE, -1).astype(np.int64)  # the first words of all long words
    right = np.where(first > 0, (first - 1) // 2, -1)
    if found.shape != right.shape:
        return tr("the result must have shape {shape}, received {shape2}", list(right.shape), list(found.shape))
    if (found == right).all():
        return None
    at = tuple(int(number) for number in np.argwhere(found != right)[0])
    place = ", ".join(
        f"{unit} {number}" for unit, number in zip(("L2B", "L1B", "MAB", "PE", tr("long word")), at, strict=True)
    )
    return tr("at {place}: pair {found}, should be {right}", place, found[at], right[at])


def _addresses(rng: np.random.Generator) -> Iterator[Trial]:
    """Units of any number: what is asked is the same."""
    units = (2, 2, 2, 4)
    for width in (1, 2):
        want = np.stack([rng.permutation(16) for _ in range(np.prod(units))]).reshape(*units, 16)
        if width == 2:  # two neighbours come together
            want = np.stack([2 * rng.permutation(8) for _ in range(np.prod(units))]).reshape(*units, 8)
            want = np.stack([want, want + 1], axis=-1).reshape(*units, 16)
        columns = rng.permutation(16 // width)
        pairs = np.stack([[want[..., width * at + w] for w in range(width)] for at in columns])
        pairs = pairs.reshape(-1, 4, width, *units)
        yield _address(tr("all agree, {width} at a time", width), pairs, want)
        copies = want.copy()
        copies[:, :, 1] = -1
        yield _address(tr("some want nothing, {width} at a time", width), pairs, copies)
        other = want.copy()
        other[1, 1, 1, 3, [2, 9]] = other[1, 1, 1, 3, [9, 2]]
        yield _address(tr("one PE wants it elsewhere, {width} at a time", width), pairs, other)
        yield _address(tr("something never comes, {width} at a time", width), pairs[:-1], want)
        more = np.concatenate([pairs, np.full_like(pairs[:1], -1), pairs[:1] + 100])
        yield _address(tr("more comes than is wanted, {width} at a time", width), more, want)
        if width == 2:
            nothing = np.full_like(want[..., :1], -1)
            odd = np.concatenate([nothing, want, nothing], axis=-1)
            yield _address(tr("two that would begin at an odd place"), pairs, odd)
            yield _address(tr("two, the second behind the end"), pairs, want[..., :15])


def _address(name: str, pairs: Array, want: Array) -> Trial:
    right = _addresses_plainly(pairs, want)

    def judge(answer: Values) -> Objection:
        if "addresses" not in answer:
            return None if right is None else tr("the result is None, but all PEs can agree on addresses")
        found = array_in(answer, "addresses")
        if right is None:
            return tr("the result must be None: not all PEs agree, or something is missing")
        if found.shape != right.shape:
            return tr("there must be {shape} addresses, received {shape2}", list(right.shape), list(found.shape))
        if (found == right).all():
            return None
        step, cycle = (int(number) for number in np.argwhere(found != right)[0])
        received, wanted = (None if at == NOTHING else int(at) for at in (found[step, cycle], right[step, cycle]))
        return tr("step {step}, cycle {cycle}: {received}, should be {wanted}", step, cycle, received, wanted)

    return Trial(name, {"pairs": pairs, "want": want}, judge, earns=right is not None)


def _addresses_plainly(pairs: Array, want: Array) -> Array | None:
    """The same PE by PE and word by word."""
    found = np.full(pairs.shape[:2], NOTHING)
    everybody = list(np.ndindex(*want.shape[:-1]))
    seen = set()
    for step, cycle in np.ndindex(*found.shape):
        at = [a for a in range(want.shape[-1]) if want[0, 0, 0, 0, a] == pairs[step, cycle, 0, 0, 0, 0, 0] >= 0]
        if not at:
            continue
        found[step, cycle] = at[0]
        for w in range(pairs.shape[2]):
            if at[0] % pairs.shape[2] or at[0] + w >= want.shape[-1]:
                return None
            if any(want[(*pe, at[0] + w)] not in (-1, pairs[(step, cycle, w, *pe)]) for pe in everybody):
                return None
            seen.add(at[0] + w)
    needed = {a for a in range(want.shape[-1]) if want[0, 0, 0, 0, a] >= 0}
    return found if needed <= seen else None


_IMAGE = 128
"""Long words of L2BM in a case: twice the fewest that l2bmb moves, so that l2bmd goes round more than once."""


def _ways(rng: np.random.Generator) -> Iterator[Trial]:
    image = rng.permutation(8 * _IMAGE).reshape(8, _IMAGE)
    short = image.copy()
    short[:, 40:] = -1
    for name, picture, up, sums in (
        ("down", image, False, ()),
        (tr("down, not all of it used"), short[:, :40], False, ()),
        ("up", image, True, ()),
        (tr("up, with sums over MABs"), image, True, ("MAB",)),
        (tr("up, with sums over MABs and L1Bs"), image, True, ("L1B", "MAB")),
    ):
        given: dict[str, Value] = {"image": picture, "up": up, "sums": list[Value](sums)}
        yield Trial(name, given, partial(_judge_ways, picture, up, sums))


def _judge_ways(image: Array, up: bool, sums: tuple[str, ...], answer: Values) -> Objection:
    found = listed(answer["ways"])
    kinds = {(str(way["l2bm"][0]).split()[0], str(way["name"]), str(way["length"])) for way in found}
    l2bm = [("l2bmrffadd" if "L1B" in sums else "l2bm@0") if up else "l2bmb", *["l2bmd"] * ("L1B" not in sums)]
    l1bm = [("l1bmrffadd" if "MAB" in sums else "l1bmm@0") if up else "l1bmm", *["l1bmd"] * ("MAB" not in sums)]
    wanted = {(a, b, length) for a in l2bm for b in l1bm for length in (("ll", "l") if b != "l1bmd" else ("l",))}
    wanted |= {(a, "l1bmp", "l") for a in l2bm} if not up else set()
    if missing := sorted(wanted - kinds):
        return tr("there is no way by {}, then {} with length {!r}").format(*missing[0])
    for way in found:
        if what := _wrong_way(way, image, up, sums):
            first, then, length = way["l2bm"][0].split()[0], way["name"], way["length"]
            return tr("the way by {split} and {way} ({way2}): {what}", first, then, length, what)
    return None


def _wrong_way(way: dict[str, Any], image: Array, up: bool, sums: tuple[str, ...]) -> str:
    """Do it on the machine, with the numbers of pairs as values; what is wrong, or ""."""
    machine, pairs = Machine(), np.asarray(way["pairs"], np.int64)
    steps, each = pairs.shape[0], 8 * pairs.shape[2]
    letter = "ll" if way["length"] == "ll" else "l"
    ends = [(f"${letter}b{way['block'] * step}", f"${way['length']}n{each * step}v") for step in range(steps)]
    l1bm = [" ".join([way["name"], *(end[::-1] if up else end)]) for end in ends]
    if pairs.shape[1:2] + pairs.shape[3:] != (4, *TREE):
        return tr("its pairs have shape {shape}, not [step, 4 cycles, w, 8, 8, 16, 4]", list(pairs.shape))
    words = pairs.transpose(0, 1, 2, 3, 4, 5, 6).reshape(steps * 4 * pairs.shape[2], 4096)  # as LM1 has them
    if up:
        machine.lm1[: 2 * len(words) : 2] = words.astype(np.float32).view(np.uint32)
        machine.run(assemble("\n".join([*l1bm, *way["l2bm"]])))
        left = np.array([machine.l2bm[l2b, : image.shape[1]] >> np.uint64(32) for l2b in range(8)]).astype(np.uint32)
        received = left.view(np.float32).astype(np.int64)
        factor = (16 if "MAB" in sums else 1) * (8 if "L1B" in sums else 1)
        bad = np.argwhere((image >= 0) & (received != factor * image))
        return tr("long word {bad} of L2BM {bad2} is not what the pairs say", bad[0][1], bad[0][0]) if len(bad) else ""
    for l2b in range(8):
        machine.l2bm[l2b, : image.shape[1]] = image[l2b].astype(np.uint64)
    machine.run(assemble("\n".join([*way["l2bm"], *l1bm])))
    received = machine.lm1[1 : 2 * len(words) : 2].astype(np.int64)
    known = set(image[image >= 0].tolist())
    if {int(pair) for pair in np.unique(pairs)} - {-1} != known:
        return tr("its pairs are not those of the image")
    bad = np.argwhere((words >= 0) & (received != words))
    if not len(bad):
        return ""
    row, pe = (int(number) for number in bad[0])
    return tr("PE {pe} gets pair {received} where the way says {words}", pe, received[row, pe], words[row, pe])


TRIALS: dict[str, Trials] = {"5.37": _wanted, "5.38": _addresses, "5.39": _ways}

WRONG: dict[str, Wrong] = {
    "5.37": (
        ("if layout.names(level) or not everywhere:", "if not everywhere:"),
        ('position("").ravel', 'position("W").ravel'),
        ("if layout.names(level) or not everywhere:", "if layout.names(level):"),
    ),
    "5.38": (
        ("at % len(cycle) or ", ""),
        ("((there >= 0) & (there != units)).any()", "(there != units).any()"),  # nobody may want nothing
        ("((there >= 0) & (there != units)).any()", "False"),  # nobody is asked
        ("cycle[0, 0, 0, 0, 0]", "cycle[-1, 0, 0, 0, 0]"),  # the second of two
    ),
    "5.39": (
        (".transpose(0, 2, 1, 3)", ""),
        ("(4, 1, 2, 4)", "(4, 2, 1, 4)"),
        ("(2, 3, 5, 0, 1, 4, 6)", "(2, 5, 3, 0, 1, 4, 6)"),
        ('"l1bmp", "l", (4, 1, 1, 1)', '"l1bmp", "l", (1, 1, 1, 4)'),
    ),
}  # fmt: skip
