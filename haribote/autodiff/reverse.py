"""Backward graphs: from a forward graph with a loss to the graph of the gradients, and to the whole training step.

    for every node, last to first: the gradient by its output -> its rule -> the gradients by its inputs

The rules are in `haribote.autodiff`, one per operator.
"""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from functools import partial

import numpy as np
import onnx

from haribote.answers.ownership import exercise
from haribote.autodiff import convolution, core, elementwise, linear, shape, softmax  # noqa: F401  (they register rules)
from haribote.autodiff.rules import RULES, Backward, NoGradient, is_float
from haribote.core.elementwise import ELEMENTWISE
from haribote.core.from_onnx import lower
from haribote.core.from_onnx.indexing import moved
from haribote.errors import GraphError
from haribote.graph import Index, complete, set_metadata
from haribote.passes.dead_code import remove_dead_code
from simulator.messages import tr


def gradients(model: onnx.ModelProto, wanted: Sequence[str], loss: str = "loss") -> onnx.ModelProto:
    """The forward graph with the loss as its only output -> the same with the gradients as further outputs.

    Args:
        model: a graph in which the loss is a value of shape [].
        wanted: values to differentiate by; the gradient by v is the output `v.grad`.
        loss: the loss's name.

    Raises:
        GraphError: no such loss, or the loss does not depend on a wanted value.
        UnsupportedOp: an operator on the way has no rule, or is not of the form that its rule covers.
    """
    g, grads = differentiated(model, wanted, loss)
    graph = g.builder.model.graph
    del graph.output[:]
    for name in [loss, *(_output(g, grads, name) for name in wanted)]:
        g.builder.output(name)
    remove_dead_code(g.builder.model)
    return complete(g.builder.model)


def train_step(
    model: onnx.ModelProto, learning_rate: float, momentum: float = 0.0, parameters: Sequence[str] | None = None
) -> onnx.ModelProto:
    """The forward graph with its loss -> the training step, as `frontend.torch.trace_step` gives it.

    Args:
        model: inputs `x`, `labels` and the parameters; output `loss`, float, of shape [].
        learning_rate, momentum: of SGD. With momentum every parameter p has a state, input `p.momentum` (first all
            0) and output `p.momentum.next`.
        parameters: the inputs to update; by default all inputs of floats but `x` that the loss depends on.

    Raises:
        GraphError, UnsupportedOp: see `gradients`.
    """
    if parameters is None:
        reached, index = _ancestors(model, "loss"), Index(model)
        parameters = [name for name in index.inputs if name != "x" and name in reached and is_float(index, name)]
    g, grads = differentiated(model, parameters, "loss")
    del g.builder.model.graph.output[:]
    g.builder.output("loss")
    updates: dict[str, str] = {}
    for name in parameters:
        step = velocity(g, name, grads[name], momentum) if momentum else grads[name]
        updates[name] = sgd(g, name, step, learning_rate)
    updates |= {f"{name}.momentum": f"{name}.momentum.next" for name in parameters if momentum}
    for name in updates.values():
        g.builder.output(name)
    remove_dead_code(g.builder.model)
    result = complete(g.builder.model)
    set_metadata(result, kind="train", updates=json.dumps(updates))
    return result


@exercise("2.5")
def sgd(g: Backward, name: str, step: str, learning_rate: float) -> str:
    """The parameter after the update: p - learning_rate step."""
    raise NotImplementedError


def velocity(g: Backward, name: str, grad: str, momentum: float) -> str:
    """The new state of SGD with momentum: momentum * state + grad. Declares the state's input."""
    state = g.builder.input(f"{name}.momentum", g.shapes[name], g.index.dtype[name])
    g.result = f"{state}.next"
    return g.op("Add", g.op("Mul", state, g.number(momentum, name), part="decayed"), grad)


def differentiated(model: onnx.ModelProto, wanted: Sequence[str], loss: str) -> tuple[Backward, dict[str, str]]:
    """The graph with its backward nodes, and the name of the gradient by each value. Nodes without a rule, or of forms
    that their rule does not cover, are first written in the core. Raises as `gradients` does.
    """
    written: set[str] = set()
    while True:
        g = Backward(model)
        try:
            return g, differentiate(g, model, wanted, loss)
        except NoGradient as error:
            written.add(error.node)
            lowered = lower(model, partial(_has_rule, written), {"Split": moved}, ELEMENTWISE.keys() - RULES.keys())
            before, after = ({node.name: node.op_type for node in graph.graph.node} for graph in (model, lowered))
            if before[error.node] == after.get(error.node):
                raise  # it is of the core, or has neither rule nor body there
            model = lowered


