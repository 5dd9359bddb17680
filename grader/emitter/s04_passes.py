"""Stage 04: what the emitter does for the tasks about the compiler."""

from __future__ import annotations

from grader.emitter.forms import Form, Function
from grader.emitter.graphs import bytes_of, graph_answer, graph_given, returned_graph
from grader.emitter.loading import AnswerError
from grader.emitter.values import Value, Values
from simulator.messages import tr


def transfers(function: Function, given: Values) -> dict[str, Value]:
    """Given a graph with layouts: the one with transfers, and whether the given one stayed as it was."""
    model = graph_given(given["model"])
    before = bytes_of(model)
    return graph_answer(lambda: returned_graph(function(model))) | {"kept": bytes_of(model) == before}


def cheapest(function: Function, given: Values) -> dict[str, Value]:
    """Given reads and fixed by name, layouts, and tables whose keys are joined by blanks: the plan."""
    reads, fixed, work, move, layouts = (given[name] for name in ("reads", "fixed", "work", "move", "layouts"))
    if not (isinstance(reads, dict) and isinstance(fixed, dict) and isinstance(layouts, list)):
        raise TypeError(tr("reads and fixed are dictionaries, layouts is a list"))
    plan = function({value: tuple(str(names).split()) for value, names in reads.items()}, tuple(map(str, layouts)),
                    dict(fixed), _table(work), _table(move))  # fmt: skip
    if not isinstance(plan, dict) or not all(isinstance(text, str) for both in plan.items() for text in both):
        raise AnswerError(tr("the function must return a dictionary from value to layout, both text"))
    return {"plan": dict(plan)}


def _table(given: Value) -> dict[tuple[str, ...], float]:
    if not isinstance(given, dict):
        raise TypeError(tr("a table is a dictionary"))
    return {tuple(key.split()): float(str(price)) for key, price in given.items()}


FORMS: dict[str, Form] = {"4.6": transfers, "4.7": cheapest}
