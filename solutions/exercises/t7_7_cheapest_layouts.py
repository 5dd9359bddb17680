"""Task 7.7: layouts along a chain (the cheapest way to each layout, operator by operator)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


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
    ### BEGIN SOLUTION
    best: dict[str, tuple[float, list[str]]] = {start: (0.0, [])}
    for prices in work:
        following: dict[str, tuple[float, list[str]]] = {}
        for layout, price in prices.items():
            ways = [(cost + move[before, layout] + price, plan) for before, (cost, plan) in best.items()]
            cost, plan = min(ways, key=lambda way: way[0])
            following[layout] = cost, [*plan, layout]
        best = following
    return min(best.items(), key=lambda found: found[1][0] + move[found[0], end])[1][1]
    ### END SOLUTION
