"""Task 7.7: layouts along a chain.

It is taught in notebooks/07_speed/03_layouts_and_moves, section 5.
Check it with `grader check 7.7`; if you are stuck, `grader hint 7.7`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haribote.errors import NotWritten


def cheapest_layouts(
    work: Sequence[Mapping[str, float]], move: Mapping[tuple[str, str], float], start: str, end: str
) -> list[str]:
    """The layout of each operator in a plan that costs as little as any plan does.

    A chain of operators: each reads the result of the one before it. work[k][layout] is what operator k costs if its
    operand and its result are in that layout; a layout that is not in work[k] is not possible for it. Between two
    operators of different layouts the result has to move: move[before, after] cycles, 0 if both are the same. The
    operand of the first operator is in layout `start`, the result of the last one is wanted in layout `end`. There may
    be hundreds of operators, so trying all plans takes too long. Of several cheapest plans any is right.
    """
    # TODO: about 9 lines.
    raise NotWritten("task 7.7 (layouts along a chain) is not written yet; check it with `grader check 7.7`")