def _has_rule(written: Container[str], node: onnx.NodeProto, _: Index) -> bool:
    return node.op_type in RULES and node.name not in written


def differentiate(g: Backward, model: onnx.ModelProto, wanted: Sequence[str], loss: str) -> dict[str, str]:
    """Add the backward nodes; value name to the name of the gradient by it. Raises as `gradients` does."""
    if g.shapes.get(loss) != () or not is_float(g.index, loss):
        raise GraphError(
            tr("the graph must have a loss {loss!r} of shape [], received {loss2}", loss, g.shapes.get(loss))
        )
    moving = _dependants(model, wanted) & _ancestors(model, loss)
    missing = [name for name in wanted if name not in moving]
    if missing:
        raise GraphError(tr("the loss does not depend on {missing}: it has no gradient by that", ", ".join(missing)))
    for node in model.graph.node:
        g.builder.keep(node)
    readers = [name for node in model.graph.node if node.output[0] in moving for name in node.input]
    one = np.ones((), g.index.dtype[loss])
    parts: dict[str, list[str]] = {loss: [g.builder.constant(one, f"{loss}.grad")]}
    grads: dict[str, str] = {}
    for node in reversed(model.graph.node):
        output = node.output[0]
        if output in moving and output in parts:
            grads[output] = _total(g, output, parts[output])
            for name, grad in _apply(g, node, grads[output], readers):
                if name in moving:
                    parts.setdefault(name, []).append(grad)
    return grads | {name: _total(g, name, parts[name]) for name in wanted if name not in grads}


def _apply(g: Backward, node: onnx.NodeProto, grad: str, readers: list[str]) -> list[tuple[str, str]]:
    """The node's inputs, each with the gradient that reaches it through this node."""
    if node.op_type not in RULES:
        raise NoGradient(
            node.name,
            tr("no gradient rule for node {name!r} ({op_type})", node.name, node.op_type),
            tr("one of {rules}, or add a rule to haribote/autodiff", ", ".join(sorted(RULES))),
        )
    g.node, result = node, []
    rule = RULES[node.op_type](g, node, grad)
    for name in node.input:
        g.result = f"{name}.grad" if readers.count(name) == 1 else f"{name}.grad.{node.name}"
        part = next(rule, None)
        if part is not None:
            result.append((name, part))
    return result


def _total(g: Backward, name: str, parts: list[str]) -> str:
    """The sum of what reaches a value by its several readers."""
    g.result, total = f"{name}.grad", parts[0]
    for number, part in enumerate(parts[1:], start=2):
        total = g.op("Add", total, part, part="" if number == len(parts) else f"sum{number}")
    return total


def _dependants(model: onnx.ModelProto, names: Sequence[str]) -> set[str]:
    """The float values that depend on these, themselves included."""
    index = Index(model)
    found = {name for name in names if is_float(index, name)}
    for node in model.graph.node:
        if found & set(node.input):
            found.update(name for name in node.output if is_float(index, name))
    return found


def _ancestors(model: onnx.ModelProto, name: str) -> set[str]:
    """The values that this one depends on, itself included."""
    found = {name}
    for node in reversed(model.graph.node):
        if found & set(node.output):
            found.update(node.input)
    return found


def _output(g: Backward, grads: dict[str, str], name: str) -> str:
    """The gradient under its own name `v.grad`, which it has not where it is the gradient of another value too."""
    wanted = f"{name}.grad"
    if grads[name] == wanted:
        return wanted
    nodes = g.builder.model.graph.node
    if any(wanted in node.output for node in nodes):  # of a rule that adds all its nodes before it yields a name
        other = g.builder.fresh(wanted)
        for node in nodes:
            node.name = other if node.name == wanted else node.name
            for names in (node.input, node.output):
                names[:] = [other if known == wanted else known for known in names]
        grads.update({value: other for value, known in grads.items() if known == wanted})
    return g.builder.op("Identity", grads[name], name=wanted, reserved=True)
