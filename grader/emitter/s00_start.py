"""Stage 00: what the emitter does for its tasks."""

from __future__ import annotations

from grader.emitter.forms import Form, Function
from grader.emitter.values import Value, Values


def accuracy(function: Function, given: Values) -> dict[str, Value]:
    """Given: logits [n, 10] float32, labels [n] int64. Answer: accuracy."""
    return {"accuracy": float(function(given["logits"], given["labels"]))}


FORMS: dict[str, Form] = {"0.1": accuracy}
