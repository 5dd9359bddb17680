"""What to try next: a sentence for each likely cause, and one where no cause is known."""

from __future__ import annotations

from dataclasses import replace

from grader.feedback import causes
from grader.feedback.advice import OF_TASK
from grader.feedback.failure import Failure
from simulator.errors import advised
from simulator.messages import Text, tr

TRY: dict[str, Text] = {
    causes.TRANSPOSED: Text("exchange the two axes, or the two indices where it is computed"),
    causes.WRONG_PLACE: Text("look at the index that the result is stored under"),
    causes.OFF_BY_ONE: Text("look at where the count begins: at 0 or at 1, before or behind"),
    causes.SIGN: Text("look for a minus that is missing or one too many"),
    causes.FACTOR: Text("look for a mean, a sum or a constant that is applied once too often, or not at all"),
    causes.SWAPPED: Text("exchange the two operands"),
    causes.NOT_USED: Text("use the operand that has no part in it"),
    causes.ONE_VALUE: Text("look for an index that stays the same in the loop"),
    causes.WRONG_INPUTS: Text("compare what it is made of, and along which axis, with the contract"),
    causes.LEFT_OUT: Text("look for the part of the contract that is not there yet"),
    causes.READS_TOO_EARLY: Text("put `nop` between the two lines, or other work"),
    causes.NEVER_WRITTEN: Text("see that a line writes every word of the output"),
    causes.STALE: Text("write that word before it is read"),
    causes.HARD_CODED: Text("take every address from `op`"),
    causes.STRAY: Text("write to the output's own words alone"),
    causes.OPERATION: Text("compare the instruction with the contract"),
}
OTHERWISE = Text("work the first wrong value out by hand from the inputs, then print what your function has on the way")


def with_next_step(failure: Failure, task: str = "", place: str = "") -> Failure:
    """The failure with what to try, where it does not say so itself. task: its id. place: of the answer's function,
    where no other is known.
    """
    if not failure.where and not failure.line and place and ".py:" not in failure.explanation:
        failure = replace(failure, where=place)
    if tr("try: {advice}", "") in failure.explanation:
        return failure
    advice: str | None = TRY.get(failure.cause)
    if advice is None and failure.error is None and task in OF_TASK:
        advice = OF_TASK[task].filled(task=task) if "{task}" in OF_TASK[task] else OF_TASK[task]
    if advice is None and failure.word is not None and task:
        advice = tr("`grader debug {task}` goes to the first wrong word: who wrote it, and from what?", task)
    return replace(failure, explanation=advised(failure.explanation, advice or OTHERWISE))
