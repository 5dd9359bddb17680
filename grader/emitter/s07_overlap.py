"""Stage 07: what the emitter does for the tasks about precision and overlap."""

from __future__ import annotations

from typing import Any

import onnx

from grader.emitter.forms import Form, Function
from grader.emitter.loading import AnswerError
from grader.emitter.numbers import numbers
from grader.emitter.values import Value, Values
from haribote.speed.overlap import Work
from simulator.messages import tr


def delicate(function: Function, given: Values) -> dict[str, Value]:
    """Given: a graph. Answer: the names of the delicate products, sorted."""
    content = given["model"]
    assert isinstance(content, bytes)
    found = function(onnx.load_from_string(content))
    if not isinstance(found, set | frozenset | list | tuple):
        raise AnswerError(tr("the function must return a set of names, received {name}", type(found).__name__))
    return {"names": list[Value](sorted({str(name) for name in found}))}


def timetable(function: Function, given: Values) -> dict[str, Value]:
    """Given: works as unit, cycles, needs. Answer: when each ends."""
    work = [
        Work(str(unit), float(cycles), tuple(int(n) for n in needs)) for unit, cycles, needs in _list(given["work"])
    ]
    return {"ends": numbers(function(work))}


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(tr("a list was to be given"))
    return value


FORMS: dict[str, Form] = {"7.8": delicate, "7.9": timetable}
