"""Stage 07: what the emitter does for its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from grader.emitter.forms import Form, Function
from grader.emitter.loading import AnswerError, required
from grader.emitter.numbers import numbers
from grader.emitter.values import Value, Values, ints, listed
from simulator.messages import tr


def cycles_by_name(function: Function, given: Values) -> dict[str, Value]:
    """Given: the text of a program, a name for each of its lines. Answer: the names in their order, and cycles."""
    from simulator import assemble

    names = [str(name) for name in listed(given["names"])]
    answer = function(assemble(str(given["text"])).lines, names)
    found = required(answer, dict, tr("the function must return a dictionary"))
    return {"names": [str(name) for name in found], "cycles": numbers(found.values())}


def leaves_first(function: Function, given: Values) -> dict[str, Value]:
    """Given: lists of operators, and `now`: the number of a tensor. Or reads and room: how many loads they take."""
    from haribote.resident.leaving import loads

    if "reads" in given:
        reads = [str(number) for number in listed(given["reads"])]
        return {"loads": np.asarray(loads(reads, int(str(given["room"])), partial(_chosen, function)))}
    uses = [ints(found) for found in listed(given["uses"])]
    return {"number": np.asarray(_chosen(function, uses, int(str(given["now"]))))}


def _chosen(function: Function, uses: Sequence[Sequence[int]], now: int) -> int:
    number = function(uses, now)
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number < len(uses):
        last, found = len(uses) - 1, str(number)[:80]
        raise AnswerError(tr("the function must return a number from 0 to {value}, received {number}", last, found))
    return int(number)


FORMS: dict[str, Form] = {"7.1": cycles_by_name, "7.2": leaves_first}
