"""Stage 00: what the emitter does for its tasks."""

from __future__ import annotations

import numpy as np

from grader.emitter.forms import Form, Function
from grader.emitter.loading import AnswerError
from grader.emitter.numbers import number
from grader.emitter.values import Value, Values
from simulator.messages import tr


def accuracy(function: Function, given: Values) -> dict[str, Value]:
    """Given: logits [n, 10] float32, labels [n] int64. Answer: accuracy."""
    found = function(given["logits"], given["labels"])
    if np.ndim(found):
        what = tr("accuracy must return one number, received an array of shape {found}", list(np.shape(found)))
        raise AnswerError(what, tr("the mean of an array of True and False is the share of True"))
    if found is None:
        raise AnswerError(tr("accuracy returned nothing (None), it must return one number"), "return …")
    return {"accuracy": number(found)}


FORMS: dict[str, Form] = {"0.1": accuracy}
