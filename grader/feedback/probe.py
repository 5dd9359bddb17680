"""Find out which elements of its inputs a wrong kernel uses: change some, run it again, and see what moves.

A set of elements that moves as it should is left alone, another one is halved, so that a few dozen runs lead from all
elements of an input to the single ones that count wrongly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from grader.feedback.causes import ARITHMETIC, LEFT_OUT, MISPAIRED, NOT_USED, SIGN, TWICE, WRONG_INPUTS
from grader.feedback.dependence import (
    Array,
    Dependence,
    Marks,
    Moves,
    elements,
    factor_of,
    inputs_behind,
    partner_of,
    place,
    too_many,
)
from grader.rigs.kernel_cases import Case, distinct_numbers
from grader.rigs.kernel_run import inputs_of, place_of
from grader.rigs.rig import Bits, Words, prepared_for
from haribote.problems.meaning import meaning
from simulator import Machine
from simulator.isa.program import Program
from simulator.messages import tr

SEED = 7
MOST_RUNS, MOST_RUNS_OF_LARGE = 72, 40  # with the NumPy engine
MOST_NATIVE, MOST_NATIVE_OF_LARGE = 160, 72  # the native one is twenty times as fast
LARGE = 1 << 16  # elements of an input: a run then takes a tenth of a second
MOST_TOGETHER = 32  # elements of which two may stand in the place of one
MANY = 32  # elements: more are first told apart by the digits of their numbers
LINEAR = ("Gemm", "ReduceSum", "Add", "Sub")
"""Here the result moves by as much as what is counted does, so that it also shows how often an element counts."""
NEAR = 1e-4
SURE = 1e-3  # of how often an element counts
CLOSE = 1e-2  # of a product of two changes, a small part of a sum
SCALED = ("Gemm", "ReduceSum")  # rounding depends on all that is summed


class Probe:
    """A kernel's program with ordinary numbers as inputs, of which any can be exchanged for others.

    It runs on one machine again and again: a program that reads what a run before it left has already been found out.
    """

    def __init__(self, case: Case, program: Program, machine: Machine) -> None:
        self._case, self._program, self._machine, self.runs = case, program, machine, 0
        self._held: tuple[Bits | None, ...] = (None,) * len(case.arrays)  # what of the inputs is in its place
        self.before = distinct_numbers(case.row, case.op, np.random.default_rng(SEED))
        self.after = tuple(_other(case, array) for array in self.before)
        self.received = self.run(self.before)
        self.wanted, allowed = meaning(case.row, self.before, case.constant)
        with np.errstate(invalid="ignore"):
            self.wrong = ~(np.abs(self.received - self.wanted) <= allowed)

    @property
    def is_native(self) -> bool:
        """Whether it is the native engine that runs it."""
        return self._machine.engine == "native"

    def run(self, arrays: tuple[Array, ...]) -> Array:
        """The result, in double precision."""
        self.runs += 1
        inputs = inputs_of(replace(self._case, arrays=arrays))
        for (_, where, bits), held in zip(inputs, self._held, strict=True):
            if isinstance(where, Words) and held is not None:  # only what differs: there may be 128 copies
                other = bits != held
                replace(where, word=where.word[other], pe=where.pe[other]).store(self._machine, bits[other])
            else:
                where.store(self._machine, bits)
        self._machine.run(self._program)
        kept = all(np.array_equal(where.load(self._machine), bits) for _, where, bits in inputs)
        self._held = tuple(bits if kept else None for _, _, bits in inputs)
        output = self._case.op.output
        received = place_of(output).load(self._machine)
        return received.view(output.dtype).reshape(output.shape).astype(np.float64)

    def changed(self, number: int, marks: Marks) -> tuple[Array, ...]:
        """The inputs with some elements of one of them exchanged."""
        exchanged = np.where(marks, self.after[number], self.before[number])
        return tuple(exchanged if at == number else array for at, array in enumerate(self.before))

    def multiplies(self, index: tuple[int, ...], number: int, element: tuple[int, ...], other: tuple[int, ...]) -> bool:
        """Whether this element of a Gemm's factor `number` is multiplied by that of the other factor, just once.

        Exchanged together they then move the result by the product of their changes more than one by one.
        """
        places = ((number, element), (1 - number, other))
        one_by_one, both, product = 0.0, self.before, 1.0
        for factor, at in places:
            marks = np.zeros(self.before[factor].shape, np.bool_)
            marks[at] = True
            arrays = self.changed(factor, marks)
            one_by_one += float(self.run(arrays)[index] - self.received[index])
            both = tuple(new if n == factor else old for n, (new, old) in enumerate(zip(arrays, both, strict=True)))
            product *= float(self.after[factor][at]) - float(self.before[factor][at])
        together = float(self.run(both)[index] - self.received[index])
        return abs(together - one_by_one - product) <= CLOSE * abs(product)

    def wanted_at(self, arrays: tuple[Array, ...], index: tuple[int, ...]) -> Array:
        """An element (of OneHot a row) of the right result."""
        if self._case.row.op == "Gemm":  # the whole product takes longer than the native engine's run
            left, right = (array[factor_of(self._case, n, index)].astype(np.float64) for n, array in enumerate(arrays))
            return np.asarray(left @ right)
        whole = meaning(self._case.row, arrays, self._case.constant)[0]
        return np.asarray(whole[index])


def _other(case: Case, array: Array) -> Array:
    """Numbers in place of the ordinary ones that move every result: of the other sign, or larger than all before."""
    if case.row.op == "OneHot":
        return (array + 5) % 16
    return (array + 10 if case.row.op == "ReduceMax" else -1.5 * array).astype(array.dtype)


class _Search:
    """What of one operand moves an element of the result, and by how much compared with what it should."""

    def __init__(self, probe: Probe, case: Case, index: tuple[int, ...], number: int) -> None:
        self._probe, self._index, self._number = probe, index, number
        self._linear = case.row.op in LINEAR
        size = max(1.0, float(np.abs(probe.wanted[index]).max()), float(np.abs(probe.received[index]).max()))
        self._scale = size if case.row.op in SCALED else 0.0
        self.should = inputs_behind(case, index)[number]
        self.share = np.full(self.should.shape, np.nan)  # how often an element counts; nan where that is not known
        self.more = False  # some element counts that should not

    def run(self, most_runs: int) -> None:
        """Fill in `share`."""
        todo = [np.flatnonzero(part) for part in (~self.should, self.should) if part.any()]
        while todo and self._probe.runs < most_runs:
            some = todo.pop()
            if self._settled(some):
                continue
            self.more |= not self.should.flat[some].any()
            halves = [*_by_digits(some)] if len(some) > MANY else np.array_split(some, 2)
            if len(some) > MANY:
                for part in halves:
                    if self._probe.runs < most_runs:
                        self._settled(part)
                some = some[np.isnan(self.share.flat[some])]
                halves = np.array_split(some, 2) if len(some) > 1 else [some] * len(some)
            todo += halves[::-1]

    def _settled(self, some: Array) -> bool:
        """Exchange these elements; whether that tells how often each of them counts."""
        moved, wanted = self._moves(some)
        if self._agrees(some, moved, wanted):
            self.share.flat[some] = self.should.flat[some]
        elif not self._counts(moved):
            self.share.flat[some] = 0.0
        elif self._linear and wanted and (len(some) == 1 or _is_whole(moved / wanted)):
            self.share.flat[some] = moved / wanted
        elif len(some) == 1:
            self.share.flat[some] = 1.0
        else:
            return False
        return True

    def _moves(self, some: Array) -> tuple[float, float]:
        """By how much the element moves when these change, and by how much it should."""
        marks = np.zeros(self.should.shape, np.bool_)
        marks.flat[some] = True
        arrays = self._probe.changed(self._number, marks)
        moved = self._probe.run(arrays)[self._index] - self._probe.received[self._index]
        wanted = self._probe.wanted_at(arrays, self._index) - self._probe.wanted[self._index]
        if np.ndim(moved):  # of a row of the result
            return float(np.abs(moved).sum()), float(np.abs(wanted).sum())
        return float(moved), float(wanted)

    def _agrees(self, some: Array, moved: float, wanted: float) -> bool:
        if self._linear:
            return abs(moved - wanted) <= NEAR * max(abs(wanted), self._scale)
        return self._counts(moved) == bool(wanted) and (len(some) == 1 or not wanted)

    def _counts(self, moved: float) -> bool:
        return not abs(moved) <= NEAR * self._scale


def _by_digits(some: Array) -> Iterator[Array]:
    """For each binary digit of their numbers the elements where it is 0, and those where it is 1."""
    for digit in range(int(some.max()).bit_length()):
        for part in (some[some >> digit & 1 == 0], some[some >> digit & 1 == 1]):
            if len(part) and len(part) < len(some):
                yield part


def _is_whole(ratio: float) -> bool:
    return abs(ratio - round(ratio)) <= NEAR


def probed(case: Case, program: Program, wrong: Array) -> tuple[str, str, Dependence] | None:
    """A cause, what was seen, and what the first wrong element depends on; None where ordinary numbers show nothing.

    wrong: the wrong elements of the case, among which one is looked for that is wrong here too.
    """
    with prepared_for(program, inputs_of(case), (place_of(case.op.output),)) as machine:
        return _probed(case, Probe(case, program, machine), wrong)


def _probed(case: Case, probe: Probe, wrong: Array) -> tuple[str, str, Dependence] | None:
    candidates = np.argwhere(probe.wrong & wrong if (probe.wrong & wrong).any() else probe.wrong)
    if not len(candidates):
        return None
    index = tuple(int(number) for number in candidates[0])
    if case.row.op == "OneHot":  # a label moves two elements of its row: take the row as a whole
        index = index[:1]
    if not np.isfinite(probe.received[index]).all():
        return None
    searches = [_Search(probe, case, index, number) for number in range(len(case.arrays))]
    large = max(array.size for array in case.arrays) > LARGE
    small_most, large_most = (MOST_NATIVE, MOST_NATIVE_OF_LARGE) if probe.is_native else (MOST_RUNS, MOST_RUNS_OF_LARGE)
    most = large_most if large else small_most
    for number, search in enumerate(searches, 1):
        search.run(most * number // len(searches))
    names = [operand.name for operand in case.op.inputs]
    found = Dependence(
        index,
        tuple(
            Moves(name, np.nan_to_num(search.share) != 0, search.should, np.isnan(search.share), search.more)
            for name, search in zip(names, searches, strict=True)
        ),
    )
    return _explained(case, probe, found, [search.share for search in searches])


def _explained(case: Case, probe: Probe, found: Dependence, shares: list[Array]) -> tuple[str, str, Dependence] | None:
    """The cause that the pattern stands for, and the pattern in words; None where too little of it is known."""
    out = f"out{place(found.index)}"
    counted = [
        seen
        for number, (moves, share) in enumerate(zip(found.operands, shares, strict=True))
        if (seen := _paired(case, probe, found, number, share) or _counted(case, out, moves, share))
    ]
    wrong, causes = found.wrong, [cause for cause, _ in counted]
    words = "\n".join([*([found.text] if wrong else []), *(seen for _, seen in counted)])
    if any(not moves.counts.any() and not moves.unknown.any() for moves in wrong):
        return NOT_USED, words, found
    if MISPAIRED in causes or any(moves.extra.any() or moves.more for moves in wrong):
        paired = MISPAIRED in causes or len(wrong) < len(found.operands)
        return MISPAIRED if paired else WRONG_INPUTS, words, found
    if wrong or causes:
        return LEFT_OUT if wrong else causes[0], words, found
    if any((moves.unknown & moves.should).any() for moves in found.operands):
        return None
    words = _right_but_wrong(out, [elements(moves.name, moves.should) for moves in found.operands])
    return ARITHMETIC, f"{words}{_of_a_row(case, probe, found)}", found


def _right_but_wrong(out: str, parts: list[str]) -> str:
    """parts: what an element of the result depends on, of each operand."""
    if len(parts) == 1:
        return tr("{out} depends on what it should, {parts}, but what is computed from that is wrong", out, parts[0])
    a, b = parts
    return tr("{out} depends on what it should, {a} and {b}, but what is computed from that is wrong", out, a, b)


def _of_a_row(case: Case, probe: Probe, found: Dependence) -> str:
    """Div: whether the quotients of a row are all wrong by the same factor, which can only come from its divisor."""
    if case.row.op != "Div":
        return ""
    row = found.index[0]
    with np.errstate(all="ignore"):
        ratios = probe.received[row] / probe.wanted[row]
    if not (np.abs(ratios - ratios[0]) <= NEAR * np.abs(ratios[0])).all():
        return ""
    name = found.operands[1].name
    return tr("\nall of out[{row}] is wrong by one factor: look at what is made of {name}[{row}]", row, name)


def _counted(case: Case, out: str, moves: Moves, share: Array) -> tuple[str, str] | None:
    """Elements that count, but not once."""
    odd = moves.should & moves.counts & (np.abs(share - 1) > SURE)
    if not odd.any():
        return None
    times = float(share[odd][0])
    if case.row.op == "Gemm" and not _is_whole(times):
        return None  # it is multiplied by something else, and may well count once
    same = odd & (np.abs(share - times) <= SURE)
    cause = SIGN if abs(times + 1) <= SURE else TWICE if abs(times - 2) <= SURE else ARITHMETIC
    if too_many(same):
        count, name = int(same.sum()), moves.name
        first, last = (f"{name}{place(index)}" for index in np.argwhere(same)[[0, -1]])
        return cause, tr(
            "{out} takes {count} elements of {name}, from {first} to {last} {times:.4g} times, should take it once",
            out,
            count,
            name,
            first,
            last,
            times,
        )
    return cause, tr(
        "{out} takes {name} {times:.4g} times, should take it once", out, elements(moves.name, same), times
    )


def _paired(case: Case, probe: Probe, found: Dependence, number: int, share: Array) -> tuple[str, str] | None:
    """Gemm: an element that is multiplied by another one than it should be."""
    if case.row.op != "Gemm":
        return None
    own, other = found.operands[number], found.operands[1 - number]
    for at in np.argwhere(own.should & own.counts & (np.abs(share - np.rint(share)) > SURE)):
        element = tuple(int(n) for n in at)
        right = partner_of(case, number, found.index, element)
        values = probe.before[1 - number]
        taken = _factors(values, other.counts, float(share[element]) * float(values[right]))
        if taken and all(probe.multiplies(found.index, number, element, one) for one in taken):
            factors = [f"{other.name}{place(one)}" for one in taken]
            return MISPAIRED, _taken(
                f"out{place(found.index)}", f"{own.name}{place(element)}", factors, f"{other.name}{place(right)}"
            )
    return None


def _taken(out: str, one: str, factors: list[str], right: str) -> str:
    """One element is multiplied by one or two others."""
    if len(factors) == 1:
        return tr("{out} takes {one} times {factors}, should be times {right}", out, one, factors[0], right)
    a, b = factors
    return tr("{out} takes {one} times {a} and {b}, should be times {right}", out, one, a, b, right)


def _factors(values: Array, counts: Marks, factor: float) -> list[tuple[int, ...]]:
    """The only element that counts and has this value, or the only two that together have it; [] where none has.

    Of all elements some would have it by chance.
    """
    places = np.argwhere(counts)
    numbers = values[counts].astype(np.float64)
    slack = NEAR * abs(factor)
    single = np.flatnonzero(np.abs(numbers - factor) <= slack)
    if len(single):
        return [tuple(places[single[0]].tolist())] if len(single) == 1 else []
    if len(numbers) > MOST_TOGETHER:
        return []
    pairs = np.argwhere(np.triu(np.abs(numbers[:, None] + numbers - factor) <= slack))
    return [tuple(places[one].tolist()) for one in pairs[0]] if len(pairs) == 1 else []
