"""Stage 04: the cases of its first task; those of the assembly tasks are in `s04_assembly`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grader.emitter.values import Values
from grader.feedback.failure import Failure
from grader.trials import Array, Trial, Trials, Wrong, array_in, compare
from haribote.layout import LAYOUTS, Layout
from simulator.messages import tr


def position(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 4.1: every layout of the course and two others, at every level."""
    sizes = rng.integers(2, 6, 4)
    drawn = f"(({sizes[0]}:7, {sizes[1]}_MAB:1), ({sizes[2]}_L1B:1, {sizes[3]}:3, 2_L1B:5))"
    for text in (*map(str, LAYOUTS.values()), "((3:2, 2_MAB:4), (5:6))", drawn):
        for level in ("L2B", "L1B", "MAB", "PE", "W", ""):
            yield _position(text, level)


def _position(text: str, level: str) -> Trial:
    name = f"{text}, {level}" if level else tr("{text}, long word", text=text)

    def judge(answer: Values) -> Failure | None:
        given = {"layout": np.array(text), "level": np.array(level)}
        received = array_in(answer, "position")
        return compare(name, given, wanted(Layout.parse(text), level), received, what=tr("the positions"))

    moving = bool(wanted(Layout.parse(text), level).any())  # zeros are right for the others
    return Trial(name, {"layout": text, "level": level}, judge, earns=moving)


def wanted(layout: Layout, level: str) -> Array:
    """The right answer, by NumPy's own way to split an index into digits."""
    total = np.zeros(layout.shape, np.int64)
    for axis, digits in enumerate(layout.axes):
        parts = np.unravel_index(np.arange(layout.shape[axis]), tuple(digit.size for digit in digits))
        along = sum((p * d.stride for p, d in zip(parts, digits, strict=True) if d.level == level), np.array(0))
        shape = [-1 if number == axis else 1 for number in range(total.ndim)]
        total += np.broadcast_to(along, (layout.shape[axis],)).reshape(shape)
    return total


TRIALS: dict[str, Trials] = {"4.1": position}
WRONG: dict[str, Wrong] = {"4.1": (("// after % digit.size", "% digit.size"), ("* digit.stride", ""))}
