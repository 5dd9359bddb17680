"""Stage 04: what the emitter does for its first task; the assembly tasks are in `s04_assembly`."""

from __future__ import annotations

import numpy as np

from grader.emitter.forms import Form, Function
from grader.emitter.loading import AnswerError
from grader.emitter.values import Value, Values
from haribote.layout import Layout
from simulator.messages import tr


def position(function: Function, given: Values) -> dict[str, Value]:
    """Given: layout in its notation, level. Answer: position, the number of the unit of every element."""
    found = np.asarray(function(Layout.parse(str(given["layout"])), given["level"]))
    if found.dtype == object:
        what = tr("position must return an array of whole numbers, received objects of Python")
        raise AnswerError(what, tr("begin with np.zeros(layout.shape, np.int64), add to it, return it"))
    return {"position": found}


FORMS: dict[str, Form] = {"4.1": position}
