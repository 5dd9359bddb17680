"""Judge an answer of assembly (tasks 4.2 to 4.5): assemble it, check its waits, run it, compare, name the cause."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grader.emitter.values import Values
from grader.feedback.blame import by_luck, told, unwritten_read, writer_of
from grader.feedback.causes import NEGATIVE, STALE, STRAY, WRONG_COPIES
from grader.feedback.diagnose import Kind, Seen, diagnose_assembly, marks
from grader.feedback.failure import Failure, WrongWord
from grader.feedback.pictures import error_of, first_unit, picture_of, value_text
from grader.judges.program import assembled, cost_of, failure_in, machine_failure, text_in
from grader.result import Cost
from grader.rigs.poisoned import OTHER_POISON, POISON
from grader.rigs.rig import Array, Bits, Given, Inputs, Left, Place, Words, bits_of, run
from haribote.layout import Layout
from simulator import ExecutionError
from simulator.messages import tr


@dataclass(frozen=True, eq=False)
class Output:
    """An output of a case. bits: the right ones, of the shape of `layout`.

    exact: where given, the right numbers, and `tolerance` the largest error of each; otherwise bits are compared.
    guesses: what a known mistake gives, as floats, each with words for it.
    """

    name: str
    place: Place
    bits: Bits
    kind: Kind
    layout: Layout
    exact: Array | None = None
    tolerance: Array | None = None
    guesses: tuple[tuple[str, Array], ...] = ()

    def wrong(self, received: Bits) -> NDArray[np.bool_]:
        """Which elements are wrong."""
        if self.exact is None or self.tolerance is None:
            return np.asarray(received != self.bits)
        with np.errstate(invalid="ignore"):
            return np.asarray(~(np.abs(received.view(np.float32).astype(np.float64) - self.exact) <= self.tolerance))

    def guessed(self, received: Bits) -> str:
        """The words of the first guess that is what was received, or ""."""
        near = 0.0 if self.exact is None else 1e-5
        for words, guess in self.guesses:
            if np.allclose(received.view(np.float32), guess, rtol=near, atol=near):
                return words
        return ""


@dataclass(frozen=True, eq=False)
class AssemblyCase:
    """One case of a task. loose: words that may hold anything afterwards.

    par: of this case; counted: the task's par is the sum of these. The others have other addresses than the first, and
    show what they cost only where it is over par.
    """

    name: str
    inputs: Inputs
    outputs: tuple[Output, ...]
    par: int
    loose: tuple[Words, ...] = ()
    counted: bool = True

    def cost(self, answer: Values) -> Cost | None:
        """Steps and MV of a right answer."""
        cost = cost_of(self.name, self.par, answer)
        return cost if self.counted or cost.score > cost.par else None


def judge(case: AssemblyCase, passed: list[str], answer: Values) -> Failure | None:
    """What is wrong with an answer, or None. passed: the cases so far that passed; a passing one is added."""
    text = text_in(answer)
    failure = failure_in(case.name, text)
    if failure is None:
        try:
            failure = _result(case, text, bool(passed), POISON) or _result(case, text, bool(passed), OTHER_POISON)
        except ExecutionError as error:
            failure = machine_failure(case.name, error, text)
    if failure is None:
        passed.append(case.name)
    return failure


def _run(case: AssemblyCase, text: str, poison: int) -> Left:
    places = tuple(output.place for output in case.outputs)
    return run(assembled(text), case.inputs, places, (*places, *case.loose), poison)


def _result(case: AssemblyCase, text: str, others_passed: bool, poison: int) -> Failure | None:
    """What is wrong with the result. With OTHER_POISON: all was right with POISON."""
    left = _run(case, text, poison)
    for number, output in enumerate(case.outputs):
        wrong = output.wrong(left.outputs[number])
        if wrong.any():
            return _wrong(case, number, text, left.outputs[number], wrong, others_passed, poison)
        odd = left.others[number].unit
        if odd:
            odd_copy = tr("the first copy of {name} is right, but not what {odd} holds of it", output.name, odd)
            return Failure(case.name, WRONG_COPIES, odd_copy)
    if left.stray_at:
        blame = writer_of(assembled(text), case.inputs, left.stray_at)
        what = tr("{stray} has changed, but belongs to no output", left.stray) + told(blame, text)
        word = WrongWord(left.stray_at, left.stray, left.stray_bits, None, poison)
        return Failure(case.name, STRAY, what, line=blame.line if blame else 0, word=word)
    return None


def _wrong(
    case: AssemblyCase,
    number: int,
    text: str,
    received: Bits,
    wrong: NDArray[np.bool_],
    others_passed: bool,
    poison: int,
) -> Failure:
    output = case.outputs[number]
    wanted, got, inputs = _numbers(case, output, received)
    index = tuple(int(value) for value in np.argwhere(wrong)[0])
    named = {given.name: array for given, array in zip(case.inputs, inputs, strict=True)}
    if poison == POISON:
        seen = Seen(
            wanted, got, wrong, named, output.layout, output.kind,
            lambda: _run(case, text, OTHER_POISON).outputs[number], lambda: _untouched(case, text, number),
        )  # fmt: skip
        cause, words = diagnose_assembly(seen, not case.counted and others_passed)
        guess = output.guessed(received)
        if guess and cause != STALE:
            cause, words = (cause if cause == NEGATIVE else ""), guess
    else:
        cause, words = STALE, by_luck(wrong)
    blame = unwritten_read(assembled(text), case.inputs, output.place, wrong) if cause == STALE else None
    error = error_of(wanted, got, wrong)
    where = output.place.name_of(index)
    first = tr(
        "first in {where}: expected {wanted}, received {got}", where, value_text(wanted[index]), value_text(got[index])
    )
    machine = output.place.machine(error)
    bits = int(received[index]), bits_of(wanted[index])
    word = WrongWord(output.place.at(index), f"{output.name} {list(index)}", *bits, poison)
    return Failure(
        case.name, cause, f"{words}{told(blame, text)}\n{first}", "",
        named,
        wanted, got, error, machine, picture_of(wrong, machine), blame.line if blame else 0,
        first_unit(output.place.machine, wrong),
        word=word, output=output.name,
    )  # fmt: skip


def _untouched(case: AssemblyCase, text: str, number: int) -> NDArray[np.bool_]:
    """The elements of an output that still hold what was there before: marks, each a number of its own."""
    output = case.outputs[number]
    before = marks(output.bits.shape)
    left = _run(replace(case, inputs=(*case.inputs, Given(output.name, output.place, before))), text, POISON)
    return np.asarray(left.outputs[number] == before)


def _numbers(case: AssemblyCase, output: Output, received: Bits) -> tuple[Array, Array, tuple[Array, ...]]:
    """What is right, what was received, and the inputs: bits where words are only moved, else numbers."""
    inputs = tuple(given.bits for given in case.inputs)
    if output.kind == "transfer":
        return output.bits, received, inputs
    right = output.bits.view(np.float32) if output.exact is None else output.exact
    return right, received.view(np.float32), tuple(bits.view(np.float32) for bits in inputs)
