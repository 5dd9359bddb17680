"""Stage 07: what the emitter does for the tasks about layouts."""

from __future__ import annotations

from typing import Any

from grader.emitter.forms import Form, Function
from grader.emitter.loading import AnswerError
from grader.emitter.values import Value, Values, listed
from simulator.messages import tr


def how_far(function: Function, given: Values) -> dict[str, Value]:
    """Given: what the bits of each level carry before and after. Answer: the part of the tree."""
    found = function(_table(given["before"]), _table(given["after"]))
    if not isinstance(found, str):
        raise AnswerError(tr('the function must return a text such as "L1B", received {found}', str(found)[:80]))
    return {"within": found}


def cheapest_layouts(function: Function, given: Values) -> dict[str, Value]:
    """Given: work (a table for each operator), move (before, after, cycles), start, end. Answer: the plan."""
    work = [{str(layout): float(cost) for layout, cost in prices.items()} for prices in listed(given["work"])]
    move = {(str(a), str(b)): float(cost) for a, b, cost in listed(given["move"])}
    plan = function(work, move, str(given["start"]), str(given["end"]))
    if not isinstance(plan, list | tuple) or not all(isinstance(layout, str) for layout in plan):
        raise AnswerError(tr("the function must return a list of layouts, received {plan}", str(plan)[:80]))
    return {"plan": list(plan)}


def _table(value: Any) -> dict[str, list[str]]:
    return {str(level): [str(name) for name in names] for level, names in value.items()}


FORMS: dict[str, Form] = {"7.6": how_far, "7.7": cheapest_layouts}
