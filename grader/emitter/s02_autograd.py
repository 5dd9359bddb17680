"""Stage 02: what the emitter does for its tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import onnx

from grader.emitter.forms import Form, Function
from grader.emitter.graphs import graph_answer, graph_given, in_place_of
from grader.emitter.loading import AnswerError, required
from grader.emitter.values import Value, Values
from haribote.answers.ownership import standing_in
from haribote.graph import Builder
from simulator.messages import tr

if TYPE_CHECKING:
    from haribote.autodiff.rules import Backward

RATE = 0.1  # of the step that is trained in the last case


def rule(function: Function, given: Values) -> dict[str, Value]:
    """A gradient rule. Given: the operator (op) whose rule the function is, and a graph with a loss (model) with the
    inputs to differentiate by (wanted), or one (step) to train. Answer: the graph with the gradients, or the step."""
    from haribote.autodiff import reverse as autodiff
    from haribote.autodiff.rules import RULES

    op_type, wanted = str(given["op"]), given.get("wanted")
    if "step" in given:
        with in_place_of(RULES, op_type, _yielding(function)):
            return graph_answer(lambda: autodiff.train_step(graph_given(given["step"]), RATE))
    if not isinstance(wanted, list):
        raise TypeError(tr("wanted is a list of names"))
    names = [str(name) for name in wanted]
    with in_place_of(RULES, op_type, _yielding(function)):
        return graph_answer(lambda: autodiff.gradients(graph_given(given["model"]), names))


def _yielding(function: Function) -> Function:
    """The rule, told of what it yields too little."""

    def call(g: Backward, node: onnx.NodeProto, grad: str) -> Iterator[str | None]:
        names = function(g, node, grad)
        if not hasattr(names, "__next__"):
            raise AnswerError(
                tr("a rule yields names, this one returned {name}", type(names).__name__), "yield g.op(…)"
            )
        for number, given in enumerate(node.input):
            name = next(names, "")
            if name == "":
                raise AnswerError(
                    tr(
                        "yielded {number} of {input} names: it owes the gradient by {given!r}",
                        number,
                        len(node.input),
                        given,
                    )
                )
            yield required(name, (str, type(None)), tr("must yield names"))

    return call


def sgd(function: Function, given: Values) -> dict[str, Value]:
    """Given: learning_rate, rows, columns. Answer: the graph of the update of p by step, both [rows, columns]. Or given
    a graph with a loss (step): the training step with this update."""
    from haribote.autodiff import reverse as autodiff
    from haribote.autodiff.rules import Backward

    if "step" in given:
        with standing_in("2.5", function):
            return graph_answer(lambda: autodiff.train_step(graph_given(given["step"]), RATE))

    def make() -> onnx.ModelProto:
        builder = Builder("update")
        for name in ("p", "step"):
            builder.input(name, (int(given["rows"]), int(given["columns"])), "float32")  # type: ignore[arg-type]
        builder.output(builder.op("Identity", "p", name="same"))
        g = Backward(builder.finish())
        result = function(g, "p", "step", given["learning_rate"])
        if result != "p.next":
            raise AnswerError(
                tr("must return the name 'p.next', received {result!r}", result), tr('g.result = f"{name}.next" first')
            )
        del g.builder.model.graph.output[:]
        g.builder.output(result)
        return g.builder.finish()

    return graph_answer(make)


FORMS: dict[str, Form] = {**dict.fromkeys(("2.1", "2.2", "2.3", "2.4"), rule), "2.5": sgd}
