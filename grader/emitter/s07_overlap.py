"""Stage 07: what the emitter does for the tasks about precision and overlap."""

from __future__ import annotations

from grader.emitter.forms import Form, Function
from grader.emitter.graphs import graph_given
from grader.emitter.loading import required
from grader.emitter.numbers import numbers
from grader.emitter.values import Value, Values, listed
from haribote.speed.overlap import Work
from simulator.messages import tr


def delicate(function: Function, given: Values) -> dict[str, Value]:
    """Given: a graph. Answer: the names of the delicate products, sorted."""
    must = tr("the function must return a set of names")
    found = required(function(graph_given(given["model"])), (set, frozenset, list, tuple), must)
    return {"names": list[Value](sorted({str(name) for name in found}))}


def timetable(function: Function, given: Values) -> dict[str, Value]:
    """Given: works as unit, cycles, needs. Answer: when each ends."""
    work = [
        Work(str(unit), float(cycles), tuple(int(n) for n in needs)) for unit, cycles, needs in listed(given["work"])
    ]
    return {"ends": numbers(function(work))}


FORMS: dict[str, Form] = {"7.8": delicate, "7.9": timetable}
