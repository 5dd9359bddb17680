"""Stage 04: the cases of its first task; those of the assembly tasks are in `s04_assembly`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from grader.emitter.values import Values
from grader.feedback.causes import LEFT_OUT, WRONG_INPUTS
from grader.trials import Array, Objection, Trial, Trials, Wrong, array_in, compare
from haribote.layout import LAYOUTS, Digit, Layout
from simulator.messages import tr


def position(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 4.1: every layout of the course and two others, at every level."""
    sizes = rng.integers(2, 6, 4)
    drawn = f"(({sizes[0]}:7, {sizes[1]}_MAB:1), ({sizes[2]}_L1B:1, {sizes[3]}:3, 2_L1B:5))"
    for text in (*map(str, LAYOUTS.values()), "((3:2, 2_MAB:4), (5:6))", drawn):
        for level in ("L2B", "L1B", "MAB", "PE", "W", ""):
            yield _position(text, level)


def _position(text: str, level: str) -> Trial:
    name = f"{text}, {level}" if level else tr("{text}, long word", text)

    def judge(answer: Values) -> Objection:
        given = {"layout": np.array(text), "level": np.array(level)}
        layout, received = Layout.parse(text), array_in(answer, "position")
        values = _sum_of(layout, level, lambda index, value, digit: value)
        indices = _sum_of(layout, level, lambda index, value, digit: index)
        instead = [
            (LEFT_OUT, tr("each digit is added as it is: multiply it by its stride"), values),
            (WRONG_INPUTS, tr("the whole index is added for each digit: take the digit out of it"), indices),
        ]
        what = tr("the positions")
        return compare(name, given, wanted(layout, level), received, what=what, instead=instead)

    moving = bool(wanted(Layout.parse(text), level).any())  # zeros are right for the others
    return Trial(name, {"layout": text, "level": level}, judge, earns=moving)


def wanted(layout: Layout, level: str) -> Array:
    """The right answer: the digits of a level, each times its stride."""
    return _sum_of(layout, level, lambda index, value, digit: value * digit.stride)


def _sum_of(layout: Layout, level: str, part: Callable[[Array, Array, Digit], Array]) -> Array:
    """A sum over the digits of a level. part: of the index along an axis, a digit's value there, found by NumPy's own
    way to split an index, and the digit.
    """
    total = np.zeros(layout.shape, np.int64)
    for axis, digits in enumerate(layout.axes):
        index = np.arange(layout.shape[axis])
        values = np.unravel_index(index, tuple(digit.size for digit in digits))
        parts = [part(index, value, digit) for value, digit in zip(values, digits, strict=True) if digit.level == level]
        shape = [-1 if number == axis else 1 for number in range(total.ndim)]
        total += sum(parts, np.zeros_like(index)).reshape(shape)
    return total


TRIALS: dict[str, Trials] = {"4.1": position}
WRONG: dict[str, Wrong] = {"4.1": (("// after % digit.size", "% digit.size"), ("* digit.stride", ""))}
