"""Run an answer to a puzzle, and say what is wrong with it: too long, not valid, too early, or not what is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from grader.feedback.causes import READS_TOO_EARLY, STALE, STRAY
from grader.feedback.failure import Failure, WrongWord
from grader.judges.program import assembled, failure_in, machine_failure
from grader.puzzles.spec import LONG, Array, Memories, Puzzle, load, places, store, words_of
from grader.rigs.poisoned import OTHER_POISON, POISON, junk, poisoned_machine, with_stored
from grader.rigs.rig import Given, Inputs, unit_name
from simulator import ExecutionError, Machine, SimulatorError
from simulator.effects.accesses import Written, touched_by, words_in, written_by
from simulator.effects.places import Place
from simulator.errors import advised
from simulator.messages import tr

LMS = ("lm0", "lm1")
_NUMBERS = ("no", "one", "two", "three")


@dataclass(frozen=True, eq=False)
class PuzzleOutcome:
    """What an answer did to the memories of the picture. received: None where it could not be run."""

    before: Memories
    wanted: Memories
    received: Memories | None


def after(puzzle: Puzzle, before: Memories) -> dict[str, Array]:
    """All memories as they are wanted."""
    return {**before, **puzzle.wanted(before)}


def ran(puzzle: Puzzle, answer: str) -> PuzzleOutcome:
    """What an answer does to the memories of the picture, on a machine that is zero elsewhere."""
    before = puzzle.shown()
    wanted = after(puzzle, before)
    try:
        program = assembled(puzzle.program(answer))
        machine = Machine()
        store(machine, before)
        machine.run(program)
    except SimulatorError:
        return PuzzleOutcome(before, wanted, None)
    return PuzzleOutcome(before, wanted, load(machine, before))


def judge(puzzle: Puzzle, name: str, before: Memories, answer: str) -> Failure | None:
    """What is wrong with an answer for these memories, or None. name: of the case."""
    if refused := _too_long(puzzle, answer):
        return Failure(name, "", refused)
    text = puzzle.program(answer)
    try:
        failure = failure_in(name, text) or _result(puzzle, name, before, answer, POISON)
        failure = failure or _result(puzzle, name, before, answer, OTHER_POISON)
    except ExecutionError as error:
        failure = machine_failure(name, error, text)
    return failure and _at_home(puzzle, failure)


def _too_long(puzzle: Puzzle, answer: str) -> str:
    """What is wrong with the length of an answer, or "": a puzzle is small, a few lines, and no step more than they
    need."""
    lines = [line for line in answer.split("\n") if line.partition("#")[0].strip()]
    if not lines:
        return advised(tr("there is no line of assembly yet"), tr("write one below the first line of the cell"))
    if len(lines) > puzzle.lines:
        do = puzzle.lines
        return tr("{numbers} line{s} will do, received {lines}", _NUMBERS[do], "s" * (do != 1), len(lines))
    try:
        program = assembled("\n".join(lines))
    except SimulatorError:
        return ""  # told with its place in the whole program
    taken = program.steps + program.moves
    if taken > puzzle.steps:
        do = puzzle.steps
        return tr("{numbers} step{s} will do, received {taken}", _NUMBERS[do], "s" * (do != 1), taken)
    return ""


def _at_home(puzzle: Puzzle, failure: Failure) -> Failure:
    """The failure with its line counted in the answer itself; 0 where it is a line of the puzzle's own."""
    if failure.cause == READS_TOO_EARLY and puzzle.early:
        failure = replace(failure, explanation=tr("hint: {early}\n{explanation}", puzzle.early, failure.explanation))
    line = failure.line - (puzzle.before.count("\n") + 1 if puzzle.before else 0)
    return replace(failure, line=max(0, line)) if failure.line else failure


