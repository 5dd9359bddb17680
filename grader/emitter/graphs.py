"""Graphs as answers: their bytes, and a refusal told as an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import onnx

from grader.emitter.loading import REFUSED, AnswerError, required
from grader.emitter.values import Value
from haribote.errors import UnsupportedOp
from simulator.messages import tr

MODEL = "model"


def bytes_of(model: onnx.ModelProto) -> bytes:
    """A graph as bytes, the same for equal graphs."""
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def graph_answer(make: Callable[[], onnx.ModelProto]) -> dict[str, Value]:
    """The answer `{"model": …}` with the graph that `make` gives; `{"refused": why}` where `g.require` has refused."""
    try:
        return {MODEL: bytes_of(make())}
    except AnswerError as error:  # what a guarded function makes of every error
        if isinstance(error.__cause__, UnsupportedOp):
            return {REFUSED: str(error)}
        raise


def returned_graph(result: object) -> onnx.ModelProto:
    """The graph that a function returned. Raises AnswerError where it is none."""
    return required(result, onnx.ModelProto, tr("the function must return a graph"), "builder.finish()")


@contextmanager
def in_place_of(table: dict[Any, Any], key: object, function: Callable[..., Any]) -> Iterator[None]:
    """Inside, the product finds this function in a table of its own, in place of the one there."""
    own = table[key]
    table[key] = function
    try:
        yield
    finally:
        table[key] = own


def taken_name(result: object, wanted: str) -> str:
    """The name that a rule returned. Raises AnswerError where it is not that of the result."""
    name = required(result, str, tr("must return the name of the result"), "return g.op(…)")
    if name != wanted:
        raise AnswerError(
            tr("the result must be called {wanted!r}, but {result!r} was returned", wanted, name),
            tr('part="…" for every node but the last one, which then takes the result\'s name'),
        )
    return name


def graph_given(value: Value) -> onnx.ModelProto:
    """A graph that was given as bytes."""
    if not isinstance(value, bytes):
        raise TypeError(tr("a graph is given as bytes, received {name}", type(value).__name__))
    model = onnx.ModelProto()
    model.ParseFromString(value)
    return model