def _result(puzzle: Puzzle, name: str, before: Memories, answer: str, poison: int) -> Failure | None:
    wanted, program = after(puzzle, before), assembled(puzzle.program(answer))
    changing = written = written_by(program)
    touching = touched_by(program)
    for memory, place in places(before).items():
        changing, touching = (with_stored(named, memory, range(place.count)) for named in (changing, touching))
    with poisoned_machine(poison, changing=changing, touching=touching) as machine:
        store(machine, before)
        machine.run(program)
        received = load(machine, before)
        stray = _stray(machine, before, poison, written)
    watched = [memory for memory in before if memory in puzzle.targets or memory in LMS]
    wrong = {memory: int((received[memory] != wanted[memory]).sum()) for memory in watched}
    if any(wrong.values()):
        cause = STALE if poison == OTHER_POISON else ""
        said = "\n".join(filter(None, (hint(puzzle, answer), differences(puzzle, wanted, received))))
        return Failure(name, cause, said, word=_first_wrong(watched, wanted, received, poison))
    return Failure(name, STRAY, tr("{stray}, which should stay as it was", stray)) if stray else None


def _first_wrong(watched: Sequence[str], wanted: Memories, received: Memories, poison: int) -> WrongWord:
    """Where a debugger begins."""
    memory = next(name for name in watched if (received[name] != wanted[name]).any())
    got, right = words_of(memory, received[memory]), words_of(memory, wanted[memory])
    index = tuple(int(number) for number in np.argwhere(got != right)[0])
    if memory in LONG:
        unit, word = int(np.ravel_multi_index(index[:-1], got.shape[:-1])), index[-1]
    else:
        word, unit = index
    name = tr("word {word} of {upper}", word, memory.upper())
    return WrongWord(Place(memory, unit, word), name, int(got[index]), int(right[index]), poison)


def named(before: Memories) -> Inputs:
    """What the machine holds before an answer, for a debugger."""
    return tuple(Given(name.upper(), place, before[name]) for name, place in places(before).items())


def _stray(machine: Machine, before: Memories, poison: int, written: Written | None) -> str:
    """A word of LM behind those that are looked at which has changed, or "". written: what the run may have changed."""
    for memory in LMS:
        words, start = getattr(machine, memory), len(before.get(memory, ()))
        some = words_in(written, memory)
        for word in range(start, len(words)) if some is None else sorted(word for word in some if word >= start):
            if (words[word] != junk(memory, len(words), poison)[word]).any():
                return tr("word {value} of {upper} has changed", word, memory.upper())
    return ""


def differences(puzzle: Puzzle, wanted: Memories, received: Memories) -> str:
    """How many words are wrong, on the whole chip, and which comes first."""
    parts = []
    for memory in received:
        wrong = words_of(memory, received[memory]) != words_of(memory, wanted[memory])
        if wrong.any() and (memory in puzzle.targets or memory in LMS):
            first = _name_of(memory, tuple(int(number) for number in np.argwhere(wrong)[0]))
            some = tr("{count:,} words of {name} are not as wanted", int(wrong.sum()), memory.upper())
            if memory not in puzzle.targets:
                some = tr("{stray}, which should stay as it was", some)
            parts.append(tr("{some}; the first is {first}", some, first))
    return "\n".join(parts)


def _name_of(memory: str, index: tuple[int, ...]) -> str:
    """The word of these indices, in words."""
    if memory in LONG:
        units = ", ".join(f"{level} {number}" for level, number in zip(("L2B", "L1B"), index[:-1], strict=False))
        return tr("in long word {value} of {units}", index[-1] // 2, units)
    return tr("word {index} of {index2}", index[0], unit_name(index[1]))


def hint(puzzle: Puzzle, answer: str) -> str:
    """What to say to an answer that does what a known mistake does; "" where none does."""
    seen = ran(puzzle, answer).received
    for lines, said in puzzle.mistakes.items():
        known = _known(puzzle, lines).received
        if seen is not None and known is not None and _same(seen, known):
            return tr("hint: {hint}", said)
    return ""


@lru_cache(maxsize=8)
def _known(puzzle: Puzzle, lines: str) -> PuzzleOutcome:
    """What a known mistake does, which the next answer is compared with too."""
    return ran(puzzle, lines)


def _same(a: Memories, b: Memories) -> bool:
    return all(np.array_equal(a[name], b[name]) for name in a)
